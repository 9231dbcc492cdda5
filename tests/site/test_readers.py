"""What a reader of a live match costs while it stays."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import connections
from django.http import HttpResponseBase, StreamingHttpResponse

from arena.host.sockets import network_of
from tests.kit.ladder import Kit
from webui.asgi import application
from webui.core import feeds as core_feeds
from webui.core import streams
from webui.core.feeds import BEAT, CROWD, FEW, RESERVE_SHARE, Reader, ReaderSlots, feeds, most_live_readers
from webui.matches import ownership
from webui.matches import queries as match_queries
from webui.replays.live import MatchFeed

SHARED = min(32, (os.cpu_count() or 1) + 4) + 1
"""The threads of asyncio, and the one for what Django does in order."""
READERS = SHARED + 20


def stream_of(match_id: str) -> dict[str, Any]:
    path = f"/matches/{match_id}/live"
    return {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost")], "query_string": b""}


@pytest.mark.django_db(transaction=True)
def test_a_reader_holds_no_thread_and_no_connection_to_the_database(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = kit.match()
    ownership.claim_match(match_id, "worker", 60)
    opened: list[Any] = []
    create = connections.create_connection

    def noted(alias: str) -> Any:
        opened.append(create(alias))
        return opened[-1]

    monkeypatch.setattr(connections, "create_connection", noted)
    scope = stream_of(match_id)

    before = set(threading.enumerate())

    async def read() -> None:
        clients = [(f"8.8.8.{number}", 7) for number in range(READERS)]
        readers = [ApplicationCommunicator(application, scope | {"client": client}) for client in clients]
        threads: set[threading.Thread] = set()
        for reader in readers:
            await reader.send_input({"type": "http.request", "body": b""})
            assert (await reader.receive_output(120))["status"] == 200
            assert b"retry" in (await reader.receive_output(120))["body"]
            threads |= {thread for thread in threading.enumerate() if "ThreadPool" in thread.name} - before
        assert len(threads) <= SHARED, "however many readers there are"
        held = [connection for connection in opened if connection.connection is not None]
        assert len(held) <= 1, "that of the feed, which reads for all of them"
        for reader in readers:
            await reader.send_input({"type": "http.disconnect"})
            await reader.wait(120)

    asyncio.run(read())


@pytest.mark.django_db(transaction=True)
def test_a_burst_of_readers_does_not_get_past_the_limit(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    scope = stream_of(kit.match()) | {"client": ("8.8.8.8", 7)}
    monkeypatch.setattr(streams, "live_slots", ReaderSlots(8 * 20))
    many = 20 + 5

    async def ask() -> list[int]:
        readers = [ApplicationCommunicator(application, scope) for _ in range(many)]
        for reader in readers:
            await reader.send_input({"type": "http.request", "body": b""})
        answers = [(await reader.receive_output(120))["status"] for reader in readers]
        for reader in readers:
            await reader.send_input({"type": "http.disconnect"})
            await reader.wait(120)
        return answers

    assert Counter(asyncio.run(ask())) == {200: many - 5, 429: 5}
    assert not streams.live_slots.taken


def test_readers_of_one_page_are_a_crowd_and_many_pages_are_not() -> None:
    slots = ReaderSlots(in_all=800, pages_per_address=3)
    with ExitStack() as held:

        def read(address: str, page: str) -> bool:
            return held.enter_context(slots.take(address, page))

        assert all(read("school", "match") for _ in range(97)), "one class and the next ones"
        assert [read("school", page) for page in ("b", "c", "d")] == [True, True, False]
        assert read("school", "match") and not read("school", "match"), "an eighth of all slots, as these are few"
        assert read("other", "match")
        assert slots.taken == 101
    assert slots.taken == 0 and not slots._readers
    with slots.take("school", "d") as is_free:
        assert is_free


def test_few_customers_cannot_take_all_slots() -> None:
    slots = ReaderSlots(most_live_readers(10_000))
    neighbours = [network_of(f"2001:db8:7:{number:x}::1") for number in range(256)]
    with ExitStack() as held:

        def read(address: str, page: str) -> bool:
            return held.enter_context(slots.take(address, page))

        for address in neighbours:
            for page in "abcd":
                read(address, page)
        assert slots.taken == CROWD, "the networks of one /48 count together"
        assert all(read("2001:db8:8::/64", "match") for _ in range(120)), "a school"
        for number in range(8):
            while read(f"8.8.8.{number}", "match"):
                pass
        assert slots.taken < 6_000 // 3, "eight addresses leave most slots to others"
        assert read("8.8.4.4", "match")
    assert slots.taken == 0


def test_eight_addresses_leave_slots_to_others_in_a_process_with_few_files() -> None:
    in_all = most_live_readers(1024)
    slots = ReaderSlots(in_all)
    with ExitStack() as held:

        def read(address: str) -> bool:
            return held.enter_context(slots.take(address, "match"))

        for number in range(8):
            while read(f"8.8.8.{number}"):
                pass
        assert slots.taken < in_all - in_all // RESERVE_SHARE + 8 * FEW
        for number in range(30):
            assert [read(f"8.8.4.{number}") for _ in range(FEW + 1)] == [True] * FEW + [False]
        assert not slots.are_all_taken
    assert slots.taken == 0


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_leaves_in_the_middle_of_an_event_holds_nothing(kit: Kit) -> None:
    scope = stream_of(kit.match()) | {"client": ("8.8.8.8", 7)}
    answered: list[HttpResponseBase] = []

    async def read_half_an_event() -> None:
        left, is_sending = asyncio.Event(), asyncio.Event()
        messages = iter([{"type": "http.request", "body": b""}])

        async def receive() -> dict[str, Any]:
            for message in messages:
                return message
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if b"watching" in message.get("body", b""):
                is_sending.set()
                await asyncio.Event().wait()  # the reader's buffers are full

        request = asyncio.create_task(application(scope, receive, send))
        await asyncio.wait_for(is_sending.wait(), 30)
        assert core_feeds.live_slots.taken == 1
        left.set()
        await request
        assert not core_feeds.live_slots.taken
        assert not feeds._feeds

    original = StreamingHttpResponse.__init__

    def kept(response: StreamingHttpResponse, *arguments: Any, **more: Any) -> None:
        """As where a cycle of references holds it: the garbage collector comes when it comes."""
        answered.append(response)
        original(response, *arguments, **more)

    with patch.object(StreamingHttpResponse, "__init__", kept):
        asyncio.run(read_half_an_event())
    assert len(answered) == 1


@pytest.mark.django_db(transaction=True)
def test_a_reader_who_leaves_while_something_happens_is_gone(kit: Kit) -> None:
    line = match_queries.match_page(kit.match()).line

    async def leave(ticks: int) -> None:
        feed, taken = MatchFeed(line, "en"), list[bytes]()

        async def take(message: dict[str, Any]) -> None:
            await asyncio.sleep(0)
            taken.append(message["body"])

        reader = Reader(feed.events(-1), take)
        feed.join(reader)
        feed.tell(BEAT)
        for _ in range(ticks):
            await asyncio.sleep(0)
        feed.leave(reader)
        await reader.leave()
        before = len(taken)
        feed.tell(BEAT)
        reader.wake(BEAT)
        for _ in range(6):
            await asyncio.sleep(0)
        assert len(taken) == before, f"it left {ticks} turns of the loop after the event"
        assert before == (ticks > 1)

    for ticks in range(6):
        asyncio.run(leave(ticks))
