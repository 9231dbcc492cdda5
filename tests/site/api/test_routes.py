"""Every route of the API, for everybody who may call: a table."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.kit.openapi import faults, generate
from tests.site.api.calling import Api, callers
from tests.site.world import World
from webui.api.api import api
from webui.ladder.tokens import API_SCOPES, BOT_SCOPES

pytestmark = pytest.mark.django_db

Row = tuple[str, Any, int, int, int, int, int, int]
SEAT = {"bot": "Long Ledger", "version": "2.2"}
COMPARISON = {"new": SEAT, "old": {**SEAT, "version": "2.1"}, "game": {"players": 2}}
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
    "enter_event": ("/events/{world.draft}/entries/long-ledger", None, 401, 400, 403, 404, 400, 403),
    "leave_event": ("/events/{world.draft}/entries/long-ledger", None, 401, 404, 403, 404, 404, 403),
    "check_in": ("/events/{world.draft}/entries/long-ledger/check-in", None, 401, 404, 403, 404, 404, 403),
    "ask_to_enter": ("/events/{world.draft}/entries/long-ledger/request", None, 401, 409, 403, 404, 404, 403),
    "ask_no_more": ("/events/{world.draft}/entries/long-ledger/request", None, 401, 200, 403, 404, 404, 403),
    "list_comparisons": ("/bots/long-ledger/comparisons", None, 401, 200, 403, 404, 404, 403),
    "list_versions": ("/bots/long-ledger/versions", None, 200, 200, 200, 200, 200, 200),
    "get_statistics": ("/bots/long-ledger/statistics", None, 200, 200, 200, 200, 200, 200),
    "list_ladders": ("/ladders", None, 200, 200, 200, 200, 200, 200),
    "get_ladder": ("/ladders/{world.ladder}", None, 200, 200, 200, 200, 200, 200),
    "list_matches": ("/matches?bot=long-ledger&rated=true", None, 200, 200, 200, 200, 200, 200),
    "get_match": ("/matches/{world.waiting}", None, 200, 200, 200, 200, 200, 200),
    "get_replay": ("/matches/{world.finished}/replay", None, 200, 200, 200, 200, 200, 200),
    "get_frames": ("/matches/{world.finished}/frames", None, 200, 200, 200, 200, 200, 200),
    "get_position": ("/matches/{world.finished}/position?d=3", None, 200, 200, 200, 200, 200, 200),
    "get_proof": ("/matches/{world.running}/proof", None, 404, 404, 404, 404, 404, 404),
    "list_events": ("/events", None, 200, 200, 200, 200, 200, 200),
    "get_event": ("/events/{world.draft}", None, 404, 200, 404, 404, 200, 404),
    "get_event_document": ("/events/{world.draft}/document", None, 404, 200, 404, 404, 200, 404),
    "list_fairness_days": ("/fairness", None, 200, 200, 200, 200, 200, 200),
    "get_fairness_report": ("/fairness/2026-01-01", None, 404, 404, 404, 404, 404, 404),
    "list_own_bots": ("/account/bots", None, 401, 200, 403, 200, 200, 403),
    "list_notices": ("/account/notices", None, 401, 200, 403, 200, 200, 403),
}


@pytest.fixture(scope="module")
def world(shared_world: World) -> World:
    """One for all tests here: what a test changes is rolled back."""
    return shared_world


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return dict(api.get_openapi_schema())


def operations(document: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        operation["operationId"]: (method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
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
            schema = operation["responses"][status]["content"]["application/json"]["schema"]
            jsonschema.validate(answer.json(), {**schema, "components": document["components"]})


def test_the_document_says_what_every_route_needs(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    for name, (method, path, operation) in operations(document).items():
        assert path.startswith("/api/v1/") and operation["summary"], name
        assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}
        needed = [scope for option in operation["security"] for scope in option.get("token", [])]
        assert set(needed) <= {*API_SCOPES, *BOT_SCOPES}
        assert needed or method == "get", f"{name}: a write needs a scope"
    assert Api().get("/openapi.json").json() == json.loads(json.dumps(document))


def test_the_document_of_the_pages_is_current_and_breaks_no_client_of_the_last_release() -> None:
    assert faults(generate()) == []
