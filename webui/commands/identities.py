"""Identify bots by their tokens, for the gateway. Queries run on threads of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections

from arena.gateway.errors import (
    ANOTHER_VERSION,
    BAD_TOKEN,
    HOSTED_VERSION,
    RESTING,
    TOO_MANY_VERSIONS,
    TRY_AGAIN,
    ErrorReason,
    GatewayRefusal,
    HelloRefused,
    another_bot,
    bad_hello,
    bad_release,
    left_out,
    taken_off,
)
from arena.gateway.identity import Identity, ReleaseToken
from webui.accounts.values import token_digest
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_actions, token_queries
from webui.core.errors import LadderError, TooMany
from webui.hosting import queries as hosting_queries
from webui.matches import queries as match_queries
from webui.pairing.exclusions import forfeits_of
from webui.pairing.rests import rests_of_tokens

log = structlog.get_logger(__name__)

THREADS: Final = 2
"""Number of threads, and maximum number of database connections of a gateway, however many bots connect."""
KNOWN_S: Final = 10.0
"""Maximum age in seconds of the list of valid tokens. An address that has sent many invalid tokens is checked against
it.
"""


class DatabaseIdentities:
    """Implements `arena.gateway.identity.Identities` with the database."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="identity")
        self._known: frozenset[str] = frozenset()
        """Digests of the tokens that were valid at `_known_at`."""
        self._known_at: float | None = None
        """Time of the list of valid tokens (monotonic clock)."""
        self._reading = asyncio.Lock()
        self._versions: dict[int, int] = {}
        """The version that last said hello with each token here, by token. Valid tokens limit its size."""

    async def identify(
        self, token: str, bot: str, version: str, address: str, still_plays: Callable[[int], int | None]
    ) -> Identity:
        """Return the bot of this token, as this version. Raise `HelloRefused`."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _identify, token, bot, version, address, still_plays)
        self._versions[found.token_id] = found.version_id
        return found

    async def release(self, token: str, version: str, note: str) -> ReleaseToken:
        """Set the note of a version of the bot of this token. Raise `HelloRefused`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _release, token, version, note)

    async def is_known(self, token: str) -> bool:
        """Return whether this token was valid some seconds ago. If the database is unavailable, the last known list
        decides.
        """
        async with self._reading:
            if self._known_at is None or time.monotonic() - self._known_at > KNOWN_S:
                loop = asyncio.get_running_loop()
                self._known = await loop.run_in_executor(self._threads, _valid, self._known)
                self._known_at = time.monotonic()
        return token_digest(token) in self._known

    async def matches(self, bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
        """Return those of the matches that belong to the bot, and whether each runs.

        Return all of the matches if the database is unavailable.
        """
        if not match_ids:
            return {}
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _matches, bot_id, tuple(match_ids))

    async def revoked(self, token_ids: Collection[int]) -> set[int]:
        """Return those of the tokens that are no longer valid. Return none if the database is unavailable."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _revoked, frozenset(token_ids))

    async def resting(self, token_ids: Collection[int]) -> dict[int, GatewayRefusal] | None:
        """Return those of the tokens whose bots get no new matches, with the reasons. None if the database is
        unavailable.

        If several versions play with one token, only the one that said hello last is looked up among those that play no
        rated matches.
        """
        loop = asyncio.get_running_loop()
        versions = {token: self._versions.get(token, 0) for token in token_ids}
        return await loop.run_in_executor(self._threads, _resting, versions)

    def close(self) -> None:
        """Release the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _identify(token: str, named: str, version: str, address: str, still_plays: Callable[[int], int | None]) -> Identity:
    close_old_connections()
    try:
        bot = token_queries.session_for_token(token)
        if bot is None:
            raise HelloRefused(BAD_TOKEN)
        if named and named.strip().casefold() != bot.bot_name.casefold():
            raise HelloRefused(another_bot(named, bot.bot_name))
        playing = still_plays(bot.token_id)
        if playing is not None and playing not in bot_queries.ids_of_version(bot.bot_id, version):
            raise HelloRefused(ANOTHER_VERSION)
        if hosting_queries.is_submitted(bot.bot_id, version):
            raise HelloRefused(HOSTED_VERSION)
        version_id = bot_actions.register_version(bot.bot_id, version)
        token_actions.note_token_used(bot.token_id, address)
        return Identity(bot.token_id, bot.bot_id, bot.bot_name, bot.owner_id, bot.is_house, version_id)
    except TooMany as error:
        raise HelloRefused(TOO_MANY_VERSIONS) from error
    except LadderError as error:
        raise HelloRefused(bad_hello(f"Hello.version: {error}")) from error
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        raise HelloRefused(TRY_AGAIN) from error
    finally:
        close_old_connections()


def _release(token: str, version: str, note: str) -> ReleaseToken:
    close_old_connections()
    try:
        bot = token_queries.session_for_token(token)
        if bot is None:
            raise HelloRefused(BAD_TOKEN)
        released = bot_actions.release_version(bot.bot_id, version, note)
        return ReleaseToken(bot.bot_name, released.version, released.is_ready)
    except TooMany as error:
        raise HelloRefused(TOO_MANY_VERSIONS) from error
    except LadderError as error:
        raise HelloRefused(bad_release(str(error))) from error
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        raise HelloRefused(TRY_AGAIN) from error
    finally:
        close_old_connections()


def _valid(before: frozenset[str]) -> frozenset[str]:
    close_old_connections()
    try:
        return token_queries.valid_digests()
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        return before
    finally:
        close_old_connections()


def _matches(bot_id: int, match_ids: tuple[str, ...]) -> dict[str, bool]:
    close_old_connections()
    try:
        return match_queries.matches_of_bot(bot_id, match_ids)
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        return dict.fromkeys(match_ids, True)
    finally:
        close_old_connections()


def _revoked(token_ids: frozenset[int]) -> set[int]:
    close_old_connections()
    try:
        return set(token_ids - token_queries.valid_tokens(token_ids))
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        return set()
    finally:
        close_old_connections()


def _resting(versions: Mapping[int, int]) -> dict[int, GatewayRefusal] | None:
    """Return the reasons by token. `versions` are the versions of the tokens."""
    close_old_connections()
    try:
        resting = rests_of_tokens(versions).items()
        reasons = {token: left_out(rest.until, rest.failures, rest.bots) for token, rest in resting}
        forfeits = forfeits_of({*versions.values()})
        for token, version in versions.items():
            if version in forfeits:
                name, matches = forfeits[version]
                reasons[token] = taken_off(name, len(matches), matches[0])
        stopped = token_queries.resting_bots(versions.keys()).items()
        return reasons | {token: RESTING[ErrorReason(why)] for token, why in stopped}
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        return None
    finally:
        close_old_connections()
