"""Threads for the synchronous parts of requests: a few that stay, each with its database connection.

Django by itself makes a thread for each request, and a connection of its own for each of them: as many as visitors ask
for at the same time, and with some left over. Here a request waits for a free thread before its page is made, and gives
it back before it is sent: whoever takes the page slowly keeps no thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
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
        self._free: asyncio.LifoQueue[ThreadPoolExecutor] = asyncio.LifoQueue()  # the last one is the warmest
        for number in range(threads):
            self._free.put_nowait(ThreadPoolExecutor(1, f"page-{number}"))

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """All synchronous code of this context runs in one thread. `Busy`."""
        thread = await self._take()
        try:
            async with ThreadSensitiveContext(executor=thread):
                await sync_to_async(close_old_connections)()  # looks whether this thread's still works
                yield
        finally:
            self._give_back(thread)

    async def _take(self) -> ThreadPoolExecutor:
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                return await self._free.get()
        raise Busy

    def _give_back(self, thread: ThreadPoolExecutor) -> None:
        """Once it is idle: a visitor may have left while his page was made, which ends nothing in the thread."""
        loop = asyncio.get_running_loop()

        def idle(_: Future[None]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._free.put_nowait, thread)

        thread.submit(close_old_connections).add_done_callback(idle)
