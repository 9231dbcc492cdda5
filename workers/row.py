"""The row of a match: its owner, its lease, and its log.

Actions are retried until the database answers. `workers.group` writes the log, for many matches at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final, ParamSpec, TypeVar

import structlog
from django.db import InterfaceError, OperationalError

from arena.referee import SECOND, Entry
from webui.matches import dispatching, ending, failures, ownership
from webui.matches import queries as match_queries
from webui.matches.values import LogAppend, LostOwnership, MatchClaim, MatchEnding, MatchPage, SeenDecision
from webui.pairing import rests as pairing_rests
from workers.database import Pool
from workers.heartbeat import heartbeat

log = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_RETRY_S: Final = 2.0
LONGEST_WORK_S: Final = 60.0

_claiming: Final = Lock()
"""Held while a thread of this process claims a match. PostgreSQL does not show a claim to another one at the same time,
so two threads could each claim a suspect (`ownership.claim_match`)."""


class MatchRow:
    """One match in the database, claimed once.

    Every write has the epoch of the claim, and raises `LostOwnership` if that is no longer the latest.
    """

    def __init__(self, match_id: str, database: Pool, stopping: Event, *, lease_s: float) -> None:
        self.match_id = match_id
        self.epoch = 0
        self._database = database
        self._stopping = stopping
        self._lease_s = lease_s
        self._written_at = 0

    def claim(self, owner: str) -> MatchClaim | None:
        """Become the owner, if the match is free."""
        with _claiming:
            claim = self._try(ownership.claim_match, self.match_id, owner, self._lease_s)
        if claim is not None:
            self.epoch = claim.epoch
            self.was_renewed()
        return claim

    def record_deaths(self, directory: Path) -> None:
        """Record which matches have killed processes of this machine, from their step files in this directory."""
        self._try(failures.record_deaths, directory)

    def record_failure(self, error: Exception) -> None:
        """Record that this owner failed at the match. Only the type of the error is stored: its text may tell what is
        hidden.
        """
        if self.epoch:
            self._try(failures.record_failure, self.match_id, self.epoch, f"{type(error).__name__} in its step")

    def requeue(self) -> None:
        """Leave the match, which was not claimed, to another worker."""
        self._database(dispatching.dispatch, self.match_id)

    def release(self) -> None:
        """Hand the match back; any worker can claim it next."""
        self._database(ownership.release, self.match_id, self.epoch)

    def match_page(self) -> MatchPage:
        """Return what is public about the match."""
        return self._try(match_queries.match_page, self.match_id, hidden_too=True)

    @property
    def renew_at(self) -> int:
        """When to renew the lease, on the monotonic clock."""
        return self._written_at + round(self._lease_s / 3 * SECOND)

    def renewal(self) -> LogAppend:
        """Return the write that renews the lease."""
        return LogAppend(self.match_id, self.epoch, 0, self._lease_s)

    def addition(self, entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> LogAppend:
        """Return the write that adds entries to the log, with what spectators see of them. It also renews the lease."""
        return LogAppend(self.match_id, self.epoch, entries[0].number, self._lease_s, entries, seen)

    def was_renewed(self) -> None:
        """Record that one of these writes has succeeded."""
        self._written_at = time.monotonic_ns()

    @contextmanager
    def lease_renewed(self) -> Iterator[None]:
        """Keep renewing the lease during slow work, for at most a minute; work that takes longer hangs.

        Otherwise another worker would begin the same work beside it, and both would be slower. Raise `OSError` if no
        thread can be started.
        """
        is_done, until = Event(), time.monotonic() + LONGEST_WORK_S

        def keep() -> None:
            while not is_done.wait(self._lease_s / 3) and time.monotonic() < until:
                # The code that does the work notices by itself.
                with suppress(OperationalError, InterfaceError, LostOwnership):
                    self._database(ownership.renew, self.match_id, self.epoch, self._lease_s)

        try:
            Thread(target=keep, name="lease", daemon=True).start()
        except RuntimeError as error:
            # The machine has no thread left, or no memory for one. The match is not at fault.
            raise OSError(str(error)) from error
        try:
            yield
        finally:
            is_done.set()

    def finish(self, verdict: dict[str, Any], document: dict[str, Any]) -> MatchEnding:
        """Store that the match is over."""
        with self.lease_renewed():
            return self._try(ending.finish_match, self.match_id, self.epoch, verdict, document)

    def abort(self, reason: str, seats: Sequence[int]) -> None:
        """Store that the match does not begin; these seats are responsible."""
        self._try(ending.abort_match, self.match_id, self.epoch, reason, seats)

    def void(self, reason: str) -> None:
        """Store that the match is void, and schedule it again."""
        self._try(ending.void_match, self.match_id, reason, again=True, epoch=self.epoch)

    def rests_ms(self, seats: Sequence[int]) -> dict[int, int]:
        """Return the seats whose bots are now left out of the ladders, with the time in milliseconds."""
        rests = self._try(pairing_rests.rests_of_seats, self.match_id, seats) if seats else {}
        return {seat: round(rest.seconds * 1000) for seat, rest in rests.items()}

    def _try(self, action: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run an action, and retry it while the database is unavailable: repeating any of these actions does no
        harm."""
        pause = 0.05
        while True:
            try:
                return self._database(action, *args, **kwargs)
            except (OperationalError, InterfaceError) as error:
                heartbeat.beat_while_blocked()
                log.warning("database_away", action=action.__name__, error=str(error))
                if self._stopping.wait(pause):
                    raise
                pause = min(2 * pause, LONGEST_RETRY_S)
