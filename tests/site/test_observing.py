"""Ids of requests, what is counted of them, and their traces."""

from __future__ import annotations

import json
from typing import Any

import pytest
import structlog
from django.test import Client
from structlog.contextvars import get_contextvars
from structlog.stdlib import ProcessorFormatter
from structlog.testing import LogCapture

from arena.host import tracing
from arena.host.logs import SCOPE_KEY, is_request_id, logging_config
from arena.host.sockets import Proxies
from tests.site.world import World, text
from webui.bots.models import BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges.values import WantedSeat
from webui.commands.connections import with_request_ids
from webui.core import observing
from webui.matches import queries as match_queries

pytestmark = pytest.mark.django_db


async def seen_by_the_site(client: str, *names: bytes) -> str | None:
    """The id of a request with these headers X-Request-ID."""
    found: list[str | None] = []

    async def site(scope: Any, receive: Any, send: Any) -> None:
        found.append(scope.get(SCOPE_KEY))

    headers = [(b"host", b"testserver"), *((b"x-request-id", name) for name in names)]
    scope = {"type": "http", "client": (client, 4711), "headers": headers}
    await with_request_ids(site, Proxies(["127.0.0.1", "10.0.0.0/8"]))(scope, None, None)
    return found[0]


async def test_a_proxy_names_requests_and_nobody_else() -> None:
    assert await seen_by_the_site("127.0.0.1", b"edge-0042.abcdef") == "edge-0042.abcdef"
    assert await seen_by_the_site("10.2.3.4", b"edge-0042.abcdef") == "edge-0042.abcdef"
    assert await seen_by_the_site("203.0.113.7", b"edge-0042.abcdef") is None
    assert await seen_by_the_site("127.0.0.1") is None
    for odd in (b"short", b"x" * 65, b"two words here", b"line\nbreak!", "ünïcode-ünïcode".encode(), b'{"a":"quote"}'):
        assert await seen_by_the_site("127.0.0.1", odd) is None


def test_a_request_without_a_name_gets_one_that_its_answer_tells() -> None:
    first, second = (Client().get("/docs/", headers={"X-Request-ID": "forged-0042"})["X-Request-ID"] for _ in range(2))
    assert first != second and "forged-0042" not in (first, second)
    assert is_request_id(first) and len(first) == 16
    assert Client().get("/nope/")["X-Request-ID"], "whatever the answer is"


def test_what_is_logged_for_a_request_has_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[dict[str, Any]] = []
    monkeypatch.setattr(match_queries, "arena_counts", lambda: bound.append(get_contextvars()) or 1 / 0)
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert [one["request"] for one in bound] == [answer["X-Request-ID"]]
    assert "request" not in get_contextvars(), "and not what is logged after it"


def test_what_django_logs_of_a_request_has_its_id(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its own lines of errors, which have the request itself by that name."""
    formatter = {**logging_config("json", "INFO")["formatters"]["arena"]}
    del formatter["()"]
    monkeypatch.setattr(match_queries, "arena_counts", lambda: 1 / 0)
    for path, status in (("/", 500), ("/nope/", 404)):
        caplog.clear()
        answer = Client(raise_request_exception=False).get(path)
        assert answer.status_code == status
        (record,) = [one for one in caplog.records if one.name == "django.request"]
        line = json.loads(ProcessorFormatter(**formatter).format(record))
        assert line["request"] == answer["X-Request-ID"] and path in line["event"]


def test_requests_are_counted_by_kind_and_status() -> None:
    def counts(kind: str, status: str) -> float:
        return float(observing.ANSWERS.labels(kind, status)._value.get())

    before = counts("page", "2xx"), counts("page", "4xx"), counts("api", "2xx")
    Client().get("/bots/")
    Client().get("/bots/nope/")
    Client().get("/api/v1/bots")
    assert (counts("page", "2xx"), counts("page", "4xx"), counts("api", "2xx")) == tuple(one + 1 for one in before)
    timed = {one.labels["kind"] for family in observing.REQUESTS.collect() for one in family.samples}
    assert {"page", "api"} <= timed <= {"page", "api", "file"}


def test_a_request_that_names_a_match_is_in_its_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[dict[str, Any]] = []
    monkeypatch.setattr(tracing, "is_on", True)
    monkeypatch.setattr(tracing, "record", lambda name, *times, **facts: recorded.append({"name": name, **facts}))
    Client().get(f"/matches/{world.finished}/?d=3")
    Client().get("/bots/")
    (match, bots) = recorded
    assert match["match"] == world.finished and match["name"] == "GET matches/<slug:match_id>/"
    assert bots["match"] == "" and bots["name"] == "GET bots/"
    assert match["attributes"]["http.response.status_code"] == 200 and "d=3" not in str(match)


def test_the_transcript_names_the_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"/account/bots/long-ledger/matches/{world.finished}/"
    trace = tracing.trace_id(world.finished)
    assert trace not in text(world.client("owner").get(page))
    monkeypatch.setattr(tracing, "is_on", True)
    monkeypatch.setattr(tracing, "record", lambda *_, **__: None)
    assert f"Trace <code>{trace}</code>" in text(world.client("owner").get(page))


def test_a_challenge_is_named_in_the_log_as_its_match_will_be(
    world: World, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    challenge_actions.withdraw_challenge(world.challenge, world.owner)
    versions = BotVersion.objects.filter(bot=world.bot).order_by("-pk").values_list("pk", flat=True)
    seats = [WantedSeat(world.bot, version) for version in versions[:2]]
    # Whatever other tests made of the process's log: this one goes by itself.
    capture = LogCapture()
    monkeypatch.setattr(challenge_actions, "log", structlog.wrap_logger(None, processors=[capture]))
    with django_capture_on_commit_callbacks(execute=True):
        challenge = challenge_actions.challenge(world.owner, seats)
    assert [line["match"] for line in capture.entries if line["event"] == "challenge_made"] == [challenge]
