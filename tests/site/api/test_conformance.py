"""The API does what its OpenAPI document says, whatever is asked: requests that Schemathesis makes of the document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from typing import Any, Final

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from tests.kit.openapi import DOCUMENT
from tests.site.api.calling import callers
from tests.site.world import World
from webui.api.limits import counts

pytestmark = pytest.mark.django_db
OPERATIONS: Final[dict[str, dict[str, Any]]] = {
    operation["operationId"]: {**operation, "method": method}
    for path, methods in json.loads(DOCUMENT.read_text())["paths"].items()
    for method, operation in methods.items()
    if path.startswith("/api/v1/")
}
READS: Final = [name for name, operation in OPERATIONS.items() if operation["method"] == "get"]
WRONG: Final = [
    name
    for name, operation in OPERATIONS.items()
    if "requestBody" in operation
    or any(one["in"] == "query" or "format" in one["schema"] for one in operation["parameters"] if "in" in one)
]
"""Those that can be asked for wrongly: any text may be the name of a bot."""
CHECKS: Final[list[Any]] = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
Ask = Callable[[str, Sequence[str], GenerationMode, int], None]


@pytest.fixture(scope="module")
def schema() -> Iterator[Any]:
    """The document, and the site that it is about, which leaves the connection with the test's transaction open."""
    config = schemathesis.Config.from_dict({"generation": {"allow-extra-parameters": False}})
    found = schemathesis.openapi.from_dict(json.loads(DOCUMENT.read_text()), config=config)
    found.app = get_wsgi_application()
    ends = (request_started, request_finished)
    for end in ends:
        end.disconnect(close_old_connections)
    yield found
    for end in ends:
        end.connect(close_old_connections)


@pytest.fixture
def ask(world: World, schema: Any) -> Ask:
    """Ask for an operation in so many ways, as each of these callers in turn; every second time for what is there."""
    known: dict[str, Iterator[Any]] = {
        name: cycle(values)
        for name, values in {
            "slug": ["long-ledger", world.ladder, world.draft],
            "bot": ["long-ledger"],
            "match_id": [world.finished, world.running, world.waiting, world.aborted],
            "challenge_id": [world.challenge],
            "comparison_id": [world.comparison],
            "token_id": [world.token.token_id],
            "webhook_id": [world.webhook],
            "delivery_id": [world.delivery],
        }.items()
    }
    who_calls = callers(world)

    def run(name: str, who: Sequence[str], mode: GenerationMode, examples: int) -> None:
        operation = schema.find_operation_by_id(name)
        turns = cycle(product((True, False), who))

        @seed(1)
        @settings(
            max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )  # fmt: skip
        @given(case=operation.as_strategy(mode))
        def check(case: Any) -> None:
            is_there, asking = next(turns)
            if is_there:
                found = {part: next(known[part]) for part in case.path_parameters if part in known}
                if mode is GenerationMode.NEGATIVE:  # what is wrong may be a number; any text may be a name
                    found = {part: value for part, value in found.items() if isinstance(value, str)}
                case.path_parameters |= found
            counts.clear()
            token = who_calls[asking].token
            headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
            case.validate_response(case.call(headers=headers), checks=CHECKS)

        check()

    return run


@pytest.mark.parametrize("name", READS)
def test_reads_conform(ask: Ask, name: str) -> None:
    ask(name, ["owner", "stranger"], GenerationMode.POSITIVE, 4)
    if name in WRONG:
        ask(name, ["owner", "stranger"], GenerationMode.NEGATIVE, 3)


@pytest.mark.soak
@pytest.mark.parametrize("name", OPERATIONS)
def test_all_routes_conform(ask: Ask, name: str) -> None:
    ask(name, ["owner", "stranger", "owner", "staff", "owner", "bot", "other"], GenerationMode.POSITIVE, 400)
    if name in WRONG:
        ask(name, ["owner", "staff"], GenerationMode.NEGATIVE, 200)
