"""Every route of the API, for everybody who may call: a table."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.kit.openapi import faults, generate
from tests.site.api.calling import Api, callers
from tests.site.world import World
from webui.accounts.values import API_SCOPES, BOT_SCOPES
from webui.site.api.api import api

pytestmark = pytest.mark.django_db

Row = tuple[str, Any, int, int, int, int, int, int]
SEAT = {"bot": "Long Ledger", "version": "2.2"}
COMPARISON = {"new": SEAT, "old": {**SEAT, "version": "2.1"}, "game": {"players": 2}}
TERMS = {"name": "Salt Cup", "format": {"kind": "swiss"}, "game": {"players": 3}}
WHY = {"why": "It was asked for."}
RULING = {"round": 1, "table": 1, "game": 0, "placements": [1, 2, 2], **WHY}
HOOK = {"url": "https://example.org/hook", "kinds": ["match.finished"]}


def defaults_of_objects(schema: Any, path: str = "") -> list[str]:
    """Return the paths of the schemas whose default is an object."""
    if isinstance(schema, list):
        return [found for place, one in enumerate(schema) for found in defaults_of_objects(one, f"{path}/{place}")]
    if not isinstance(schema, dict):
        return []
    own = [path] if isinstance(schema.get("default"), dict) and ("allOf" in schema or "$ref" in schema) else []
    return own + [found for key, one in schema.items() for found in defaults_of_objects(one, f"{path}/{key}")]


def test_generators_of_clients_make_every_route() -> None:
    """openapi-python-client leaves out the routes whose body has an object with an object as its default."""
    assert defaults_of_objects(json.loads(generate())) == []


ROUTES: dict[str, Row] = {
    # operation -> path, body, status for: a stranger, the owner with all scopes and with none, another user, staff, and
    # the bot with its own token
    "list_bots": ("/bots", None, 200, 200, 200, 200, 200, 200),
    "get_bot": ("/bots/long-ledger", None, 200, 200, 200, 200, 200, 200),
    "change_bot": ("/bots/long-ledger", {"state": "paused"}, 401, 200, 403, 404, 404, 403),
    "register_bot": ("/bots", {"name": "Salt Road"}, 401, 201, 403, 409, 409, 403),
    "list_tokens": ("/bots/long-ledger/tokens", None, 401, 200, 403, 404, 404, 403),
    "make_token": ("/bots/long-ledger/tokens", {"label": "desk"}, 401, 201, 403, 404, 404, 403),
    "revoke_token": ("/bots/long-ledger/tokens/{world.token.token_id}", None, 401, 200, 403, 404, 404, 401),
    "release_version": (
        "/bots/long-ledger/releases",
        {"version": "3", "note": "Faster."},
        401,
        200,
        403,
        404,
        404,
        403,
    ),
    "submit_version": (
        "/bots/long-ledger/submissions?version=h2&file=bot.py",
        "print(1)",
        401,
        201,
        403,
        404,
        404,
        403,
    ),
    "list_submissions": ("/bots/long-ledger/submissions", None, 401, 200, 403, 404, 404, 403),
    "get_submission": ("/submissions/{world.submission}", None, 401, 200, 403, 404, 404, 403),
    "use_submission": ("/submissions/{world.submission}/use", None, 401, 400, 403, 404, 404, 403),
    "withdraw_submission": ("/submissions/{world.submission}", None, 401, 200, 403, 404, 404, 403),
    "publish_source": ("/submissions/{world.submission}/publish", {"licence": "MIT"}, 401, 400, 403, 404, 404, 403),
    "unpublish_source": ("/submissions/{world.submission}/unpublish", None, 401, 200, 403, 404, 404, 403),
    "delete_submission_files": ("/submissions/{world.submission}/files", None, 401, 400, 403, 404, 404, 403),
    "list_sources": ("/bots/long-ledger/sources", None, 200, 200, 200, 200, 200, 200),
    "list_runtimes": ("/runtimes", None, 200, 200, 200, 200, 200, 200),
    "store_weights": ("/weights", "one file", 401, 201, 403, 201, 201, 403),
    "list_weights": ("/weights", None, 401, 200, 403, 200, 200, 403),
    "list_exclusions": ("/bots/long-ledger/exclusions", None, 401, 200, 403, 404, 404, 403),
    "examine_version": ("/bots/long-ledger/exclusions/0/examination", None, 401, 404, 403, 404, 404, 403),
    "make_challenge": ("/challenges", {"seats": [SEAT, {**SEAT, "version": "2.1"}]}, 401, 201, 403, 409, 409, 409),
    "make_rematch": ("/matches/{world.finished}/rematch", None, 401, 404, 403, 404, 404, 404),
    "get_challenge": ("/challenges/{world.challenge}", None, 401, 200, 403, 404, 404, 200),
    "withdraw_challenge": ("/challenges/{world.challenge}", None, 401, 200, 403, 404, 404, 200),
    "list_challenges": ("/bots/long-ledger/challenges", None, 401, 200, 403, 404, 404, 403),
    "get_challenge_terms": ("/bots/long-ledger/challenge-terms", None, 401, 200, 403, 404, 404, 403),
    "set_challenge_terms": ("/bots/long-ledger/challenge-terms", {"accepts": "all"}, 401, 200, 403, 404, 404, 403),
    "start_comparison": ("/comparisons", COMPARISON, 401, 201, 403, 404, 404, 403),
    "get_comparison": ("/comparisons/{world.comparison}", None, 401, 200, 403, 404, 404, 403),
    "stop_comparison": ("/comparisons/{world.comparison}", None, 401, 200, 403, 404, 404, 403),
    "enter_event": ("/events/{world.draft}/entries/long-ledger", None, 401, 409, 403, 404, 409, 403),
    "enter_bots": ("/events/{world.draft}/entries", {"bots": ["long-ledger"]}, 401, 409, 403, 404, 409, 403),
    "leave_event": ("/events/{world.draft}/entries/long-ledger", None, 401, 404, 403, 404, 404, 403),
    "check_in": ("/events/{world.draft}/entries/long-ledger/check-in", None, 401, 404, 403, 404, 404, 403),
    "ask_to_enter": ("/events/{world.draft}/entries/long-ledger/request", None, 401, 409, 403, 404, 404, 403),
    "ask_no_more": ("/events/{world.draft}/entries/long-ledger/request", None, 401, 200, 403, 404, 404, 403),
    "list_comparisons": ("/bots/long-ledger/comparisons", None, 401, 200, 403, 404, 404, 403),
    "change_version": ("/bots/long-ledger/versions/2.1", {"note": "Faster."}, 401, 200, 403, 404, 404, 403),
    "list_versions": ("/bots/long-ledger/versions", None, 200, 200, 200, 200, 200, 200),
    "get_statistics": ("/bots/long-ledger/statistics", None, 200, 200, 200, 200, 200, 200),
    "get_status": ("/status", None, 200, 200, 200, 200, 200, 200),
    "get_tv": ("/tv", None, 200, 200, 200, 200, 200, 200),
    "list_ladders": ("/ladders", None, 200, 200, 200, 200, 200, 200),
    "get_ladder": ("/ladders/{world.ladder}", None, 200, 200, 200, 200, 200, 200),
    "list_matches": ("/matches?bot=long-ledger&rated=true", None, 200, 200, 200, 200, 200, 200),
    "get_match": ("/matches/{world.waiting}", None, 200, 200, 200, 200, 200, 200),
    "follow_match_data": ("/matches/{world.running}/live", None, 200, 200, 200, 200, 200, 200),
    "withdraw_release": ("/bots/long-ledger/releases/0.9", None, 401, 404, 403, 404, 404, 403),
    "get_replay": ("/matches/{world.finished}/replay", None, 200, 200, 200, 200, 200, 200),
    "get_frames": ("/matches/{world.finished}/frames", None, 200, 200, 200, 200, 200, 200),
    "get_position": ("/matches/{world.finished}/position?d=3", None, 200, 200, 200, 200, 200, 200),
    "get_proof": ("/matches/{world.running}/proof", None, 404, 404, 404, 404, 404, 404),
    "list_events": ("/events", None, 200, 200, 200, 200, 200, 200),
    "get_event": ("/events/{world.draft}", None, 404, 200, 404, 404, 200, 404),
    "get_event_document": ("/events/{world.draft}/document", None, 404, 200, 404, 404, 200, 404),
    "list_fairness_days": ("/fairness", None, 200, 200, 200, 200, 200, 200),
    "get_fairness_report": ("/fairness/2026-01-01", None, 404, 404, 404, 404, 404, 404),
    "get_game_statistics": ("/statistics", None, 404, 404, 404, 404, 404, 404),
    "list_people": ("/people", None, 200, 200, 200, 200, 200, 200),
    "list_records": ("/records?players=3", None, 200, 200, 200, 200, 200, 200),
    "list_rivals": ("/bots/long-ledger/against", None, 200, 200, 200, 200, 200, 200),
    "get_head_to_head": ("/bots/long-ledger/against/bot-1", None, 200, 200, 200, 200, 200, 200),
    "create_event": ("/events", TERMS, 401, 201, 403, 201, 201, 403),
    "get_event_terms": ("/events/{world.draft}/terms", None, 404, 200, 404, 404, 200, 404),
    "change_event": ("/events/{world.draft}/terms", TERMS, 401, 200, 403, 404, 200, 403),
    "publish_event": ("/events/{world.draft}/publish", None, 401, 202, 403, 404, 202, 403),
    "cancel_event": ("/events/{world.draft}/cancel", WHY, 401, 202, 403, 404, 202, 403),
    "freeze_event": ("/events/{world.draft}/freeze", None, 401, 409, 403, 404, 409, 403),
    "pause_event": ("/events/{world.draft}/pause", {}, 401, 409, 403, 404, 409, 403),
    "resume_event": ("/events/{world.draft}/resume", None, 401, 409, 403, 404, 409, 403),
    "archive_event": ("/events/{world.draft}/archive", None, 401, 409, 403, 404, 409, 403),
    "reveal_results": ("/events/{world.draft}/reveal", {"round": 1}, 401, 409, 403, 404, 409, 403),
    "withdraw_entrant": ("/events/{world.draft}/entrants/1/withdraw", WHY, 401, 409, 403, 404, 409, 403),
    "disqualify_entrant": ("/events/{world.draft}/entrants/1/disqualify", WHY, 401, 409, 403, 404, 409, 403),
    "play_again": ("/events/{world.draft}/again", {"round": 1, **WHY}, 401, 409, 403, 404, 409, 403),
    "rule_result": ("/events/{world.draft}/rule", RULING, 401, 409, 403, 404, 409, 403),
    "change_course": ("/events/{world.draft}/course", {"no_show_s": 60}, 401, 409, 403, 404, 409, 403),
    "tell_entrants": ("/events/{world.draft}/messages", {"text": "Hello."}, 401, 409, 403, 404, 409, 403),
    "invite_bot": ("/events/{world.draft}/invitations/long-ledger", None, 401, 200, 403, 404, 200, 403),
    "share_event": ("/events/{world.draft}/organisers/tariq", None, 401, 200, 403, 200, 200, 403),
    "unshare_event": ("/events/{world.draft}/organisers/tariq", None, 401, 200, 403, 404, 200, 403),
    "hand_over_event": ("/events/{world.draft}/organisers/tariq/hand-over", None, 401, 409, 403, 404, 409, 403),
    "stream_matches": ("/matches.ndjson", None, 200, 200, 200, 200, 200, 200),
    "get_overall_ladder": ("/ladders/all", None, 404, 404, 404, 404, 404, 404),
    "get_rating_history": ("/ladders/{world.ladder}/ratings/long-ledger", None, 200, 200, 200, 200, 200, 200),
    "get_think_times": ("/bots/long-ledger/think-times", None, 401, 200, 403, 404, 404, 403),
    "list_transcripts": ("/bots/long-ledger/transcripts", None, 401, 200, 403, 404, 404, 403),
    "get_transcript": ("/bots/long-ledger/transcripts/{world.finished}", None, 401, 200, 403, 404, 404, 403),
    "list_own_challenges": ("/account/challenges", None, 401, 200, 403, 200, 200, 403),
    "list_own_comparisons": ("/account/comparisons", None, 401, 200, 403, 200, 200, 403),
    "list_own_events": ("/account/events", None, 401, 200, 403, 200, 200, 403),
    "list_api_tokens": ("/account/tokens", None, 401, 200, 403, 200, 200, 403),
    "list_webhooks": ("/account/webhooks", None, 401, 200, 403, 200, 200, 403),
    "add_webhook": ("/account/webhooks", HOOK, 401, 201, 403, 201, 201, 403),
    "get_webhook": ("/account/webhooks/{world.webhook}", None, 401, 200, 403, 404, 404, 403),
    "change_webhook": ("/account/webhooks/{world.webhook}", {"on": False}, 401, 200, 403, 404, 404, 403),
    "remove_webhook": ("/account/webhooks/{world.webhook}", None, 401, 200, 403, 404, 404, 403),
    "roll_webhook_secret": ("/account/webhooks/{world.webhook}/secret", None, 401, 200, 403, 404, 404, 403),
    "test_webhook": ("/account/webhooks/{world.webhook}/test", None, 401, 200, 403, 404, 404, 403),
    "list_deliveries": ("/account/webhooks/{world.webhook}/deliveries", None, 401, 200, 403, 404, 404, 403),
    "send_again": (
        "/account/webhooks/{world.webhook}/deliveries/{world.delivery}/again",
        None,
        401,
        200,
        403,
        404,
        404,
        403,
    ),
    "list_own_bots": ("/account/bots", None, 401, 200, 403, 200, 200, 403),
    "list_notices": ("/account/notices", None, 401, 200, 403, 200, 200, 403),
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return dict(api.get_openapi_schema())


def operations(document: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        operation["operationId"]: (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/api/v1/")
    }


def test_the_table_names_every_route(document: dict[str, Any]) -> None:
    assert operations(document).keys() == ROUTES.keys()


@pytest.mark.parametrize("route", ROUTES)
def test_who_may_do_what(world: World, document: dict[str, Any], route: str) -> None:
    method, _, operation = operations(document)[route]
    path, body, *expected = ROUTES[route]
    path = path.format(world=world)
    for (who, caller), status in zip(callers(world).items(), expected, strict=True):
        answer = caller.call(method, path, body, Idempotency_Key=f"{route}-{who}")
        assert answer.status_code == status, (who, answer.content)
        if status < 300:
            ((kind, content),) = operation["responses"][status]["content"].items()
            assert answer["Content-Type"].partition(";")[0] == kind
            if kind == "text/event-stream":
                continue  # `test_feeds`
            documents = (
                [answer.json()] if kind == "application/json" else map(json.loads, answer.getvalue().splitlines())
            )
            for one in documents:
                jsonschema.validate(one, {**content["schema"], "components": document["components"]})


def test_the_document_says_what_every_route_needs(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    for name, (method, _, operation) in operations(document).items():
        assert operation["summary"], name
        assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}
        needed = [scope for option in operation["security"] for scope in option.get("token", [])]
        assert set(needed) <= {*API_SCOPES, *BOT_SCOPES}
        assert needed or method == "get", f"{name}: a write needs a scope"
    assert Api().get("/openapi.json").json() == json.loads(json.dumps(document))


def test_the_document_of_the_pages_is_current_and_breaks_no_client_of_the_last_release() -> None:
    assert faults(generate()) == []
