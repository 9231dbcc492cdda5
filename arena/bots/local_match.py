"""A match between bots on this machine, by the arena's own referee: seeds, clocks and strikes are as there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from arena.bots.local_bot import BotGone, LocalBot
from arena.players import ask_house
from arena.referee import (
    SECOND,
    AbortMatch,
    AskMove,
    AskReveal,
    AskWritten,
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
    SeatFaulted,
    SeatLost,
    TellFault,
    Terms,
    TimePassed,
)
from arena.rules import commitment
from arena.wire.codec import CodecError
from arena.wire.matches import Accepted, Answered, Declined, MatchCodec, Revealed, decode_reply

SLACK_MS = 500
"""How long beyond its limit an answer is waited for."""


class MatchAborted(Exception):
    """The match has not begun; the message says why."""


class LocalMatch:
    """One match; `play` plays it. `bots` by seat, each at one seat of one match at a time."""

    def __init__(self, terms: Terms, bots: Sequence[LocalBot], names: Sequence[str]) -> None:
        self._bots = bots
        self._names = names
        self._terms = terms
        self._codec = MatchCodec(
            match=terms.match,
            ruleset=terms.ruleset,
            participants=self._seats(),
            clock=terms.clock,
            policy=terms.policy,
            commitment=commitment(terms.server_seed, terms.deal),
            is_rated=False,
        )
        self._referee = Referee.resume(terms, [], ask_house, SLACK_MS)
        self._skipped = 0
        """Nanoseconds of waiting that the clock was told of and that have not passed."""
        self._unfit: set[int] = set()
        """Seats whose bot's process has ended, or has not come to an end with this match."""

    def _seats(self) -> list[dict[str, str]]:
        return [
            {"name": name, "version": bot.hello.version, "owner": ""}
            for name, bot in zip(self._names, self._bots, strict=True)
        ]

    def play(self) -> dict[str, Any]:
        """Its replay. `MatchAborted`; a bot whose process has ended, or that still thinks, gets another process."""
        try:
            todo = deque(self._handle(MatchOpened()))
            while not self._referee.is_over or todo:
                todo.extend(self._carry_out(todo.popleft()) if todo else self._pass_time())
        finally:
            for seat in self._unfit:
                self._bots[seat - 1].restart()
        return self._referee.replay([{key: seat[key] for key in ("name", "version")} for seat in self._seats()])

    def _now(self) -> int:
        return time.monotonic_ns() + self._skipped

    def _handle(self, event: Event) -> list[Command]:
        return self._referee.handle(event, self._now())

    def _pass_time(self) -> list[Command]:
        """Nothing more is to come before the referee's next deadline: it need not be waited for."""
        wake_at = self._referee.wake_at
        if wake_at is None:
            raise AssertionError("the referee waits for nothing")
        self._skipped += max(0, wake_at - self._now())
        return self._handle(TimePassed())

    def _carry_out(self, command: Command) -> list[Command]:
        match command:
            case OfferMatch(seat):
                return self._exchange(seat, self._codec.offer(seat))
            case AskReveal(seat):
                return self._exchange(seat, self._codec.reveal_request(command))
            case AskMove(seat):
                return self._ask(command)
            case TellFault(seat):
                self._tell(seat, self._codec.fault(command))
            case FinishMatch():
                replay = self._referee.replay(self._seats())
                for seat in self._terms.seats:
                    self._tell(seat, self._codec.end(replay, ""))
            case AbortMatch(reason, message):
                for seat in self._terms.seats:
                    self._tell(seat, self._codec.aborted(reason, message))
                raise MatchAborted(message)
            case _:
                pass  # nothing is stored, nobody comes back
        return []

    def _tell(self, seat: int, message: bytes) -> None:
        try:
            self._bots[seat - 1].send(message)
        except BotGone:
            self._unfit.add(seat)

    def _ask(self, command: AskMove) -> list[Command]:
        wants_legal = self._bots[command.seat - 1].hello.wants_legal
        message = self._codec.request(command, None, wants_legal=wants_legal)
        written = self._handle(AskWritten(command.seat, command.index))
        return written + self._exchange(command.seat, message)

    def _exchange(self, seat: int, message: bytes) -> list[Command]:
        """Tell a bot something and hand in what it answers; nothing if it does not within its time."""
        bot, begun = self._bots[seat - 1], time.monotonic_ns()
        try:
            bot.send(message)
            while True:
                left = (self._referee.wake_at or 0) - self._now()
                reply = bot.receive(left / SECOND)
                if reply is None:
                    self._unfit.add(seat)
                    return []
                event = _event(seat, reply, time.monotonic_ns() - begun)
                if not isinstance(event, MoveArrived) or (seat, event.index) == self._referee.asked:
                    self._unfit.discard(seat)
                    return self._handle(event)
        except BotGone:
            self._unfit.add(seat)
            return self._handle(SeatLost(seat, "its process has ended"))


def _event(seat: int, reply: bytes, took: int) -> Event:
    try:
        said = decode_reply(reply)
    except CodecError as error:
        return SeatFaulted(seat, Reason.MALFORMED, str(error))
    match said:
        case Accepted(nonce_hash):
            return OfferAccepted(seat, nonce_hash)
        case Declined(reason):
            return OfferDeclined(seat, reason)
        case Revealed(nonce):
            return NonceRevealed(seat, nonce)
        case Answered(index, actions, note):
            return MoveArrived(seat, index, actions, note, think_ns=took)
