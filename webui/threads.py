"""Threads for the synchronous parts of requests: a few that stay, each with its database connection.

Django by itself makes a thread for each request, and a connection of its own for each of them: as many as visitors ask
for at the same time, and with some left over. Here a request waits for a free thread before its page is made, and gives
it back before it is sent: whoever takes the page slowly keeps no thread. A thread that becomes free goes to the address
that has the fewest, so that no visitor waits behind all that another one asks for.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import close_old_connections

PAGES_AT_ONCE: Final = 16
"""Pages that are made at the same time, and connections to the database: a process of PostgreSQL each, of 100 that it
has for all. More would only share the same processor."""
PATIENCE_S: Final = 15.0
"""How long a request waits for a thread."""


class Busy(Exception):
    """No thread has become free in time."""


class PageThreads:
    """Executors of one thread each, of one event loop."""

    def __init__(self, threads: int = PAGES_AT_ONCE) -> None:
        self._free = [ThreadPoolExecutor(1, f"page-{number}") for number in range(threads)]
        """The last one is the warmest."""
        self._waiting: dict[asyncio.Future[ThreadPoolExecutor], str] = {}
        """Requests without a thread, by their addresses; who has waited longest comes first. None while one is free."""
        self._held: Counter[str] = Counter()
        """How many threads each address has."""

    @asynccontextmanager
    async def one(self, address: str) -> AsyncIterator[None]:
        """All synchronous code of this context runs in one thread. `Busy`. `address`: of the visitor."""
        thread = await self._take(address)
        try:
            async with ThreadSensitiveContext(executor=thread):
                await sync_to_async(close_old_connections)()  # looks whether this thread's still works
                yield
        finally:
            self._give_back(thread, address)

    async def _take(self, address: str) -> ThreadPoolExecutor:
        if self._free:
            self._held[address] += 1
            return self._free.pop()
        turn: asyncio.Future[ThreadPoolExecutor] = asyncio.get_running_loop().create_future()
        self._waiting[turn] = address
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():  # it came at the last moment
                self._pass_on(turn.result(), address)
            if isinstance(error, TimeoutError):
                raise Busy from None
            raise
        finally:
            self._waiting.pop(turn, None)

    def _give_back(self, thread: ThreadPoolExecutor, address: str) -> None:
        """Once it is idle: a visitor may have left while his page was made, which ends nothing in the thread."""
        loop = asyncio.get_running_loop()

        def idle(_: Future[None]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(partial(self._pass_on, thread, address))

        thread.submit(close_old_connections).add_done_callback(idle)

    def _pass_on(self, thread: ThreadPoolExecutor, address: str) -> None:
        """This address has the thread no longer: it is another request's, or free."""
        self._held -= Counter([address])  # which forgets who has none left
        waiting = [turn for turn in self._waiting if not turn.done()]
        if not waiting:
            self._free.append(thread)
            return
        turn = min(waiting, key=lambda one: self._held[self._waiting[one]])
        self._held[self._waiting.pop(turn)] += 1
        turn.set_result(thread)
