"""Who a bot is, and whether it still may be here: the one place where the gateway asks the database, on threads of its
own. No message of a match waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections

from arena.gateway.errors import BAD_TOKEN, TRY_AGAIN, Refused, another_bot, bad_hello
from arena.wire.v1.bot_pb2 import Hello
from webui.ladder import actions, queries
from webui.ladder.values import BotIdentity, LadderError

log = structlog.get_logger(__name__)

THREADS: Final = 2
"""And so at most two database connections a gateway, however many bots say hello."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A bot that may come in, with the version that it says it is."""

    bot: BotIdentity
    version_id: int


class Identities:
    """Looks tokens up."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="identity")

    async def identify(self, hello: Hello) -> Identity:
        """Who says hello; raises `Refused`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _identify, hello.token, hello.bot, hello.version)

    async def revoked(self, token_ids: Collection[int]) -> set[int]:
        """Those of these tokens that are worth nothing any more; none while the database is away."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _revoked, frozenset(token_ids))

    def close(self) -> None:
        """Let the threads go."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _identify(token: str, named: str, version: str) -> Identity:
    close_old_connections()
    try:
        bot = queries.session_for_token(token)
        if bot is None:
            raise Refused(BAD_TOKEN)
        if named and named.strip().casefold() != bot.bot_name.casefold():
            raise Refused(another_bot(named, bot.bot_name))
        version_id = actions.register_version(bot.bot_id, version)
        actions.note_token_used(bot.token_id)
        return Identity(bot, version_id)
    except LadderError as error:
        raise Refused(bad_hello(f"Hello.version: {error}")) from error
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        raise Refused(TRY_AGAIN) from error
    finally:
        close_old_connections()


def _revoked(token_ids: frozenset[int]) -> set[int]:
    close_old_connections()
    try:
        return set(token_ids - queries.valid_tokens(token_ids))
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        return set()
    finally:
        close_old_connections()
