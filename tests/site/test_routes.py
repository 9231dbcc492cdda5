"""Every route, for everybody who may come: strangers, owners, other users."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from tests.kit.plies import indices
from tests.site.seed import PASSWORD
from tests.site.world import World, text
from webui.bots import actions as bot_actions
from webui.bots import token_queries
from webui.core import wheel
from webui.core.headers import EMBED_POLICY, HEADERS
from webui.matches import queries as match_queries
from webui.profiles import queries as profile_queries
from webui.profiles.preview_pages import SVG_POLICY
from webui.site.urls import urlpatterns

pytestmark = pytest.mark.django_db


SLUG = {"slug": "long-ledger"}
HOOK = {"webhook_id": "webhook"}
LADDER = {"slug": "3-players-60-s-1-s"}
SUBMISSION = {**SLUG, "submission_id": "submission"}
TRIAL = {"key": "trial"}
HOSTING = {"subject": "all"}
RESET = {"uidb36": "1", "key": "set-password"}
Table = dict[str, tuple[dict[str, Any], int, int, int, int]]
READ: Table = {  # route -> (arguments, status for stranger, owner, other, staff)
    "front": ({}, 200, 200, 200, 200),
    "tv": ({}, 200, 200, 200, 200),
    "tv-embed": ({}, 200, 200, 200, 200),
    "tv-table": ({}, 200, 200, 200, 200),
    "tv-json": ({}, 200, 200, 200, 200),
    "matches": ({}, 200, 200, 200, 200),
    "staff": ({}, 302, 404, 404, 200),
    "staff-matches": ({}, 302, 404, 404, 200),
    "staff-match": ({"match_id": "finished"}, 302, 404, 404, 200),
    "staff-void": ({"subject": "waiting"}, 302, 404, 404, 200),
    "staff-again": ({"subject": "waiting"}, 302, 404, 404, 200),
    "staff-ladders": ({}, 302, 404, 404, 200),
    "staff-ladder": ({"subject": "3"}, 302, 404, 404, 200),
    "staff-delay": ({"subject": LADDER["slug"]}, 302, 404, 404, 200),
    "staff-users": ({}, 302, 404, 404, 200),
    "staff-user": ({"name": "lena"}, 302, 404, 404, 200),
    "staff-lock-user": ({"subject": "lena"}, 302, 404, 404, 200),
    "staff-unlock-user": ({"subject": "lena"}, 302, 404, 404, 200),
    "staff-message": ({"subject": "lena"}, 302, 404, 404, 200),
    "staff-send-password-link": ({"subject": "lena"}, 302, 404, 404, 200),
    "staff-set-role": ({"subject": "lena"}, 302, 404, 404, 200),
    "staff-bots": ({}, 302, 404, 404, 200),
    "staff-bot": (SLUG, 302, 404, 404, 200),
    "staff-lock-bot": ({"subject": SLUG["slug"]}, 302, 404, 404, 200),
    "staff-unlock-bot": ({"subject": SLUG["slug"]}, 302, 404, 404, 200),
    "staff-take-down-sources": ({"subject": SLUG["slug"]}, 302, 404, 404, 200),
    "staff-correct-bot": ({"subject": SLUG["slug"]}, 302, 404, 404, 200),
    "staff-hosting": ({}, 302, 404, 404, 200),
    "staff-pause-hosting": (HOSTING, 302, 404, 404, 200),
    "staff-resume-hosting": (HOSTING, 302, 404, 404, 200),
    "staff-runner": ({"name": "north"}, 302, 404, 404, 404),  # the world has no runner
    "staff-pause-runner": ({"subject": "north"}, 302, 404, 404, 404),
    "staff-resume-runner": ({"subject": "north"}, 302, 404, 404, 404),
    "staff-revoke-runner": ({"subject": "north"}, 302, 404, 404, 404),
    "staff-submission": ({"number": "submission"}, 302, 404, 404, 200),
    "staff-withdraw-submission": ({"subject": "submission"}, 302, 404, 404, 200),
    "staff-lock-submission": ({"subject": "submission"}, 302, 404, 404, 200),
    "staff-unlock-submission": ({"subject": "submission"}, 302, 404, 404, 200),
    "staff-audit": ({}, 302, 404, 404, 200),
    "staff-suspicions": ({}, 302, 404, 404, 200),
    "status": ({}, 200, 200, 200, 200),
    "match": ({"match_id": "finished"}, 200, 200, 200, 200),
    "embed": ({"match_id": "finished"}, 200, 200, 200, 200),
    "alternatives": ({"match_id": "finished"}, 404, 404, 404, 404),  # without a decision
    "analysis": ({}, 200, 200, 200, 200),
    "analysis-table": ({}, 422, 422, 422, 422),  # without a start
    "analysis-judge": ({}, 422, 422, 422, 422),
    "analysis-games": ({}, 422, 422, 422, 422),
    "position-games": ({"key": "nothing"}, 404, 404, 404, 404),  # nobody has asked for them
    "position-games-live": ({"key": "nothing"}, 404, 404, 404, 404),
    "position-games-parts": ({"key": "nothing"}, 404, 404, 404, 404),
    "analysis-play": ({}, 422, 422, 422, 422),
    "analysis-play-table": ({}, 422, 422, 422, 422),
    "analysis-position": ({}, 422, 422, 422, 422),
    "analysis-line": ({}, 422, 422, 422, 422),
    "frames": ({"match_id": "finished"}, 200, 200, 200, 200),
    "live": ({"match_id": "finished"}, 204, 204, 204, 204),
    "position": ({"match_id": "finished"}, 200, 200, 200, 200),
    "replay": ({"match_id": "finished"}, 200, 200, 200, 200),
    "proof": ({"match_id": "finished"}, 200, 200, 200, 200),
    "board": ({"match_id": "finished"}, 200, 200, 200, 200),
    "match-preview": ({"match_id": "finished"}, 200, 200, 200, 200),
    "ladders": ({}, 200, 200, 200, 200),
    "ladders-by-habit": ({}, 301, 301, 301, 301),
    "ladder-feed": (LADDER, 200, 200, 200, 200),
    "ladder-preview": (LADDER, 200, 200, 200, 200),
    "bot-feed": (SLUG, 200, 200, 200, 200),
    "bot-preview": (SLUG, 200, 200, 200, 200),
    "user-preview": ({"name": "lena"}, 200, 200, 200, 200),
    "robots": ({}, 200, 200, 200, 200),
    "sitemap": ({}, 200, 200, 200, 200),
    "sitemap-plain": ({}, 200, 200, 200, 200),
    "sitemap-page": ({"name": "bots", "number": 1}, 200, 200, 200, 200),
    "unsubscribe": ({"token": "1:x"}, 404, 404, 404, 404),
    "following": ({}, 302, 200, 200, 200),
    "follow-bot": (SLUG, 302, 405, 405, 405),
    "follow-author": ({"name": "lena"}, 302, 405, 405, 405),
    "overall": ({}, 200, 200, 200, 200),
    "ladder": (LADDER, 200, 200, 200, 200),
    "ladder-csv": (LADDER, 200, 200, 200, 200),
    "ladder-json": (LADDER, 200, 200, 200, 200),
    "statistics": ({}, 200, 200, 200, 200),
    "records": ({}, 200, 200, 200, 200),
    "people": ({}, 200, 200, 200, 200),
    "rivals": (SLUG, 200, 200, 200, 200),
    "against": ({**SLUG, "other": "bot-1"}, 200, 200, 200, 200),
    "fairness": ({}, 200, 200, 200, 200),
    "fairness-day": ({"day": "2026-11-23"}, 404, 404, 404, 404),
    "fairness-json": ({"day": "2026-11-23"}, 404, 404, 404, 404),
    "data": ({}, 200, 200, 200, 200),
    "data-index": ({}, 200, 200, 200, 200),
    "data-checksums": ({}, 200, 200, 200, 200),
    "data-file": ({"name": "replays-2026-11-23.jsonl.zst"}, 404, 404, 404, 404),
    "events": ({}, 200, 200, 200, 200),
    "event": ({"slug": "draft"}, 404, 200, 404, 200),
    "event-embed": ({"slug": "draft"}, 404, 404, 404, 404),
    "event-preview": ({"slug": "draft"}, 404, 404, 404, 404),
    "event-parts": ({"slug": "draft"}, 404, 200, 404, 200),
    "event-live": ({"slug": "draft"}, 404, 204, 404, 204),
    "event-archive": ({"slug": "draft"}, 404, 404, 404, 404),
    "event-trf": ({"slug": "draft"}, 404, 404, 404, 404),
    "event-json": ({"slug": "draft"}, 404, 200, 404, 200),
    "event-csv": ({"slug": "draft"}, 404, 200, 404, 200),
    "new-event": ({}, 302, 200, 200, 200),
    "edit-event": ({"slug": "draft"}, 302, 200, 404, 200),
    "notices": ({}, 302, 200, 200, 200),
    "submissions": (SLUG, 302, 200, 404, 404),
    "submission": (SUBMISSION, 302, 200, 404, 404),
    "submission-live": (SUBMISSION, 404, 204, 404, 404),
    "submission-parts": (SUBMISSION, 302, 200, 404, 404),
    "change-submission": (SUBMISSION, 302, 405, 405, 405),
    "play": ({}, 200, 200, 200, 200),
    "table": ({"match_id": "running"}, 404, 404, 404, 404),  # who sits there is in test_play
    "table-frames": ({"match_id": "running"}, 404, 404, 404, 404),
    "table-live": ({"match_id": "running"}, 404, 404, 404, 404),
    "table-choices": ({"match_id": "running"}, 404, 404, 404, 404),
    "table-hints": ({"match_id": "running"}, 404, 404, 404, 404),
    "table-answer": ({"match_id": "running"}, 405, 405, 405, 405),
    "table-leave": ({"match_id": "running"}, 405, 405, 405, 405),
    "write": ({}, 200, 200, 200, 200),
    "lessons": ({}, 200, 200, 200, 200),
    "lesson": ({"number": 1}, 200, 200, 200, 200),
    "editor-words": ({}, 200, 200, 200, 200),
    "trial": (TRIAL, 200, 200, 200, 200),
    "trial-parts": (TRIAL, 200, 200, 200, 200),
    "trial-live": (TRIAL, 204, 204, 204, 204),
    "trial-frames": (TRIAL, 404, 404, 404, 404),  # it has not been played
    "source": (SUBMISSION, 404, 404, 404, 404),
    "source-file": ({**SUBMISSION, "path": "bot.py"}, 404, 404, 404, 404),
    "source-archive": (SUBMISSION, 404, 404, 404, 404),
    "webhooks": ({}, 302, 200, 200, 200),
    "new-webhook": ({}, 302, 200, 200, 200),
    "webhook": (HOOK, 302, 200, 404, 404),
    "edit-webhook": (HOOK, 302, 200, 404, 404),
    "webhook-secret": (HOOK, 302, 200, 404, 404),
    "webhook-act": (HOOK, 302, 405, 405, 405),
    "send-again": ({**HOOK, "delivery_id": "delivery"}, 302, 405, 405, 405),
    "event-entries": ({"slug": "draft"}, 302, 405, 405, 405),
    "organise-event": ({"slug": "draft"}, 302, 405, 405, 405),
    "bots": ({}, 200, 200, 200, 200),
    "bot": (SLUG, 200, 200, 200, 200),
    "user": ({"name": "lena"}, 200, 200, 200, 200),
    "docs": ({}, 200, 200, 200, 200),
    "learn": ({}, 200, 200, 200, 200),
    "learn-frames": ({}, 200, 200, 200, 200),
    "first-game": ({}, 200, 200, 200, 200),
    "first-game-table": ({}, 200, 200, 200, 200),
    "first-game-hints": ({}, 200, 200, 200, 200),
    "docs-page": ({"slug": "rules"}, 200, 200, 200, 200),
    "docs-protocol": ({}, 200, 200, 200, 200),
    "docs-download": ({}, 302, 302, 302, 302),
    "docs-wheel": ({"name": wheel.NAME}, 200, 200, 200, 200),
    "language": ({}, 405, 405, 405, 405),
    "sign-up": ({}, 200, 302, 302, 302),
    "sign-in": ({}, 200, 302, 302, 302),
    "sign-out": ({}, 302, 200, 200, 200),
    "account_inactive": ({}, 200, 200, 200, 200),
    "account_change_password": ({}, 302, 200, 200, 200),
    "account": ({}, 302, 200, 200, 200),
    "history": ({}, 302, 200, 200, 200),
    "end-session": ({"session_id": 0}, 302, 405, 405, 405),
    "export": ({}, 302, 405, 405, 405),
    "erase": ({}, 302, 200, 200, 200),
    "security-txt": ({}, 404, 404, 404, 404),
    "keys": ({}, 200, 200, 200, 200),
    "offers": ({}, 200, 200, 200, 200),
    "csp-reports": ({}, 405, 405, 405, 405),
    "end-other-sessions": ({}, 302, 405, 405, 405),
    "verify-email": ({}, 302, 405, 405, 405),
    "account_confirm_email": ({"key": "old"}, 200, 200, 200, 200),
    "account_reauthenticate": ({}, 302, 200, 200, 200),
    "mfa_reauthenticate": ({}, 302, 302, 302, 302),
    "mfa_reauthenticate_webauthn": ({}, 302, 302, 302, 302),
    "mfa_authenticate": ({}, 302, 302, 302, 302),
    "mfa_login_webauthn": ({}, 302, 302, 302, 302),
    "mfa_activate_totp": ({}, 302, 200, 200, 200),
    "mfa_deactivate_totp": ({}, 302, 404, 404, 404),
    "mfa_add_webauthn": ({}, 302, 200, 200, 200),
    "mfa_remove_webauthn": ({"pk": 0}, 302, 404, 404, 404),
    "recovery-codes": ({}, 302, 200, 200, 200),
    "account_reset_password": ({}, 200, 200, 200, 200),
    "account_reset_password_done": ({}, 200, 200, 200, 200),
    "account_reset_password_from_key": (RESET, 200, 200, 200, 200),
    "account_reset_password_from_key_done": ({}, 200, 200, 200, 200),
    "email": ({}, 302, 200, 200, 200),
    "api-tokens": ({}, 302, 200, 200, 200),
    "new-api-token": ({}, 302, 200, 200, 200),
    "revoke-api-token": ({"token_id": 0}, 302, 404, 404, 404),
    "own-bots": ({}, 302, 200, 200, 200),
    "new-bot": ({}, 302, 200, 200, 200),
    "new-token": (SLUG, 302, 200, 404, 404),
    "revoke-token": ({**SLUG, "token_id": "token"}, 302, 200, 404, 404),
    "edit-bot": (SLUG, 302, 200, 404, 404),
    "retire-bot": (SLUG, 302, 405, 405, 405),
    "edit-version": ({**SLUG, "version_id": "version"}, 302, 200, 404, 404),
    "retire-version": ({**SLUG, "version_id": "version"}, 302, 405, 405, 405),
    "release": (SLUG, 302, 200, 404, 404),
    "bot-state": (SLUG, 302, 405, 405, 405),
    "put-back": ({**SLUG, "exclusion_id": 0}, 302, 405, 405, 405),
    "transcript": ({**SLUG, "match_id": "finished"}, 302, 200, 404, 404),
    "comparisons": (SLUG, 302, 200, 404, 404),
    "comparison": ({"comparison_id": "comparison"}, 302, 200, 404, 200),
    "challenge-bot": (SLUG, 302, 200, 404, 404),
    "challenges": (SLUG, 302, 200, 404, 404),
    "challenge": ({"challenge_id": "challenge"}, 302, 200, 404, 200),
    "rematch": ({"match_id": "finished"}, 302, 405, 405, 405),
}
FRAMED = {"embed", "tv-embed"}
"""Pages for the frames of other sites, without header and footer."""
LEAD_ELSEWHERE = {"docs-download", "sign-out", "sign-up", "sign-in", "mfa_authenticate",
                  "mfa_login_webauthn", "mfa_reauthenticate", "mfa_reauthenticate_webauthn"}  # fmt: skip
"""All other routes lead who is not signed in to sign-in and back."""
ALSO_CALLED = {"account_signup": "sign-up", "account_login": "sign-in", "account_logout": "sign-out"}
WRITE: dict[str, tuple[dict[str, Any], dict[str, str], int, int, int, int]] = {
    # route -> (arguments, form, status for stranger, owner, other, staff)
    "language": ({}, {"language": "en"}, 302, 302, 302, 302),
    "sign-up": ({}, {}, 200, 302, 302, 302),
    "sign-in": ({}, {}, 200, 302, 302, 302),
    "sign-out": ({}, {}, 302, 302, 302, 302),
    "account_change_password": ({}, {}, 302, 200, 200, 200),
    "account_reset_password": ({}, {"email": "nobody@example.org"}, 302, 302, 302, 302),
    "account_reset_password_from_key": (RESET, {}, 200, 200, 200, 200),
    "email": ({}, {"email": ""}, 302, 302, 302, 302),
    "end-session": ({"session_id": 0}, {}, 302, 404, 404, 404),
    "end-other-sessions": ({}, {}, 302, 302, 302, 302),
    "export": ({}, {}, 302, 200, 200, 200),
    "erase": ({}, {"name": "nobody"}, 302, 422, 422, 422),
    "csp-reports": ({}, {}, 415, 415, 415, 415),
    "analysis": ({}, {"position": "{}"}, 422, 422, 422, 422),
    "analysis-games": ({}, {}, 422, 422, 422, 422),
    "verify-email": ({}, {}, 302, 302, 302, 302),
    "account_confirm_email": ({"key": "old"}, {}, 404, 404, 404, 404),
    "account_reauthenticate": ({}, {"password": PASSWORD}, 302, 302, 302, 302),
    "mfa_login_webauthn": ({}, {"credential": "{}"}, 302, 302, 302, 302),
    "mfa_activate_totp": ({}, {"code": "000000"}, 302, 200, 200, 200),
    "mfa_deactivate_totp": ({}, {}, 302, 404, 404, 404),
    "mfa_remove_webauthn": ({"pk": 0}, {}, 302, 404, 404, 404),
    "mfa_add_webauthn": ({}, {"credential": "{}"}, 302, 200, 200, 200),
    "recovery-codes": ({}, {}, 302, 200, 200, 200),
    "submissions": (SLUG, {}, 302, 403, 404, 404),  # no form arrives: see tests/site/test_hosting.py
    "change-submission": (SUBMISSION, {"act": "withdraw"}, 302, 302, 404, 404),
    "lesson": ({"number": 1}, {"act": "run", "source": "import this"}, 422, 422, 422, 422),  # no runner
    "write": ({}, {"act": "run", "source": "import this", "opponent": "greedy"}, 422, 422, 422, 422),  # no runner
    "new-event": ({}, {}, 302, 422, 422, 422),
    "edit-event": ({"slug": "draft"}, {}, 302, 422, 404, 422),
    "notices": ({}, {"act": "no-mail"}, 302, 302, 302, 302),
    "new-webhook": ({}, {}, 302, 422, 422, 422),
    "edit-webhook": (HOOK, {}, 302, 422, 404, 404),
    "webhook-secret": (HOOK, {}, 302, 200, 404, 404),
    "webhook-act": (HOOK, {"act": "off"}, 302, 302, 404, 404),
    "send-again": ({**HOOK, "delivery_id": "delivery"}, {}, 302, 302, 404, 404),
    "event-entries": ({"slug": "draft"}, {"bot": "nope"}, 302, 302, 404, 302),
    "organise-event": ({"slug": "draft"}, {"act": "nope"}, 302, 302, 404, 302),
    "new-bot": ({}, {"name": "Fresh"}, 302, 200, 200, 200),
    "new-api-token": ({}, {"days": "30", "scopes": "read"}, 302, 200, 200, 200),
    "revoke-api-token": ({"token_id": 0}, {}, 302, 404, 404, 404),
    "new-token": (SLUG, {"days": "30"}, 302, 200, 404, 404),
    "revoke-token": ({**SLUG, "token_id": "token"}, {}, 302, 302, 404, 404),
    "bot-state": (SLUG, {"state": "PAUSED"}, 302, 302, 404, 404),
    "edit-bot": (SLUG, {"description": "Counts thrice."}, 302, 302, 404, 404),
    "retire-bot": (SLUG, {"act": "retire"}, 302, 302, 404, 404),
    "edit-version": ({**SLUG, "version_id": "version"}, {"note": "Faster."}, 302, 302, 404, 404),
    "retire-version": ({**SLUG, "version_id": "version"}, {"act": "retire"}, 302, 302, 404, 404),
    "put-back": ({**SLUG, "exclusion_id": 0}, {}, 302, 404, 404, 404),
    "release": (SLUG, {}, 302, 422, 404, 404),
    "comparisons": (SLUG, {}, 302, 422, 404, 404),
    "comparison": ({"comparison_id": "comparison"}, {}, 302, 302, 404, 302),
    "challenge-bot": (SLUG, {}, 302, 422, 404, 404),
    "challenges": (SLUG, {}, 302, 422, 404, 404),
    "play": ({}, {}, 422, 422, 422, 422),  # no opponent is chosen
    "table": ({"match_id": "running"}, {}, 302, 302, 302, 302),  # it leads to where nobody sits
    "table-answer": ({"match_id": "running"}, {}, 400, 400, 400, 400),
    "table-leave": ({"match_id": "running"}, {}, 404, 404, 404, 404),
    "challenge": ({"challenge_id": "challenge"}, {}, 302, 302, 404, 302),
    "rematch": ({"match_id": "finished"}, {}, 302, 404, 404, 404),
    "follow-bot": (SLUG, {}, 302, 302, 302, 302),
    "follow-author": ({"name": "lena"}, {}, 302, 302, 302, 302),
    "staff-void": ({"subject": "waiting"}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-again": ({"subject": "waiting"}, {"reason": "why"}, 302, 404, 404, 422),
    "staff-ladder": ({"subject": "3"}, {}, 302, 404, 404, 422),
    "staff-delay": ({"subject": LADDER["slug"]}, {"delay": "2", "seen": "0", "reason": "why"}, 302, 404, 404, 302),
    "staff-lock-user": ({"subject": "lena"}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-unlock-user": ({"subject": "lena"}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-message": ({"subject": "lena"}, {"text": "Hello.", "number": "7"}, 302, 404, 404, 302),
    "staff-send-password-link": ({"subject": "lena"}, {"reason": "why"}, 302, 404, 404, 422),
    "staff-set-role": ({"subject": "lena"}, {"role": "staff", "reason": "why"}, 302, 404, 404, 302),
    "staff-correct-bot": ({"subject": SLUG["slug"]}, {"name": "Long Ledger", "reason": "why"}, 302, 404, 404, 302),
    "staff-lock-bot": ({"subject": SLUG["slug"]}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-unlock-bot": ({"subject": SLUG["slug"]}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-take-down-sources": ({"subject": SLUG["slug"]}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-pause-hosting": (HOSTING, {"reason": "why"}, 302, 404, 404, 302),
    "staff-resume-hosting": (HOSTING, {"reason": "why"}, 302, 404, 404, 302),
    "staff-withdraw-submission": ({"subject": "submission"}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-lock-submission": ({"subject": "submission"}, {"reason": "why"}, 302, 404, 404, 302),
    "staff-unlock-submission": ({"subject": "submission"}, {"reason": "why"}, 302, 404, 404, 302),
}
WHO = ("stranger", "owner", "other", "staff")
NEW_BOTS = dict(zip(WHO, ("Salt", "Sand", "Silk", "Spice"), strict=True))
"""Names for the bots that the visitors register."""


def address(world: World, route: str, arguments: dict[str, Any]) -> str:
    known = {
        "finished": world.finished,
        "waiting": world.waiting,
        "draft": world.draft,
        "comparison": world.comparison,
        "challenge": world.challenge,
        "token": world.token.token_id,
        "version": world.version,
        "webhook": world.webhook,
        "delivery": world.delivery,
        "submission": world.submission,
        "trial": world.trial,
    }
    return reverse(route, kwargs={key: known.get(value, value) for key, value in arguments.items()})


def test_the_table_names_every_route() -> None:
    assert {pattern.name for pattern in urlpatterns} == {*READ, *ALSO_CALLED}
    for other, route in ALSO_CALLED.items():
        assert reverse(other) == reverse(route)


def check_sources(route: str, page: str) -> None:
    """Check that a whole page has nothing inline, and that everything on it comes from this site."""
    assert "<style" not in page and not re.search(r"\s(style|on\w+)=", page)
    scripts = re.findall(r'<script(?![^>]* type="application/json")[^>]*>', page)
    assert all(re.search(r'src="/static/', script) for script in scripts)
    page = re.sub(r'<link rel="canonical" [^>]*>', "", page)  # which names the page's one address in full
    page = page if route != "data" else re.sub(r'<a [^>]*href="https://creativecommons.org[^>]*>', "", page)
    assert not re.search(r'(src|href)="(https?:)?//', page)
    if route not in FRAMED:
        assert "Bruno Cathala" in page and "Days of Wonder" in page and "no affiliation" in page


@pytest.mark.parametrize("route", READ)
def test_every_visitor(world: World, route: str) -> None:
    """Read the page of a route as each visitor, and then send it a form, which only some routes take."""
    clients = {who: world.client(who) for who in WHO}
    check_reading(world, route, clients)
    if route in WRITE:
        if route not in ("language", "csp-reports", "analysis"):
            check_token_is_needed(world, route)
        check_writing(world, route, clients)
    else:
        where = address(world, route, READ[route][0])
        refused = (302, 404, 405) if route.startswith(("staff", "unsubscribe")) else (302, 403, 405)
        assert all(client.post(where).status_code in refused for client in clients.values())


def check_reading(world: World, route: str, clients: dict[str, Client]) -> None:
    arguments, *expected = READ[route]
    for (who, client), status in zip(clients.items(), expected, strict=True):
        answer = client.get(address(world, route, arguments))
        assert answer.status_code == status, who
        if route in FRAMED:
            assert answer["Content-Security-Policy"] == EMBED_POLICY and "X-Frame-Options" not in answer
        else:
            policy = {"Content-Security-Policy": SVG_POLICY} if route == "board" else {}
            assert {name: answer[name] for name in HEADERS} == HEADERS | policy and answer["X-Frame-Options"] == "DENY"
        if status == 302 and route not in LEAD_ELSEWHERE:
            assert answer["Location"].startswith("/sign-in/?next=")
        if answer["Content-Type"].startswith("text/html"):
            page = text(answer)
            marks = r'<use[^>]* href="#([^"]+)', r'<symbol id="([^"]+)', r' id="([^"]+)'
            drawn, carried, named = (set(re.findall(mark, page)) for mark in marks)
            assert carried <= drawn <= named, "what is drawn can be seen, and nothing is carried for nothing"
            if page.startswith("<!doctype"):  # neither empty nor a part of a page
                check_sources(route, page)


def check_token_is_needed(world: World, route: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(get_user_model().objects.get(pk=world.owner))
    arguments, form, *_ = WRITE[route]
    answer = client.post(address(world, route, arguments), form)
    assert answer.status_code == 403 and b"The form was too old" in answer.content


def check_writing(world: World, route: str, clients: dict[str, Client]) -> None:
    arguments, form, *expected = WRITE[route]
    for (who, client), status in zip(clients.items(), expected, strict=True):
        form = {**form, "name": NEW_BOTS[who]} if route == "new-bot" else form
        assert client.post(address(world, route, arguments), form).status_code == status, who


def test_other_people_change_nothing(world: World) -> None:
    client = world.client("other")
    client.post("/account/bots/long-ledger/state/", {"state": "PAUSED"})
    client.post(f"/account/bots/long-ledger/tokens/{world.token.token_id}/revoke/")
    assert token_queries.session_for_token(world.token.token) is not None
    assert profile_queries.bot_page("long-ledger").state == "ACTIVE"


def test_a_token_of_another_bot_cannot_be_revoked_through_ones_own(world: World) -> None:
    own = bot_actions.register_bot(world.other, "Own")
    answer = world.client("other").post(f"/account/bots/own/tokens/{world.token.token_id}/revoke/")
    assert own and answer.status_code == 404
    assert token_queries.session_for_token(world.token.token) is not None


@pytest.mark.slow
def test_a_finished_match_from_turn_to_turn(world: World) -> None:
    client = Client()
    record = match_queries.match_record(world.finished)
    assert record is not None
    plies = [str(index) for index in indices(event[0] > 0 for event in record["events"])]
    seen, at = [], "0"
    while at:
        page = text(client.get(f"/matches/{world.finished}/?d={at}"))
        ply = plies.index(at)
        following = re.search(r'rel="next"[^>]*href="\?d=(\w+)"', page)
        assert (following and following[1]) == (plies[ply + 1] if ply + 1 < len(plies) else None)
        before = [event for event in record["events"][: int(at)] if event[0]]
        assert f"<code>{before[-1][1]}</code>" in page if before else "before the first bid" in page
        seen.append(at)
        onwards = re.search(r'data-step="next_turn"[^>]*href="\?d=(\w+)"', page)
        at = onwards[1] if onwards else ""
    assert seen[-1] == plies[-1] and len(seen) > 30
    latest = text(client.get(f"/matches/{world.finished}/"))
    totals = [score["total"] for score in record["result"]["scores"]]
    shown = re.findall(r'<div class="seat-total tabular" data-part="seat-.-total"><b>(\d+)</b>', latest)
    assert [int(total) for total in shown] == totals
    assert record["server_seed"] in latest


def test_the_replay_is_the_record(world: World) -> None:
    answer = Client().get(f"/matches/{world.finished}/replay.json")
    assert answer.json() == match_queries.match_record(world.finished)
    assert answer["Content-Disposition"] == f'attachment; filename="naqala-{world.finished}.json"'


@pytest.mark.django_db
@pytest.mark.parametrize(("file", "lacks"), [("base.css", True), ("site.js", True), ("drawings.svg", False)])
def test_headers_about_documents_come_with_documents_alone(client: Client, file: str, lacks: bool) -> None:
    answer = client.get(f"{settings.STATIC_URL}site/{file}")
    assert answer.status_code == 200 and answer["X-Content-Type-Options"] == "nosniff"
    about_documents = set(HEADERS) - {"X-Content-Type-Options"}
    assert {name for name in about_documents if name in answer} == (set() if lacks else about_documents)
