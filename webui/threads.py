"""Threads for the synchronous parts of requests: a few that stay, each with its database connection.

Django by itself makes a thread for each request, and a connection of its own for each of them: as many as visitors ask
for at the same time, and with some left over. Here a request waits for a free thread before its page is made, and gives
it back before it is sent: whoever takes the page slowly keeps no thread. Who gets one that becomes free: `Turns`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import close_old_connections

from webui.turns import Busy, Turns

PAGES_AT_ONCE: Final = 16
"""Pages that are made at the same time, and connections to the database: a process of PostgreSQL each, of 100 that it
has for all. More would only share the same processor."""
PATIENCE_S: Final = 15.0
"""How long a request waits for a thread."""


class PageThreads:
    """Executors of one thread each, of one event loop."""

    def __init__(self, threads: int = PAGES_AT_ONCE) -> None:
        self._turns = Turns(ThreadPoolExecutor(1, f"page-{number}") for number in range(threads))

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
        turn = self._turns.ask(address)
        if turn.done():
            return turn.result()
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await asyncio.wrap_future(turn)
        except BaseException as error:
            self._turns.leave(turn, address)
            if isinstance(error, TimeoutError):
                raise Busy from None
            raise

    def _give_back(self, thread: ThreadPoolExecutor, address: str) -> None:
        """Once it is idle: a visitor may have left while his page was made, which ends nothing in the thread."""
        thread.submit(close_old_connections).add_done_callback(lambda _: self._turns.give_back(thread, address))
