"""The state that the handlers of a referee work on: the record, the pending ask, absences, and the effects of an
event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.referee.house import House
from arena.referee.log import Entry, Kind
from arena.referee.messages import Append, Command
from arena.referee.record import Record
from arena.referee.terms import MILLISECOND
from arena.rules import Action, State


class RefereeState(StrEnum):
    """State of a referee."""

    NEW = "NEW"
    """Folded from its log, but not opened yet."""
    OFFERING = "OFFERING"
    """The bots have been offered the match, and not all have answered."""
    REVEALING = "REVEALING"
    """All bots have accepted with the hash of a nonce, and not all have revealed the nonce."""
    PENDING = "PENDING"
    """A decision is pending and no clock runs: the ask has not been sent yet, or our path to the bot is broken."""
    THINKING = "THINKING"
    """A decision is pending and the seat's clock runs, whether its stream is lost or not."""
    OVER = "OVER"
    """The match has a verdict."""
    ABORTED = "ABORTED"
    """The match does not begin."""


@dataclass(slots=True)
class LiveMatch:
    """A match owned by one process. Times are in nanoseconds, on the clock of the shell's `now`.

    Only the record is durable. Everything else is lost with the process and rebuilt by `MatchOpened`, so the time
    between two owners is charged to nobody.
    """

    record: Record
    house: House
    slack: int = 0
    """Time beyond its limit for which an answer may still be in transit. `think_ns` decides whether an answer is
    late."""
    state: RefereeState = RefereeState.NEW
    """State before the current event; only `Referee.handle` changes it."""
    pending: tuple[int, int] | None = None
    """Seat and index of the pending decision."""
    spent_before: int = 0
    """Time that the seat had for the pending ask before this process asked."""
    asked_at: int | None = None
    """When the pending ask was first sent."""
    written_at: int | None = None
    """When the pending ask was sent on the current path; None if it has not been."""
    away_ns: int = 0
    """Time since `written_at` for which the bot was away."""
    deadline: int | None = None
    """Deadline of the pending ask, the offer, or the request to reveal; None if no clock runs out."""
    give_up_at: int | None = None
    """Time after which a broken path to a bot no longer restarts the deadline before the game."""
    without_path: set[int] = field(default_factory=set)
    """Before the game: seats without a path."""
    leavers: set[int] = field(default_factory=set)
    """Before the game: seats whose bots have left, on their own, the path on which they were asked."""
    spent_before_game: dict[int, int] = field(default_factory=dict)
    """Time to answer that these seats have used on paths that they have left."""
    away_since: dict[int, int] = field(default_factory=dict)
    """Seats whose bots are away on their own, and since when."""
    entries: list[Entry] = field(default_factory=list)
    """Entries written by the current event."""
    positions: list[tuple[int, State]] = field(default_factory=list)
    """For each decision written by the current event: its index, and the state after it."""
    commands: list[Command] = field(default_factory=list)
    """Commands caused by the current event, in order."""

    def write(
        self,
        kind: Kind,
        seat: int,
        text: str = "",
        data: Mapping[str, Any] | None = None,
        action: Action | None = None,
    ) -> None:
        """Write an entry: apply it to the record, and queue it to be stored."""
        entry = Entry(self.record.length, str(kind), seat, str(text), data)
        self.record.apply(entry, action)
        self.entries.append(entry)

    def decide(self, action: Action, facts: dict[str, Any]) -> bool:
        """Play a decision that is legal here. Return whether a chance event followed. `facts` are those of `log.py`."""
        record, index = self.record, self.record.index
        if record.sole_action is not None:
            facts = {**facts, "forced": True}
        self.write(Kind.DECISION, record.to_act, action.text, facts or None, action)
        chance = record.running.events[record.recorded :]
        for event in chance:
            self.write(Kind.CHANCE, 0, event.text)
        self.positions.append((index, record.state))
        return bool(chance)

    @property
    def spent(self) -> int:
        """Time that the seat has had for the pending ask on paths that it has left."""
        return self.record.spent_ms * MILLISECOND

    def used_ns(self, now: int) -> int:
        """Return the time that the seat has had for the pending ask so far."""
        return self.spent if self.written_at is None else self.spent + now - self.written_at

    @property
    def spent_gone(self) -> int:
        """Part of `spent` for which the bot was away."""
        return self.record.spent_gone_ms * MILLISECOND

    def charged(self, open_ns: int, gone_ns: int) -> int:
        """Return the charge to the bank for an ask that the bot has had for `open_ns` over all its paths.

        The charge is all of that time, except absences that the record does not mention.
        """
        return open_ns - max(0, gone_ns - self.record.absent_ms * MILLISECOND)

    def left_ns(self, open_ns: int, gone_ns: int) -> int:
        """Return the time left for an ask that the bot has had for `open_ns` on the current path.

        Absences are charged to the bank, and not to the cap.
        """
        record, open_ns, gone_ns = self.record, self.spent + open_ns, self.spent_gone + gone_ns
        bank_left = record.seats[record.to_act].bank_ms * MILLISECOND - self.charged(open_ns, gone_ns)
        cap_left = record.terms.clock.cap_ms * MILLISECOND - (open_ns - gone_ns)
        return min(bank_left, cap_left)

    def set_deadline(self) -> None:
        """Set the deadline of the pending ask; None while the ask has not been sent or the bot is away.

        An absence is bounded by the grace instead.
        """
        self.deadline = None
        if self.written_at is not None and not self.record.seats[self.record.to_act].is_away:
            self.deadline = self.written_at + self.away_ns + self.left_ns(self.away_ns, self.away_ns) + self.slack

    def stop_clock(self) -> None:
        """Record that the pending ask is no longer on its way."""
        self.written_at, self.away_ns, self.deadline = None, 0, None

    def end_absence(self, seat: int, away_ms: int) -> None:
        """End an absence, which has used up `away_ms` of the seat's grace."""
        if self.record.seats[seat].is_away:
            self.write(Kind.BACK, seat, data={"away_ms": away_ms})
        self.away_since.pop(seat, None)

    def hand_over(self, seat: int, by: str) -> None:
        """Record that another process of the bot plays from now on, so that the match's next owner asks that one."""
        if by:
            self.write(Kind.NOTE, seat, data={"index": self.record.index, "by": by})

    def away_ms(self, seat: int, now: int) -> int:
        """Return how long the seat has been away, in whole milliseconds; 0 if it is not away.

        The result is always less than its grace, however late this is called: an absence that leaves no grace is a
        forfeit.
        """
        away_ms = (now - self.away_since.get(seat, now)) // MILLISECOND
        return min(away_ms, max(0, self.record.seats[seat].grace_ms - 1))

    def grace_ends(self, seat: int) -> int:
        """Return when the grace of an absent seat ends."""
        return self.away_since[seat] + self.record.seats[seat].grace_ms * MILLISECOND

    def take(self) -> list[Command]:
        """Return the commands of the current event, with what it has written first. Empty all lists."""
        commands = self.commands
        if self.entries:
            commands = [Append(tuple(self.entries), tuple(self.positions)), *commands]
        self.entries, self.positions, self.commands = [], [], []
        return commands
