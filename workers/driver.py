"""One run of the task of a match: claim its row, referee it, and report how that ended."""

from __future__ import annotations

import secrets
from datetime import datetime
from functools import partial
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError

from arena.bus import BusError
from arena.host import tracing
from arena.host.signing import SigningKeyError
from arena.host.steps import encode_step
from arena.host.steps import steps as step_file
from arena.players import ask_house
from arena.referee import SECOND, Kind, Referee, Terms
from arena.wire.matches import MatchCodec, Signed
from webui.matches.values import HOUSE_SILENT, LostOwnership, MatchClaim, MatchLine
from workers import failpoints, metrics
from workers.database import Pool
from workers.loop import HandBack, HouseIsSilent, MatchLoop
from workers.paths import SeatPath, SeatPaths
from workers.publishing import Publisher
from workers.row import MatchRow
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)

OUTSIDE: Final = (DatabaseError, InterfaceError, BusError, SigningKeyError, OSError, MemoryError)
"""Exceptions that come from outside of a match. They are no failures of the match …"""
REFUSED_DATA: Final = (DataError, IntegrityError)
"""… except these errors of the database: it refuses what the match wrote."""
SLACK_MS: Final = 2_000
"""Time after its limit for which the worker waits for an answer. An ask that the bus lost is sent again after one
second."""


class Driver:
    """Referees one match, if it is free. `run` returns when the match has ended, or if another process owns it."""

    def __init__(self, match_id: str, link: WorkerLink, database: Pool, *, lease_s: float, site_url: str = "") -> None:
        self.match_id = match_id
        self._link = link
        self._row = MatchRow(match_id, database, link.stopping, lease_s=lease_s)
        self._replay_url = f"{site_url}/matches/{match_id}/" if site_url else ""
        self._started_at: datetime | None = None
        """When the first owner claimed the match."""

    def run(self) -> None:
        """Claim the match and referee it."""
        began_ns = tracing.now()
        named = {"trace": tracing.trace_id(self.match_id)} if tracing.is_on else {}
        with structlog.contextvars.bound_contextvars(match=self.match_id, epoch=0, **named):
            try:
                self._claim_and_play()
                self._record(began_ns)
            except LostOwnership as error:
                metrics.ENDED.labels("lost").inc()
                self._record(began_ns, "lost to another owner")
                log.warning("ownership_lost", error=str(error))
            except HandBack:
                metrics.ENDED.labels("handed back").inc()
                log.info("match_handed_back")
                self._record(began_ns, "handed back")
            except Exception as error:
                metrics.ENDED.labels("failed").inc()
                self._record(began_ns, "failed")
                if not isinstance(error, OUTSIDE) or isinstance(error, REFUSED_DATA):
                    self._row.record_failure(error)
                raise

    def _record(self, began_ns: int, without_end: str = "") -> None:
        """If tracing is on, record the spans of this owner and, at the end of the match, those of the whole match."""
        if not (tracing.is_on and self._row.epoch):
            return
        now_ns, epoch = tracing.now(), {"arena.epoch": self._row.epoch}
        tracing.record("referee", began_ns, now_ns, match=self.match_id, attributes=epoch, failed=without_end)
        if not without_end:
            if self._started_at is not None and self._row.epoch > 1:
                began_ns = round(self._started_at.timestamp() * SECOND)
            root = tracing.span_id(self.match_id)
            tracing.record("match", began_ns, now_ns, match=self.match_id, own_id=root, parent="", attributes=epoch)

    def _claim_and_play(self) -> None:
        loop = self._link.slow_threads.run(self._begin, is_new=True)
        if loop is None:
            return
        structlog.contextvars.bind_contextvars(epoch=self._row.epoch)
        try:
            # Only after the claim: a task that is delivered twice must not take the messages of the one that plays.
            self._link.group.play(self.match_id, loop.run(), self._row.epoch)
        except HandBack:
            self._link.slow_threads.run(self._row.release)
            raise
        except HouseIsSilent:
            metrics.ENDED.labels("void").inc()
            log.warning("match_voided", reason=HOUSE_SILENT)
            self._link.slow_threads.run(partial(self._row.void, HOUSE_SILENT))

    def _begin(self) -> MatchLoop | None:
        """Claim the match, if it is free."""
        if self._link.stopping.is_set():
            self._row.requeue()
            return None
        step_file.open(settings.PLACES.steps)
        # Before the claim: a match that has killed an earlier process may have to be voided, or played alone.
        self._row.record_deaths(settings.PLACES.steps)
        claim = self._row.claim(f"{self._link.id}/{secrets.token_hex(8)}")
        if claim is None:
            log.debug("match_not_free")
            return None
        structlog.contextvars.bind_contextvars(epoch=claim.epoch)
        log.info("match_claimed", entries=len(claim.log))
        line = self._row.match_page().line
        with self._row.lease_renewed(), step_file.doing(encode_step(claim.match_id, claim.epoch)):
            return self._loop(claim, line)

    def _loop(self, claim: MatchClaim, line: MatchLine) -> MatchLoop:
        """Return the loop of a claimed match, with everything that it needs."""
        offer = claim.offer
        self._started_at = line.started_at
        owners = {seat.seat: seat.version.bot.owner for seat in line.seats}
        terms = Terms(claim.match_id, claim.ruleset, claim.server_seed, claim.clock, claim.policy, claim.deal)
        referee = Referee.resume(terms, claim.log, ask_house, SLACK_MS)
        failpoints.reach("after_claim", referee.record.index)
        is_begun = referee.record.game is not None
        people = [seat.seat for seat in claim.seats if seat.is_person]
        publisher = Publisher(is_begun + sum(entry.kind == Kind.DECISION for entry in claim.log), people)
        codec = MatchCodec(
            match=claim.match_id,
            ruleset=claim.ruleset,
            participants=[
                {"name": seat.bot, "version": seat.version, "owner": owners[seat.seat]} for seat in claim.seats
            ],
            clock=claim.clock,
            policy=claim.policy,
            commitment=bytes.fromhex(claim.commitment),
            is_rated=line.rated,
            signed=Signed(offer.document.encode(), offer.key, bytes.fromhex(offer.signature)),
        )
        seats = referee.record.seats
        paths = SeatPaths(
            {
                seat.seat: SeatPath(
                    seat.version_id, seats[seat.seat].by, is_house=seat.is_house, is_person=seat.is_person
                )
                for seat in claim.seats
            }
        )
        return MatchLoop(referee, codec, paths, self._row, self._link, publisher, replay_url=self._replay_url)
