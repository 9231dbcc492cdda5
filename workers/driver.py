"""One run of the task of a match: claim its row, referee it, and say how that ended."""

from __future__ import annotations

import secrets
from typing import Final

import structlog

from arena.players import ask_house
from arena.referee import Clock, Kind, Policy, Referee, Terms
from arena.wire.matches import MatchCodec, Signed
from webui.ladder.values import Claim, LostOwnership
from workers import failpoints, metrics
from workers.database import Pool
from workers.loop import HandBack, MatchLoop
from workers.publishing import Publisher, all_steps
from workers.row import MatchRow
from workers.ways import SeatWay, Ways
from workers.workerlink import Inbox, WorkerLink

log = structlog.get_logger(__name__)

SLACK_MS: Final = 2_000
"""How long after its limit the worker waits for an answer: an ask that the bus lost is sent again after one second."""


class Driver:
    """Referees one match, if it is free; `run` returns when the match has ended, or another process owns it."""

    def __init__(self, match_id: str, link: WorkerLink, database: Pool, *, lease_s: float, site_url: str = "") -> None:
        self.match_id = match_id
        self._link = link
        self._row = MatchRow(match_id, database, link.stopping, lease_s=lease_s)
        self._replay_url = f"{site_url}/matches/{match_id}/" if site_url else ""

    def run(self) -> None:
        """Claim the match and referee it."""
        with structlog.contextvars.bound_contextvars(match=self.match_id):
            try:
                self._claim_and_play()
            except LostOwnership as error:
                metrics.ENDED.labels("lost").inc()
                log.warning("ownership_lost", epoch=self._row.epoch, error=str(error))
            except HandBack:
                metrics.ENDED.labels("handed back").inc()
                log.info("match_handed_back", epoch=self._row.epoch)
            except Exception:
                metrics.ENDED.labels("failed").inc()
                raise

    def _claim_and_play(self) -> None:
        if self._link.stopping.is_set():
            self._row.requeue()
            return
        claim = self._row.claim(f"{self._link.id}/{secrets.token_hex(8)}")
        if claim is None:
            log.debug("match_not_free")
            return
        log.info("match_claimed", epoch=claim.epoch, entries=len(claim.log))
        # Not before the claim: a task that is delivered twice must not take the messages of the one that plays.
        inbox = self._link.open_inbox(self.match_id)
        try:
            with self._row.kept():
                loop = self._loop(claim, inbox)
            loop.run()
        except HandBack:
            self._row.release()
            raise
        finally:
            self._link.close_inbox(self.match_id, inbox)

    def _loop(self, claim: Claim, inbox: Inbox) -> MatchLoop:
        """The loop of a claimed match, with all that it needs."""
        line, offer = self._row.page().line, claim.offer
        owners = {seat.seat: seat.version.bot.owner for seat in line.seats}
        clock, policy = Clock.parse(claim.clock), Policy.parse(claim.policy)
        terms = Terms(claim.match_id, claim.ruleset, claim.server_seed, clock, policy, claim.deal)
        referee = Referee.resume(terms, claim.log, ask_house, SLACK_MS)
        failpoints.reach("after_claim", referee.record.index)
        publisher = self._publisher(claim, terms, has_begun=referee.record.game is not None)
        codec = MatchCodec(
            match=claim.match_id,
            ruleset=claim.ruleset,
            participants=[
                {"name": seat.bot, "version": seat.version, "owner": owners[seat.seat]} for seat in claim.seats
            ],
            clock=clock,
            policy=policy,
            commitment=bytes.fromhex(claim.commitment),
            is_rated=line.rated,
            signed=Signed(offer.document.encode(), offer.key, bytes.fromhex(offer.signature)) if offer else None,
        )
        ways = Ways({seat.seat: SeatWay(seat.version_id, referee.record.seats[seat.seat].by) for seat in claim.seats})
        return MatchLoop(referee, codec, ways, self._row, self._link, inbox, publisher, replay_url=self._replay_url)

    def _publisher(self, claim: Claim, terms: Terms, has_begun: bool) -> Publisher:
        """What spectators see, from where the log ends; what an owner has not stored is stored now: before an update
        owners knew nothing of it."""
        steps = sum(entry.kind == Kind.DECISION for entry in claim.log) + has_begun
        if claim.seen < steps:
            log.info("steps_missing", stored=claim.seen, steps=steps)
            self._row.show(all_steps(terms, claim.log)[claim.seen :])
        return Publisher(steps)
