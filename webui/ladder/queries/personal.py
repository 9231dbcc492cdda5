"""All that the arena knows of a person, as a document."""

import sys
from dataclasses import asdict
from datetime import datetime
from typing import Any

from webui.ladder.models import AuditEntry, BotVersion, Comparison, EventBot, Exclusion, Participant, User
from webui.ladder.queries.accounts import audit, second_factors, sessions
from webui.ladder.queries.bots import own_bots
from webui.ladder.queries.challenges import accepted_challenges, challenges_by
from webui.ladder.queries.events import own_events
from webui.ladder.queries.hidden import is_hidden
from webui.ladder.queries.notices import notices, wants_mail
from webui.ladder.queries.tokens import api_tokens
from webui.ladder.queries.webhooks import deliveries, webhooks
from webui.ladder.values import NotFound, TokenLine


def personal_data(user_id: int) -> dict[str, Any]:
    """The account, where it is signed in, its bots with versions, tokens and results, and its history. No secrets."""
    user = User.objects.filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    factors = second_factors(user_id)
    return {
        "account": {
            "name": user.username,
            "email": user.email,
            "joined": _time(user.date_joined),
            "last_sign_in": _time(user.last_login),
            "authenticator_app": factors.has_app,
            "passkeys": [
                {"name": key.name, "added": _time(key.created_at), "last_used": _time(key.last_used_at)}
                for key in factors.passkeys
            ],
            "recovery_codes_left": factors.codes_left,
        },
        "sessions": [
            {
                "address": line.address,
                "browser": line.agent,
                "signed_in": _time(line.created_at),
                "seen": _time(line.seen_at),
            }
            for line in sessions(user_id)
        ],
        "api_tokens": [{**_token(token), "scopes": list(token.scopes)} for token in api_tokens(user_id)],
        "bots": [
            {
                "name": own.bot.name,
                "description": own.description,
                "state": own.state,
                "challenges": asdict(accepted_challenges(own.bot.id)),
                "tokens": [_token(token) for token in own.tokens],
                "versions": [
                    {"name": name, "since": _time(since), "note": note or ""}
                    for name, since, note in BotVersion.objects.filter(bot_id=own.bot.id)
                    .order_by("pk")
                    .values_list("name", "created_at", "note")
                ],
                "exclusions": [
                    {
                        "version": row.version.name,
                        "at": _time(row.at),
                        "forfeited_matches": row.matches,
                        "examination_asked": _time(row.asked_at),
                        "examination": row.examination_id,
                        "ended": _time(row.ended_at),
                    }
                    for row in Exclusion.objects.filter(version__bot_id=own.bot.id)
                    .select_related("version")
                    .order_by("pk")
                ],
                "matches": [
                    {"match": match, "version": version, "seat": seat, "placement": placement, "score": score}
                    for match, version, seat, placement, score in Participant.objects.filter(version__bot_id=own.bot.id)
                    .exclude(is_hidden("match__"))
                    .order_by("pk")
                    .values_list("match_id", "version__name", "seat", "placement", "score")
                ],
            }
            for own in own_bots(user_id)
        ],
        "events": [
            {"event": line.slug, "name": line.name, "made": _time(line.created_at)} for line in own_events(user_id)
        ],
        "entries": [
            {"event": event, "bot": bot, "number": number}
            for event, bot, number in EventBot.objects.filter(bot__owner_id=user_id)
            .order_by("pk")
            .values_list("event__slug", "bot__name", "number")
        ],
        "comparisons": [
            {"new": new, "old": old, "ordered": _time(at), "state": state, "blocks": scores}
            for new, old, at, state, scores in Comparison.objects.filter(owner_id=user_id)
            .order_by("created_at")
            .values_list("new__name", "old__name", "created_at", "state", "scores")
        ],
        "challenges": [
            {
                "made": _time(line.created_at),
                "state": line.state,
                "bots": [seat.bot.name for seat in line.seats],
                "match": line.match,
            }
            for line in challenges_by(user_id)
        ],
        "wants_emails_about_events": wants_mail(user_id),
        "notices": [
            {"at": _time(line.at), "event": line.event, "about": line.about, "what": line.kind, **line.data}
            for line in notices(user_id, sys.maxsize)
        ],
        "webhooks": [
            {
                "address": hook.url,
                "kinds": hook.kinds,
                "bot": hook.bot.name if hook.bot else None,
                "event": hook.event or None,
                "added": _time(hook.created_at),
                "off": hook.off or None,
                "messages": [
                    {"at": _time(line.at), "id": line.message, "state": line.state, "body": line.body}
                    for line in deliveries(hook.id)
                ],
            }
            for hook in webhooks(user_id)
        ],
        "history": [
            {
                "at": _time(line.at),
                "what": line.act,
                "subject": line.subject,
                "by": line.actor or "operator",
                "address": line.address,
            }
            for line in audit(user_id, most=AuditEntry.objects.filter(account_id=user_id).count())
        ],
    }


def _token(token: TokenLine) -> dict[str, Any]:
    return {
        "start": token.prefix,
        "label": token.label,
        "issued": _time(token.created_at),
        "expires": _time(token.expires_at),
        "last_used": _time(token.last_used_at),
        "last_address": token.last_address,
        "revoked": _time(token.revoked_at),
    }


def _time(when: datetime | None) -> str | None:
    return when.isoformat() if when else None
