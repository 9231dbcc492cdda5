"""Threads and connections to the database that visitors can take: a bounded number, and none while a page is sent."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from webui.asgi import application
from webui.fair_queue import Busy, Turns
from webui.threads import PageThreads

VISITORS = 12
PAGES = 3


def page(path: str = "/docs/rules/") -> dict[str, Any]:
    return {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost")], "query_string": b""}


class Visitor:
    """Who asks for a page, and takes it when `takes` is set."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: dict[bytes, bytes] = {}
        self.takes = asyncio.Event()
        self._said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._said.put_nowait({"type": "http.request", "body": b""})
        self.visit = asyncio.create_task(application(page(), self._said.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
            await self.takes.wait()

    async def is_answered(self) -> None:
        """Wait for the first byte."""
        while self.status is None:
            assert not self.visit.done()
            await asyncio.sleep(0.01)

    async def leave(self) -> None:
        """Without the page."""
        self._said.put_nowait({"type": "http.disconnect"})
        await self.visit


@pytest.mark.django_db(transaction=True)
def test_who_takes_a_page_slowly_holds_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.asgi.PageThreads", partial(PageThreads, PAGES))
    opened: list[Any] = []
    create = connections.create_connection
    monkeypatch.setattr(connections, "create_connection", lambda alias: opened.append(create(alias)) or opened[-1])

    async def visit() -> None:
        before = set(threading.enumerate())
        slow = [Visitor() for _ in range(VISITORS)]
        async with asyncio.timeout(120):
            for one in slow:
                await one.is_answered()
            quick = Visitor()
            quick.takes.set()
            await quick.visit
        assert {one.status for one in [*slow, quick]} == {200}
        pages = {thread for thread in set(threading.enumerate()) - before if thread.name.startswith("page-")}
        assert 1 <= len(pages) <= PAGES and len(opened) <= PAGES + 1, "one is for what follows every page"
        for one in slow[::2]:
            await one.leave()
        for one in slow[1::2]:
            one.takes.set()
            await one.visit

    asyncio.run(visit())


@pytest.mark.django_db(transaction=True)
def test_a_visitor_whom_no_thread_becomes_free_for_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.threads.PATIENCE_S", 0.01)
    monkeypatch.setattr("webui.asgi.PageThreads", partial(PageThreads, 0))

    async def visit() -> None:
        visitor = Visitor()
        visitor.takes.set()
        await visitor.visit
        assert (visitor.status, visitor.headers[b"Retry-After"]) == (503, b"10")

    asyncio.run(visit())


def test_a_thread_is_free_again_when_it_is_idle_whoever_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.threads.PATIENCE_S", 0.05)
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait()

    async def visit() -> None:
        threads = PageThreads(1)

        async def take() -> None:
            async with threads.thread_for("one"):
                await sync_to_async(work)()

        left = asyncio.create_task(take())
        await asyncio.to_thread(begun.wait)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        with pytest.raises(Busy):
            await take()
        go_on.set()
        monkeypatch.setattr("webui.threads.PATIENCE_S", 60.0)
        await take()

    asyncio.run(visit())


def test_nobody_waits_behind_all_that_another_address_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.threads.PAGES_PER_ADDRESS", 3)

    async def visit() -> list[str]:
        threads, leave = PageThreads(3), asyncio.Semaphore(0)
        came: asyncio.Queue[str] = asyncio.Queue()

        async def ask(address: str) -> None:
            async with threads.thread_for(address):
                came.put_nowait(address)
                await leave.acquire()

        async with asyncio.timeout(60), asyncio.TaskGroup() as visitors:
            for address in ["greedy"] * 5:
                visitors.create_task(ask(address))
            order = [await came.get() for _ in range(3)]
            gone = visitors.create_task(ask("gone"))
            for address in ("first", "second"):
                visitors.create_task(ask(address))
            await asyncio.sleep(0)  # all of them wait
            gone.cancel()
            for _ in range(4):
                leave.release()  # one of those who came first leaves
                order.append(await came.get())
            for _ in range(3):
                leave.release()
        async with (
            threads.thread_for("they are all free again"),
            threads.thread_for("two"),
            threads.thread_for("three"),
        ):
            return order

    assert asyncio.run(visit()) == [*["greedy"] * 3, "first", "second", *["greedy"] * 2]


def test_one_address_leaves_threads_to_others() -> None:
    turns = Turns(range(5), most_held=3)
    greedy = [turns.ask("greedy") for _ in range(6)]
    assert [turn.done() for turn in greedy] == [True] * 3 + [False] * 3
    others = [turns.ask(address) for address in ("one", "two", "three")]
    assert [turn.done() for turn in others] == [True, True, False]
    turns.give_back(greedy[0].result(), "greedy")
    assert others[2].done() and not greedy[3].done(), "who holds least comes first"
    turns.give_back(others[0].result(), "one")
    assert greedy[3].done() and not greedy[4].done()
    turns.give_back(others[1].result(), "two")
    assert not greedy[4].done(), "a thread is free, and this address has its share"
    assert turns.ask("four").done()
    for turn, following in ((greedy[1], greedy[4]), (greedy[2], greedy[5])):
        turns.give_back(turn.result(), "greedy")
        assert following.done()
