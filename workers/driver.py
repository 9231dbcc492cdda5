"""One match between its row, its referee and its bots: the shell around `arena.referee`.

The referee decides; this carries out. Its rules:

1. The row says who may play the match. Every write names the epoch of the claim; `LostOwnership` means: stop, silently.
2. An append is durable before anything that follows from it is sent.
3. What goes wrong here is ours: it is tried again (database), or the way to the bot is given up and found again (bus,
   gateway), with the clock standing still. Only what a gateway measured or said about a bot is charged to it.
4. Time is up only when the way to the bot is known to be sound: before `TimePassed` a probe goes to each gateway
   concerned and back. If it comes back, no answer was waiting on the way; if not, the way is broken.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from queue import Empty
from typing import Any, Final

import structlog

from arena.bus import OFFER_INDEX, FromBot, ToBot
from arena.players import make_player
from arena.referee import (
    AbortMatch,
    Append,
    AskMove,
    AskWritten,
    Clock,
    Command,
    Entry,
    Event,
    FinishMatch,
    Kind,
    MatchOpened,
    MoveArrived,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    Policy,
    Reason,
    Referee,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    Terms,
    TimePassed,
)
from arena.wire.codec import CodecError
from arena.wire.matches import Accepted, Answered, Declined, MatchCodec, RoundTrip, decode_reply
from webui.ladder.actions import Claim, LostOwnership
from workers import failpoints, metrics
from workers.database import Pool
from workers.outbox import Outbox
from workers.row import MatchRow
from workers.ways import SECOND, SeatWay
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)

SLACK_MS: Final = 2_000
"""How long after its limit an answer is waited for: an ask that the bus lost is said again after one second."""
PROBE: Final = 1 * SECOND
"""How long the way to a gateway and back may take before it counts as broken."""
LONGEST_NAP: Final = 1 * SECOND
FAULTS_OF_WIRE: Final = {
    "FLOODING": (Reason.FLOODING, "too many messages that answer nothing"),
    "MALFORMED": (Reason.MALFORMED, "a message that cannot be read"),
    "OVERSIZED": (Reason.MALFORMED, "a message that is too large"),
}
"""The gateway's reasons; what is not here (a bot that does not read) ends in a loss, which is charged as such."""
NO_PLACE: Final = {
    "LEAVING": "the bot was leaving",
    "TOO_MANY_MATCHES": "its gateway plays too many matches for it already",
}
"""Why a gateway does not hand on an offer."""


class HandBack(Exception):
    """This process goes down: the match is handed back."""


def ask_house(name: str, seed: bytes, view: dict[str, Any], legal: list[str]) -> str:
    """One decision of a house player."""
    choice = make_player(name, seed).choose(view, legal)
    return choice if isinstance(choice, str) else choice[0]


class Driver:
    """Plays one match; `run` returns when it has ended, or is somebody else's."""

    def __init__(self, match_id: str, link: WorkerLink, database: Pool, *, lease_s: float, site_url: str = "") -> None:
        self.match_id = match_id
        self._link = link
        self._row = MatchRow(match_id, database, link.stopping, lease_s=lease_s)
        self._site_url = site_url
        self._answered_at = 0
        """When the last answer came to its gateway, by the wall clock; 0 when none is being worked on."""
        self._trips: dict[int, RoundTrip] = {}
        self._probes: dict[str, int] = {}
        self._probed_at: int | None = None

    def run(self) -> None:
        """Claim the match and play it."""
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
        owner = f"{self._link.id}/{secrets.token_hex(8)}"
        claim = self._row.claim(owner)
        if claim is None:
            log.debug("match_not_free")
            return
        log.info("match_claimed", epoch=claim.epoch, entries=len(claim.log))
        # Not before the claim: a task that is delivered twice must not take the mail of the one that plays.
        self._inbox = self._link.open_inbox(self.match_id)
        try:
            self._set_up(claim)
            failpoints.reach("after_claim", self._referee.record.index)
            self._play()
        except HandBack:
            self._row.release()
            raise
        finally:
            self._link.close_inbox(self.match_id, self._inbox)

    def _set_up(self, claim: Claim) -> None:
        page = self._row.page()
        owners = {line.seat: line.version.bot.owner for line in page.line.seats}
        people = [{"name": seat.bot, "version": seat.version, "owner": owners[seat.seat]} for seat in claim.seats]
        self._people = people
        clock, policy = Clock.parse(claim.clock), Policy.parse(claim.policy)
        terms = Terms(claim.match_id, claim.ruleset, claim.server_seed, clock, policy, claim.deal)
        self._referee = Referee.resume(terms, claim.log, ask_house, SLACK_MS)
        self._codec = MatchCodec(
            match=claim.match_id,
            ruleset=claim.ruleset,
            participants=people,
            clock=clock,
            policy=policy,
            commitment=bytes.fromhex(claim.commitment),
            is_rated=page.line.rated,
        )
        self._outbox = Outbox(self._link.bus, self.match_id, claim.epoch, self._link.id)
        self._ways = {seat.seat: SeatWay(seat.version_id) for seat in claim.seats}
        for number, seat in self._referee.record.seats.items():
            self._ways[number].pinned = seat.by

    # The loop

    def _play(self) -> None:
        self._link.refresh_presence(older_than_s=0.5)
        for way in self._ways.values():
            if (session := way.choose(self._link.sessions)) is not None:
                way.follow(session)
        self._give(MatchOpened())
        while self._referee.state not in (RefereeState.OVER, RefereeState.ABORTED):
            if self._link.stopping.is_set():
                raise HandBack
            for message in self._wait():
                self._receive(message)
            now = time.monotonic_ns()
            self._look(now)
            self._outbox.repeat(now)
            self._flush()
            self._check_time(now)
            self._row.renew(now)

    def _wait(self) -> Iterable[FromBot]:
        """Mail, or an empty hand when there is something else to do."""
        now = time.monotonic_ns()
        wake_at = self._probed_at + PROBE if self._probed_at is not None else self._referee.wake_at
        times = [now + LONGEST_NAP, self._row.renew_at]
        times += [at for at in (wake_at, self._outbox.repeat_at) if at is not None]
        try:
            message = self._inbox.get(timeout=max(0, min(times) - now) / SECOND)
            while True:
                if message is not None:
                    yield message
                message = self._inbox.get_nowait()
        except Empty:
            return

    def _check_time(self, now: int) -> None:
        """Time is up if it is, and if the ways to those it is up for are sound."""
        wake_at = self._referee.wake_at
        if wake_at is None or wake_at > now:
            self._probes, self._probed_at = {}, None
        elif self._link.presence_is_stale(now):
            for seat in self._concerned():
                self._lose_path(seat, now)
        elif self._link.presence_is_recovering(now) and (unseen := self._unseen()):
            for seat in unseen:
                self._lose_path(seat, now)
        elif self._probed_at is None:
            self._probe(now)
        elif not self._probes:
            self._probed_at = None
            self._give(TimePassed())
        elif now >= self._probed_at + PROBE:
            seats, self._probes, self._probed_at = set(self._probes.values()), {}, None
            log.warning("gateway_silent", seats=sorted(seats))
            for seat in seats:
                self._lose_path(seat, now)

    def _probe(self, now: int) -> None:
        """Ask each gateway concerned for a session that it cannot have: its answer comes after all that came before."""
        self._probed_at = now
        for seat in self._concerned():
            if (route := self._ways[seat].route) is not None:
                name = f"probe:{secrets.token_hex(8)}"
                self._probes[name] = seat
                probe = ToBot(name, self.match_id, seat, self._row.epoch, self._link.id, b"")
                self._outbox.put_plain(route.gateway, probe)
        self._flush()
        self._check_time(now)

    def _concerned(self) -> set[int]:
        """The seats whose time may be up."""
        record = self._referee.record
        asked = {self._referee.asked[0]} if self._referee.asked else set(record.unready)
        return asked | {number for number, seat in record.seats.items() if seat.is_away and not seat.has_forfeited}

    def _unseen(self) -> set[int]:
        """Those among them to whom there is no way."""
        return {seat for seat in self._concerned() if self._ways[seat].route is None}

    # Into the referee

    def _give(self, event: Event) -> None:
        self._carry_out(self._referee.handle(event, time.monotonic_ns()))

    def _receive(self, message: FromBot) -> None:
        if self._probes.pop(message.session, None) is not None or message.session.startswith("probe:"):
            return
        way = self._ways.get(message.seat)
        if way is None or self._referee.state in (RefereeState.OVER, RefereeState.ABORTED):
            return
        now = time.monotonic_ns()
        is_ours = way.route is not None and message.session == way.route.session
        match message.kind:
            case "message":
                if message.is_answer:
                    self._hear(message, way)
            case "fault":
                if message.reason in FAULTS_OF_WIRE:
                    self._give(SeatFaulted(message.seat, *FAULTS_OF_WIRE[message.reason]))
            case "lost":
                if is_ours and way.route is not None and message.gateway == way.route.gateway:
                    way.hear(now)
                    log.info("seat_lost", seat=message.seat, reason=message.reason)
                    self._give(SeatLost(message.seat, message.reason))
            case "back":
                if is_ours:
                    way.hear(now)
                    log.info("seat_back", seat=message.seat)
                    self._give(SeatBack(message.seat))
            case "moved":
                if is_ours and way.route is not None and message.gateway == way.route.gateway:
                    log.info("seat_moved", seat=message.seat, reason=message.reason)
                    self._lose_path(message.seat, now)
                    self._link.refresh_presence()
            case "undeliverable":
                if message.reason == "STALE_EPOCH":
                    if message.epoch == self._row.epoch:  # else it is for an earlier owner in this same process
                        raise LostOwnership("a gateway has heard of a later owner")
                elif is_ours and way.route is not None and message.gateway == way.route.gateway:
                    log.info("mail_undeliverable", seat=message.seat, reason=message.reason)
                    way.hear(now)
                    if message.reason in NO_PLACE:
                        self._offer_elsewhere(message, way)
                    self._lose_path(message.seat, now)

    def _offer_elsewhere(self, message: FromBot, way: SeatWay) -> None:
        """This process of the bot takes no match more: another one does, or the match does not begin."""
        others = {id: session for id, session in self._link.sessions.items() if id != message.session}
        if way.choose(others) is None:
            self._give(OfferDeclined(message.seat, NO_PLACE[message.reason], is_blamed=False))

    def _hear(self, message: FromBot, way: SeatWay) -> None:
        """A bot has answered what it was asked."""
        seat = message.seat
        self._outbox.answered(seat, message.index)
        try:
            reply = decode_reply(message.payload)
        except CodecError as error:
            self._give(SeatFaulted(seat, Reason.MALFORMED, str(error)))
            return
        match reply:
            case Accepted():
                if not way.pinned:
                    way.pinned = message.session
                self._give(OfferAccepted(seat, reply.nonce, by=message.session))
            case Declined():
                self._give(OfferDeclined(seat, reply.reason))
            case Answered():
                self._answered_at = message.received_at_ns
                self._trips[seat] = RoundTrip(message.network_ns, message.queue_ns, message.think_ns)
                self._give(MoveArrived(seat, reply.index, reply.actions, reply.note, message.think_ns))

    def _look(self, now: int) -> None:
        """Follow the bots to wherever presence says that they are."""
        looked_at = self._link.looked_at
        if self._link.presence_is_stale(now):
            return
        for number, way in self._ways.items():
            seat = self._referee.record.seats[number]
            if seat.has_forfeited or not way.is_news(looked_at):
                continue
            session = way.choose(self._link.sessions)
            if session is None:
                self._miss(number, way, now)
                continue
            has_moved = way.route is not None and not way.route.leads_to(session)
            if has_moved:
                self._give(PathLost(number))
            is_new = way.route is None or has_moved
            way.follow(session)
            if not session.connected:
                self._give(SeatLost(number, "STREAM_LOST"))
            elif is_new or seat.is_away:
                self._give(SeatBack(number))

    def _miss(self, number: int, way: SeatWay, now: int) -> None:
        """Nobody has announced the bot of this seat."""
        if way.is_gone(now, are_others_present=bool(self._link.sessions)):
            self._give(SeatLost(number, "ABSENT"))
        # A gateway that lives is announced again soon, whatever Redis has lost; until then its mailbox is as good.
        if way.route is not None and way.is_overdue(now):
            self._lose_path(number, now)

    def _lose_path(self, seat: int, now: int) -> None:
        self._ways[seat].route = None
        self._outbox.forget(seat)
        self._give(PathLost(seat))

    # Out of the referee

    def _carry_out(self, commands: list[Command]) -> None:
        now = time.monotonic_ns()
        asked: AskMove | None = None
        has_grown = False
        for command in commands:
            match command:
                case Append(entries):
                    self._append(entries)
                    has_grown = True
                case OfferMatch(seat):
                    self._send(seat, self._codec.offer(seat), now, ask=OFFER_INDEX)
                case AskMove(seat=seat, index=index):
                    route = self._ways[seat].route
                    if route is not None:
                        wants_legal, last = route.wants_legal, self._trips.get(seat)
                        payload = self._codec.request(command, last, wants_legal=wants_legal)
                        self._send(seat, payload, now, ask=index)
                        asked = command
                case ResumeSeat(seat=seat):
                    self._send(seat, self._codec.resumed(command), now)
                case TellFault(seat=seat):
                    log.info("fault", seat=seat, index=command.index, reason=command.reason, strikes=command.strikes)
                    self._outbox.forget(seat)
                    self._send(seat, self._codec.fault(command), now)
                case FinishMatch():
                    self._finish(command, now)
                case AbortMatch():
                    self._abort(command, now)
        sent = self._flush()
        if asked is not None and asked.seat in sent:
            failpoints.reach("after_ask", asked.index)
            if self._answered_at:
                metrics.OVERHEAD.observe(max(0, time.time_ns() - self._answered_at) / SECOND)
            self._give(AskWritten(asked.seat, asked.index))
        self._answered_at = 0
        if has_grown:
            self._link.bus.wake(self.match_id)

    def _send(self, seat: int, payload: bytes, now: int, *, ask: int | None = None, is_final: bool = False) -> None:
        if (route := self._ways[seat].route) is not None:
            self._outbox.put(route, seat, payload, now=now, ask=ask, is_final=is_final)

    def _flush(self) -> set[int]:
        return self._outbox.flush(lambda seat: self._lose_path(seat, time.monotonic_ns()))

    def _append(self, entries: tuple[Entry, ...]) -> None:
        failpoints.reach("before_append", self._referee.record.index)
        self._row.append(entries)
        failpoints.reach("after_append", self._referee.record.index)
        for entry in entries:
            if entry.kind == Kind.DECISION:
                metrics.DECISIONS.labels(_decider(entry)).inc()
            elif entry.kind == Kind.FAULT:
                metrics.FAULTS.labels(entry.text).inc()

    def _finish(self, command: FinishMatch, now: int) -> None:
        verdict = command.verdict.document()
        document = self._referee.replay([{"name": one["name"], "version": one["version"]} for one in self._people])
        failpoints.reach("before_finish", self._referee.record.index)
        done = self._row.finish(verdict, document)
        failpoints.reach("after_finish", self._referee.record.index)
        metrics.ENDED.labels("finished").inc()
        log.info("match_finished", verdict=command.verdict.kind, ladder=done.ladder, number=done.ladder_number)
        url = f"{self._site_url}/matches/{self.match_id}/" if self._site_url else ""
        payload = self._codec.end(document, url)
        for seat in self._ways:
            self._send(seat, payload, now, is_final=True)

    def _abort(self, command: AbortMatch, now: int) -> None:
        self._row.abort(command.reason, command.seats)
        metrics.ENDED.labels("aborted").inc()
        log.info("match_aborted", reason=command.reason, seats=command.seats, why=command.message)
        payload = self._codec.aborted(command.reason, command.message)
        for seat in self._ways:
            self._send(seat, payload, now, is_final=True)


def _decider(entry: Entry) -> str:
    data = entry.data or {}
    return next((who for who in ("house", "default", "forced") if who in data), "bot")
