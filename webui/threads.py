"""Threads for the synchronous parts of requests: a fixed number, each with its own database connection.

Django makes a thread and a database connection for each request, so there are as many as there are concurrent requests,
and some remain afterwards. Here a request waits for a free thread before its page is made. It gives the thread back
before the page is sent, so a slow client keeps no thread. `Turns` decides which request gets a free thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import close_old_connections

from webui.fair_queue import Busy, Turns

PAGES_AT_ONCE: Final = 16
"""Maximum number of pages made at the same time, and of connections to the database.

Each connection is a process of PostgreSQL, which allows 100 in all. More threads would only share the same processor.
"""
PAGES_PER_ADDRESS: Final = 2
"""Maximum number of pages made at the same time for one address.

All threads share one processor. While two pages are made for one address, a page of another address takes three times
as long.
"""
PATIENCE_S: Final = 15.0
"""Seconds that a request waits for a thread before it is refused."""

Charge = Callable[[str, float], None]


class PageThreads:
    """Executors of one thread each, for one event loop."""

    def __init__(self, threads: int = PAGES_AT_ONCE) -> None:
        """Make the executors. Each starts its thread when it first has work."""
        executors = (ThreadPoolExecutor(1, f"page-{number}") for number in range(threads))
        self._turns = Turns(executors, most_held=PAGES_PER_ADDRESS)

    @asynccontextmanager
    async def thread_for(self, address: str, charge: Charge = lambda *_: None) -> AsyncIterator[None]:
        """Run all synchronous code of this context in one thread. `address` is the visitor's.

        `charge` is called with the address and the processor time (seconds) that the context used.

        Raise `Busy` if no thread becomes free in time.
        """
        thread = await self._take(address)
        began: float | None = None
        try:
            async with ThreadSensitiveContext(executor=thread):
                began = await sync_to_async(_begin)()
                yield
        finally:
            self._give_back(thread, address, began, charge)

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

    def _give_back(self, thread: ThreadPoolExecutor, address: str, began: float | None, charge: Charge) -> None:
        """Give the thread back once it is idle. The visitor may have left while the page was made, but the thread goes
        on.
        """

        def finish() -> None:
            close_old_connections()
            if began is not None:
                charge(address, time.thread_time() - began)

        thread.submit(finish).add_done_callback(lambda _: self._turns.give_back(thread, address))


def _begin() -> float:
    """Replace this thread's connection if it no longer works. Return the processor time of the thread so far."""
    close_old_connections()
    return time.thread_time()
