"""Announcements of processes. Each process renews its own row every few seconds, and deletes it when it stops."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from threading import Lock, Thread
from typing import Final

import structlog
from django.db import InterfaceError, OperationalError, connections

from arena.host.processor import OwnShare
from arena.rules import RULES
from webui.status.actions import announce_process, withdraw_process

EVERY_S: Final = 15.0
LEAVE_S: Final = 1.0
"""Timeout for deleting the row, since a process has only a few seconds to stop."""

log = structlog.get_logger(__name__)


def process_version() -> str:
    """Return the versions of the arena and its rules in this process."""
    return f"{version('naqala-arena')} {RULES}"


def process_name() -> str:
    """Return a random name for a process. It must not reveal where the process runs."""
    return secrets.token_hex(16)


async def announce_for_ever(kind: str) -> None:
    """Announce this process from its event loop until cancelled. A loop that hangs sends no announcements."""
    name, turn, share = process_name(), Lock(), OwnShare()

    def announce() -> None:
        announce_process(name, kind, process_version(), is_starved=share.is_starved())

    try:
        while True:
            await _apart(turn, announce)
            await asyncio.sleep(EVERY_S)
    finally:
        with suppress(TimeoutError):  # the row then expires after some minutes
            async with asyncio.timeout(LEAVE_S):
                await _apart(turn, partial(withdraw_process, name))


def _apart(turn: Lock, action: Callable[[], None]) -> asyncio.Future[None]:
    """Run `action` in a new thread, which closes its database connections afterwards. Return a future for its end.

    `turn` serialises the actions, so that an announcement never recreates a deleted row. The event loop's own threads
    are not used: the loop would wait for them when it stops, even if the database does not answer.
    """
    loop = asyncio.get_running_loop()
    end: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not end.done():
            end.set_result(None)

    def act() -> None:
        with turn:
            try:
                action()
            except (OperationalError, InterfaceError) as error:
                log.debug("process_not_announced", error=str(error))  # others log that the database is down
            except Exception as error:  # noqa: BLE001 - such as missing rights or tables; it is retried
                log.warning("process_not_announced", error=str(error))
            finally:
                connections.close_all()
        with suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(tell)

    Thread(target=act, name="announcer", daemon=True).start()
    return end
