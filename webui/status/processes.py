"""How a process says that it is there: by a row of its own, every few seconds, that it takes away when it goes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from threading import Lock, Thread
from typing import Final

import structlog
from django.db import InterfaceError, OperationalError, connections

from arena.rules import RULES
from webui.status.actions import announce_process, withdraw_process

EVERY_S: Final = 15.0
LEAVE_S: Final = 1.0
"""How long the row may take to go: a process has few seconds to leave."""

log = structlog.get_logger(__name__)


def process_version() -> str:
    """The version of the arena and its rules that this process has."""
    return f"{version('naqala-arena')} {RULES}"


def process_name() -> str:
    """The name of a process: random, for it says nothing of where it runs."""
    return secrets.token_hex(16)


async def announce_for_ever(kind: str) -> None:
    """Announce this process from its event loop until it is cancelled: a loop that hangs announces nothing."""
    name, turn = process_name(), Lock()
    try:
        while True:
            await _apart(turn, announce_process, name, kind, process_version())
            await asyncio.sleep(EVERY_S)
    finally:
        with suppress(TimeoutError):  # it is missed for some minutes
            async with asyncio.timeout(LEAVE_S):
                await _apart(turn, withdraw_process, name)


def _apart(turn: Lock, action: Callable[..., None], *arguments: str) -> asyncio.Future[None]:
    """In a thread that keeps no connection, after those that have the `turn`: the row must not come back. No thread of
    the event loop, which would wait at its end for a database that does not answer."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not done.done():
            done.set_result(None)

    def act() -> None:
        with turn:
            try:
                action(*arguments)
            except (OperationalError, InterfaceError) as error:
                log.debug("process_not_announced", error=str(error))  # others log that the database is away
            except Exception as error:  # noqa: BLE001 - rights or a table are missing, say; it is tried again
                log.warning("process_not_announced", error=str(error))
            finally:
                connections.close_all()
        with suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(tell)

    Thread(target=act, name="announcer", daemon=True).start()
    return done
