"""The database's side of the people whom a gateway holds. Queries run on a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections

from arena.gateway.people import AskedDecision, DeskNews, SeatedPerson
from webui.people import desk

log = structlog.get_logger(__name__)

Result = TypeVar("Result")


class DatabasePeople:
    """Implements `arena.gateway.people.People` with the database."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="people")

    async def look(
        self, gateway: str, asked: Collection[AskedDecision], forfeited: Collection[tuple[int, str]]
    ) -> DeskNews | None:
        """Return the people whom this gateway holds, and their answers. None if the database is unavailable."""
        by_key = {(decision.match, decision.seat, decision.index): decision for decision in asked}
        found = await self._run(lambda: desk.look(gateway, by_key.keys(), forfeited))
        if found is None:
            return None
        held, answers = found
        seated = [
            SeatedPerson(person.version_id, person.bot_id, person.owner_id, bytes.fromhex(person.nonce_key))
            for person in held
        ]
        return DeskNews(seated, {by_key[key]: answers[key] for key in answers})

    async def leave(self, gateway: str) -> None:
        """Give up all people of this gateway."""
        await self._run(lambda: desk.leave(gateway))

    def close(self) -> None:
        """Release the thread."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, work: Callable[[], Result]) -> Result | None:
        def run() -> Result | None:
            close_old_connections()
            try:
                return work()
            except (DatabaseError, InterfaceError) as error:
                log.error("database_away", error=str(error))
                return None
            finally:
                close_old_connections()

        return await asyncio.get_running_loop().run_in_executor(self._threads, run)
