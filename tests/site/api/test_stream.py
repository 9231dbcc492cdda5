"""The stream of all finished matches."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.host.limiters import Slots
from tests.kit.databases import POSTGRES
from tests.kit.ladder import Kit
from tests.site.api.calling import Api, code, with_token
from tests.site.world import World
from webui.api import lists
from webui.events.models import EventMatch, EventRow
from webui.matches.models import Match
from webui.matches.queries import finished_matches
from webui.replays import stream_api

pytestmark = pytest.mark.django_db
DATABASES = ["sqlite", POSTGRES]
SCOPE: dict[str, Any] = {
    "type": "http", "method": "GET", "path": "/api/v1/matches.ndjson", "query_string": b"", "headers": [],
    "client": ("203.0.113.7", 1), "http_version": "1.1", "scheme": "http", "server": ("testserver", 80),
}  # fmt: skip


def ended(kit: Kit, count: int) -> list[str]:
    """Matches that have ended one after the other, two of them at the same time, an hour ago."""
    found = [kit.finish().match_id for _ in range(count)]
    hour_ago = timezone.now().replace(second=0, microsecond=0) - timedelta(hours=1)
    for number, match in enumerate(found):
        at = hour_ago + timedelta(minutes=min(number, count - 2))
        Match.objects.filter(pk=match).update(finished_at=at)
    return [*found[:-2], *sorted(found[-2:])]


def read(cursor: str = "", api: Api | None = None) -> list[dict[str, Any]]:
    answer = (api or Api()).get("/matches.ndjson" + (cursor and f"?cursor={cursor}"))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    assert answer["RateLimit"] and not answer.has_header("ETag")
    return [json.loads(line) for line in answer.getvalue().splitlines()]


@pytest.mark.parametrize("batch", [2, 5, 6])
def test_each_match_once_in_the_order_of_the_ends(kit: Kit, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(stream_api, "BATCH", batch)
    order = ended(kit, 5)
    lines, listed = read(), Api().get("/matches").json()["items"]
    assert [line["id"] for line in lines] == order
    with CaptureQueriesContext(connection) as made:
        assert Api().call("head", "/matches.ndjson").status_code == 200
        assert code(Api().get(f"/matches.ndjson?cursor={lists.cursor('nothing')}")) == "BAD_REQUEST"
    assert not [query["sql"] for query in made if "matches_participant" in query["sql"]], "no match was read"
    for number, line in enumerate(lines, 1):
        assert [rest["id"] for rest in read(line["cursor"])] == order[number:]
        assert {name: value for name, value in line.items() if name != "cursor"} in listed


def test_what_is_hidden_or_has_just_ended_is_not_in_it(world: World, kit: Kit) -> None:
    Match.objects.filter(pk=world.finished).update(finished_at=timezone.now())
    assert read() == [], "what has just ended may not be the last yet"
    first, second, _ = ended(kit, 3)
    row = EventRow.objects.get(slug=world.draft)
    EventRow.objects.filter(pk=row.pk).update(hidden=True, state="running")
    EventMatch.objects.create(event=row, match_id=first, round=1, table=1, game=1, attempt=1, tries=1)
    for api in (Api(), with_token(world.owner), with_token(world.staff)):
        shown = [line["id"] for line in read(api=api)]
        assert first not in shown and second in shown and world.finished not in shown
    for cursor in ("x", "MQ", lists.cursor(world.running), lists.cursor("nothing"), lists.cursor(first)):
        assert code(Api().get(f"/matches.ndjson?cursor={cursor}")) == "BAD_REQUEST"


def test_a_batch_is_read_in_the_order_of_an_index(kit: Kit, database: str) -> None:
    order = ended(kit, 3)
    if database == "postgres":  # whose planner sorts a small table
        with connection.cursor() as db:
            for way in ("seqscan", "bitmapscan", "sort", "incremental_sort"):
                db.execute(f"SET LOCAL enable_{way} = off")
    asked: list[tuple[str, Any]] = []

    def noted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "finished_at" in sql and "ORDER BY" in sql:
            asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(noted):
        assert [line.id for line in finished_matches(2)] == order[:2]
        assert [line.id for line in finished_matches(2, after=order[0])] == order[1:]
    assert len(asked) == 2
    for sql, params in asked:
        with connection.cursor() as db:
            db.execute(("EXPLAIN QUERY PLAN " if database == "sqlite" else "EXPLAIN ") + sql, params)
            plan = "\n".join(str(row[-1]) for row in db.fetchall())
        assert "match_by_state_and_finish" in plan and "TEMP B-TREE" not in plan and "Sort" not in plan, plan


def test_pieces_of_a_batch_are_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_api, "PIECE", 4)
    assert list(stream_api._pieces(b"a\nb\nc\nlonger\nd\n")) == [b"a\nb\nc\n", b"longer\n", b"d\n"]
    assert list(stream_api._pieces(b"")) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("longest_s", "shortest_s", "places", "batches"),
    [(120.0, 0.0, 2, [2, 2, 1]), (0.0, 0.0, 2, [2]), (120.0, 120.0, 1, [2, 2, 1]), (120.0, 0.0, 1, [2])],
)
def test_over_the_server_a_stream_is_sent_batch_by_batch_for_so_long(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, longest_s: float, shortest_s: float, places: int, batches: list[int]
) -> None:
    """A shorter time where all places are taken, as by this stream alone where there is one."""
    from webui.asgi import application

    monkeypatch.setattr(stream_api, "BATCH", 2)
    monkeypatch.setattr(stream_api, "LONGEST_S", longest_s)
    monkeypatch.setattr(stream_api, "SHORTEST_S", shortest_s)
    monkeypatch.setattr(stream_api, "_threads", ThreadPoolExecutor(1))  # whose threads know of no other database
    monkeypatch.setattr(stream_api, "slots", Slots(places, places))
    order = ended(kit, 5)
    scope = dict(SCOPE)
    sent: list[dict[str, Any]] = []

    async def ask() -> None:
        messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in messages:
                return message
            await asyncio.Event().wait()  # the reader stays
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await application(scope, receive, send)

    asyncio.run(ask())
    bodies = [message["body"] for message in sent if message.get("body")]
    assert [len(body.splitlines()) for body in bodies] == batches
    assert [json.loads(line)["id"] for body in bodies for line in body.splitlines()] == order[: sum(batches)]
    sent.clear()
    scope["method"] = "HEAD"
    asyncio.run(ask())
    assert sent[0]["status"] == 200 and not any(message.get("body") for message in sent)
    address, scope["method"] = "203.0.113.7", "GET"
    monkeypatch.setattr(stream_api, "_batch", None)
    with ExitStack() as held:
        free = [held.enter_context(stream_api.slots.take(address)) for _ in range(places)]
        assert all(free), "that of the first stream was given back"
        sent.clear()
        asyncio.run(ask())
    assert sent[0]["status"] == 429 and json.loads(sent[1]["body"])["code"] == "TOO_MANY_REQUESTS"


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_takes_nothing_keeps_no_place(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    from webui.asgi import application

    monkeypatch.setattr(stream_api, "BATCH", 2)
    monkeypatch.setattr(stream_api, "SHORTEST_S", 0.0)
    monkeypatch.setattr(stream_api, "LOOK_EVERY_S", 0.01)
    monkeypatch.setattr(stream_api, "_threads", ThreadPoolExecutor(1))  # whose threads know of no other database
    monkeypatch.setattr(stream_api, "slots", Slots(1, 1))
    ended(kit, 5)
    bodies: list[bytes] = []

    async def ask() -> None:
        stalled, goes_on = asyncio.Event(), asyncio.Event()
        messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in messages:
                return message
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            if message.get("body"):
                bodies.append(message["body"])
                stalled.set()
                await goes_on.wait()

        asked = asyncio.create_task(application(SCOPE, receive, send))
        async with asyncio.timeout(120):
            await stalled.wait()
            while stream_api.slots.are_all_taken:
                await asyncio.sleep(0.01)
            with stream_api.slots.take("203.0.113.8") as is_free:
                assert is_free
            goes_on.set()
            await asked

    asyncio.run(ask())
    assert [len(body.splitlines()) for body in bodies] == [2], "its stream ends as soon as it takes something"
    assert not stream_api.slots._taken
