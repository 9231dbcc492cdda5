"""A match of bots on this machine with the arena's own referee: seeds, clocks and strikes are the same."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from arena.local.competitor import (
    OFFER,
    REVEAL,
    BotLost,
    BotReturned,
    Competitor,
    CompetitorEvent,
    MessageReceived,
    ProtocolBroken,
)
from arena.players import ask_house
from arena.referee import (
    MILLISECOND,
    SECOND,
    AbortMatch,
    AskMove,
    AskReveal,
    AskWritten,
    ClockRead,
    Command,
    Event,
    FinishMatch,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    Reason,
    Referee,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    Terms,
    TimePassed,
)
from arena.rules import commitment
from arena.wire.codec import CodecError
from arena.wire.matches import Accepted, Answered, Declined, MatchCodec, Revealed, RoundTrip, decode_reply

SLACK_MS = 500
"""Milliseconds beyond its limit for which an answer is awaited."""


class MatchAborted(Exception):
    """Raised when the match did not start; the message says why."""


class Stopped(Exception):
    """Raised when the match was stopped from outside."""


class PlayedMatch(NamedTuple):
    """A match that was played to an end."""

    replay: dict[str, Any]
    thinks: tuple[tuple[int, ...], ...]
    """Times of each seat's answers, in nanoseconds."""


class LocalMatch:
    """One match; `play` plays it. `players` is by seat, each at one seat."""

    def __init__(self, terms: Terms, players: Sequence[Competitor], names: Sequence[str]) -> None:
        self._players = players
        self._names = names
        self._terms = terms
        self._codec = MatchCodec(
            match=terms.match,
            ruleset=terms.ruleset,
            participants=[{**seat, "owner": ""} for seat in self._seats()],
            clock=terms.clock,
            policy=terms.policy,
            commitment=commitment(terms.server_seed, terms.deal),
            is_rated=False,
        )
        self._referee = Referee.resume(terms, [], ask_house, SLACK_MS)
        self._inbox: SimpleQueue[tuple[int, CompetitorEvent] | None] = SimpleQueue()
        self._skipped = 0
        """Nanoseconds by which the clock was advanced without waiting."""
        self._ended: set[int] = set()
        """Seats whose bot cannot reconnect."""
        self._owed: dict[int, int] = {}
        """The last ask of each seat that it has not answered."""
        self._thinks: dict[int, list[int]] = {seat: [] for seat in terms.seats}
        self._last: dict[int, RoundTrip] = {}

    @property
    def unfit(self) -> set[int]:
        """Seats whose bot did not finish this match in order."""
        return self._owed.keys() | self._ended

    def _seats(self) -> list[dict[str, str]]:
        versions = (player.hello.version for player in self._players)
        return [{"name": name, "version": version} for name, version in zip(self._names, versions, strict=True)]

    def play(self) -> PlayedMatch:
        """Play the match and return its replay and the bots' times. Raises `MatchAborted` or `Stopped`."""
        for seat, player in enumerate(self._players, start=1):
            player.enter(self._terms.match, partial(self._queue_event, seat))
        try:
            todo = deque(self._handle(MatchOpened()))
            while not self._referee.is_over or todo:
                todo.extend(self._carry_out(todo.popleft()) if todo else self._wait())
        except Stopped:
            for seat in self._terms.seats:
                self._notify(seat, self._codec.aborted("VOID", "the games were stopped"))
            raise
        finally:
            for player in self._players:
                player.leave(self._terms.match)
        return PlayedMatch(self._referee.replay(self._seats()), tuple(map(tuple, self._thinks.values())))

    def stop(self) -> None:
        """End `play` from another thread."""
        self._inbox.put(None)

    def _queue_event(self, seat: int, event: CompetitorEvent) -> None:
        self._inbox.put((seat, event))

    def _now(self) -> int:
        return time.monotonic_ns() + self._skipped

    def _handle(self, event: Event) -> list[Command]:
        return self._referee.handle(event, self._now())

    # Commands of the referee

    def _carry_out(self, command: Command) -> list[Command]:
        match command:
            case OfferMatch(seat):
                self._ask(seat, OFFER, self._codec.offer(seat))
            case AskReveal(seat):
                self._ask(seat, REVEAL, self._codec.reveal_request(command))
            case AskMove(seat, index):
                hello = self._players[seat - 1].hello
                message = self._codec.request(
                    self._with_time_left(command), self._last.get(seat), wants_legal=hello.wants_legal
                )
                self._ask(seat, index, message)
                return self._handle(AskWritten(seat, index))
            case TellFault(seat):
                self._notify(seat, self._codec.fault(command))
            case ResumeSeat(seat):
                self._notify(seat, self._codec.resumed(command))
            case FinishMatch():
                replay = self._referee.replay(self._seats())
                for seat in self._terms.seats:
                    self._notify(seat, self._codec.end(replay, ""))
            case AbortMatch(reason, message):
                for seat in self._terms.seats:
                    self._notify(seat, self._codec.aborted(reason, message))
                raise MatchAborted(message)
            case _:
                pass  # nothing is stored
        return []

    def _with_time_left(self, ask: AskMove) -> AskMove:
        """Return the ask with the time that is left, if the bot has had it before."""
        if self._owed.get(ask.seat) != ask.index:
            return ask
        spent = self._players[ask.seat - 1].ask_time(self._terms.match)
        bank, cap = spent.open_ns // MILLISECOND, (spent.open_ns - spent.gone_ns) // MILLISECOND
        return replace(ask, bank_ms=max(0, ask.bank_ms - bank), cap_ms=max(0, ask.cap_ms - cap))

    def _notify(self, seat: int, message: bytes) -> None:
        self._players[seat - 1].send(self._terms.match, message)

    def _ask(self, seat: int, ask: int, message: bytes) -> None:
        self._owed[seat] = ask
        self._players[seat - 1].send(self._terms.match, message, ask)

    # Events

    def _wait(self) -> list[Command]:
        """Wait for a message or a deadline. If no message can arrive any more, the deadline passes at once."""
        wake_at = self._referee.wake_at
        if wake_at is None:
            raise AssertionError("the referee waits for nothing")
        if self._referee.waits_for <= self._ended:
            self._skipped += max(0, wake_at - self._now())
            return self._handle(TimePassed())
        try:
            received = self._inbox.get(timeout=max(0, wake_at - self._now()) / SECOND)
        except Empty:
            return self._time_up()
        if received is None:
            raise Stopped
        return self._handle_event(*received)

    def _time_up(self) -> list[Command]:
        """Handle a deadline that has passed here; the times that the bots have had decide."""
        index = self._referee.pending[1] if self._referee.pending else 0
        for seat in self._referee.waits_for:
            spent = self._players[seat - 1].ask_time(self._terms.match)
            self._handle(ClockRead(seat, index, spent.open_ns, spent.gone_ns))
        wake_at = self._referee.wake_at
        return [] if wake_at is not None and wake_at > self._now() else self._handle(TimePassed())

    def _handle_event(self, seat: int, event: CompetitorEvent) -> list[Command]:
        match event:
            case MessageReceived():
                return self._handle_message(seat, event)
            case BotLost(reason, is_final):
                if is_final:
                    self._ended.add(seat)
                return self._handle(SeatLost(seat, reason))
            case BotReturned():
                return self._handle(SeatBack(seat))
            case ProtocolBroken(reason, message):
                return self._handle(SeatFaulted(seat, reason, message))

    def _handle_message(self, seat: int, message: MessageReceived) -> list[Command]:
        event, answers = _event(seat, message)
        if self._owed.get(seat) == answers:
            del self._owed[seat]
        if isinstance(event, MoveArrived) and (seat, event.index) == self._referee.pending:
            took_ns = message.ask_time.open_ns - message.ask_time.gone_ns
            self._thinks[seat].append(took_ns)
            self._last[seat] = RoundTrip(message.network_ns, 0, took_ns)
        return self._handle(event)


def _event(seat: int, message: MessageReceived) -> tuple[Event, int | None]:
    """Return the referee's event for a message, and the ask that it answers."""
    try:
        reply = decode_reply(message.payload)
    except CodecError as error:
        return SeatFaulted(seat, Reason.MALFORMED, str(error)), None
    match reply:
        case Accepted(nonce_hash):
            return OfferAccepted(seat, nonce_hash), OFFER
        case Declined(reason):
            return OfferDeclined(seat, said=reason), OFFER
        case Revealed(nonce):
            return NonceRevealed(seat, nonce), REVEAL
        case Answered(index, actions, note):
            open_ns, gone_ns = message.ask_time
            move = MoveArrived(
                seat, index, actions, note, think_ns=open_ns, network_ns=message.network_ns, gone_ns=gone_ns
            )
            return move, index
