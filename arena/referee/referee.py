"""The referee of one match: events in, commands out, `now` is an argument.

One table lists everything that a referee does: the handler of each event in each state, and the states it may lead to.
Events that are not in the table are ignored on purpose: an answer to an old ask is late, not wrong, and an offer may
be accepted twice. The handlers are in `offering.py` and `revealing.py` (before the game) and `playing.py` (during it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from arena.referee import offering, opening, playing, revealing
from arena.referee.document import match_document
from arena.referee.house import House
from arena.referee.live import LiveMatch, RefereeState
from arena.referee.log import Entry
from arena.referee.messages import (
    AskWritten,
    ClockRead,
    Command,
    Event,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    PathLost,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TimePassed,
    TimeSpent,
)
from arena.referee.record import Record
from arena.referee.terms import MILLISECOND, Terms


@dataclass(frozen=True, slots=True)
class Transition:
    """Reaction to an event in a state."""

    handler: Callable[[LiveMatch, Any, int], RefereeState]
    to: tuple[RefereeState, ...]
    """States to which it may lead."""


_NEW, _OFFERING, _REVEALING, _PENDING, _THINKING, _OVER, _ABORTED = RefereeState

TABLE: Final[dict[tuple[RefereeState, type[Event]], Transition]] = {
    (_NEW, MatchOpened): Transition(offering.match_opened, (_OFFERING, _REVEALING, _PENDING, _OVER, _ABORTED)),
    (_OFFERING, OfferAccepted): Transition(offering.offer_accepted, (_OFFERING, _REVEALING, _ABORTED)),
    (_OFFERING, OfferDeclined): Transition(offering.offer_declined, (_ABORTED,)),
    (_OFFERING, SeatLost): Transition(opening.seat_lost, (_OFFERING,)),
    (_OFFERING, SeatBack): Transition(offering.seat_back, (_OFFERING,)),
    (_OFFERING, PathLost): Transition(opening.path_lost, (_OFFERING, _ABORTED)),
    (_OFFERING, ClockRead): Transition(opening.clock_read, (_OFFERING,)),
    (_OFFERING, TimePassed): Transition(offering.time_passed, (_OFFERING, _ABORTED)),
    (_REVEALING, NonceRevealed): Transition(revealing.nonce_revealed, (_REVEALING, _PENDING, _OVER)),
    (_REVEALING, SeatLost): Transition(opening.seat_lost, (_REVEALING,)),
    (_REVEALING, SeatBack): Transition(revealing.seat_back, (_REVEALING,)),
    (_REVEALING, PathLost): Transition(opening.path_lost, (_REVEALING, _ABORTED)),
    (_REVEALING, ClockRead): Transition(opening.clock_read, (_REVEALING,)),
    (_REVEALING, TimePassed): Transition(revealing.time_passed, (_REVEALING, _PENDING, _OVER, _ABORTED)),
    (_PENDING, AskWritten): Transition(playing.ask_written, (_PENDING, _THINKING)),
    (_PENDING, TimeSpent): Transition(playing.time_spent, (_PENDING,)),
    (_PENDING, MoveArrived): Transition(playing.move_arrived, (_PENDING, _OVER)),
    (_PENDING, SeatFaulted): Transition(playing.seat_faulted, (_PENDING, _OVER)),
    (_PENDING, SeatLost): Transition(playing.seat_lost, (_PENDING,)),
    (_PENDING, SeatBack): Transition(playing.seat_back, (_PENDING,)),
    (_PENDING, PathLost): Transition(playing.path_lost, (_PENDING,)),
    (_PENDING, TimePassed): Transition(playing.time_passed, (_PENDING, _OVER)),
    (_THINKING, ClockRead): Transition(playing.clock_read, (_THINKING,)),
    (_THINKING, TimeSpent): Transition(playing.time_spent, (_THINKING,)),
    (_THINKING, MoveArrived): Transition(playing.move_arrived, (_THINKING, _PENDING, _OVER)),
    (_THINKING, SeatFaulted): Transition(playing.seat_faulted, (_THINKING, _PENDING, _OVER)),
    (_THINKING, SeatLost): Transition(playing.seat_lost, (_THINKING,)),
    (_THINKING, SeatBack): Transition(playing.seat_back, (_THINKING,)),
    (_THINKING, PathLost): Transition(playing.path_lost, (_THINKING, _PENDING)),
    (_THINKING, TimePassed): Transition(playing.time_passed, (_THINKING, _PENDING, _OVER)),
}
"""The complete list of possible transitions. Events that are missing for a state are ignored there."""


class Referee:
    """One match. Hand in every event, and carry out the returned commands in their order.

    `house` plays on for seats that have forfeited. `slack_ms` is the time beyond its limit for which an answer may
    still be in transit before the seat is late.
    """

    def __init__(self, record: Record, house: House, slack_ms: int) -> None:
        self._match = LiveMatch(record, house, slack_ms * MILLISECOND)

    @classmethod
    def resume(cls, terms: Terms, log: Iterable[Entry], house: House, slack_ms: int = 0) -> Referee:
        """Return the referee that wrote this log, wherever it ends. A new match has an empty log.

        Raise `LogError` if no referee of this match can have written it.
        """
        return cls(Record.fold(terms, log), house, slack_ms)

    @property
    def record(self) -> Record:
        """The durable half: the state according to the log."""
        return self._match.record

    @property
    def state(self) -> RefereeState:
        """State of the referee."""
        return self._match.state

    @property
    def pending(self) -> tuple[int, int] | None:
        """Seat and index of the pending decision."""
        return self._match.pending

    @property
    def is_over(self) -> bool:
        """Whether the match has ended or was aborted: no event changes anything any more."""
        return self.state in (RefereeState.OVER, RefereeState.ABORTED)

    def within_credit(self, event: MoveArrived) -> MoveArrived:
        """Return the answer as it will be charged (`playing.within_credit`)."""
        return playing.within_credit(self._match, event)

    @property
    def may_ask_house(self) -> bool:
        """Whether the next event may be slow.

        It is slow if it needs the set-up of the game, or a decision of the house for a seat that has forfeited or may
        be about to.
        """
        record = self.record
        strikes = record.terms.policy.strikes - 1
        return record.game is None or any(
            seat.has_forfeited or seat.is_away or seat.strikes >= strikes for seat in record.seats.values()
        )

    @property
    def waits_for(self) -> set[int]:
        """Seats whose time may be up: the one that was asked (before the game, all whose answer is missing), and
        absent seats."""
        record = self.record
        awaited = {self.pending[0]} if self.pending else set(record.unready)
        return awaited | {number for number, seat in record.seats.items() if seat.is_away and not seat.has_forfeited}

    @property
    def wake_at(self) -> int | None:
        """When to hand in `TimePassed`, in nanoseconds on the clock of `now`; None for never."""
        match = self._match
        times = [] if match.deadline is None else [match.deadline]
        if self.state in (RefereeState.PENDING, RefereeState.THINKING):
            times += [match.grace_ends(seat) for seat in match.away_since]
        return min(times, default=None)

    def handle(self, event: Event, now: int) -> list[Command]:
        """Return the commands that an event causes, in order.

        `now` is in nanoseconds, on a monotonic clock.
        """
        transition = TABLE.get((self.state, type(event)))
        if transition is None:
            return []
        state = transition.handler(self._match, event, now)
        if state not in transition.to:
            raise AssertionError(f"{type(event).__name__} led from {self.state} to {state}, which is not in the table")
        self._match.state = state
        return self._match.take()

    def replay(self, seats: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the published document of a match that is over (docs/notation.md).

        `seats` are the documents of the players. Raise `LogError` if the match is not over.
        """
        return match_document(self.record, seats)
