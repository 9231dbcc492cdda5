"""What the handlers of a referee work on: the record, the pending ask, who is absent, and what an event causes."""

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
    """Where a referee is."""

    NEW = "NEW"
    """Folded from its log, not yet opened."""
    OFFERING = "OFFERING"
    """The bots have been offered the match and not all have answered."""
    REVEALING = "REVEALING"
    """All bots have accepted with the hash of a nonce, and not all have revealed the nonce."""
    PENDING = "PENDING"
    """A decision is asked for, and no clock runs: the ask is not on its way yet, or our way to the bot is broken."""
    THINKING = "THINKING"
    """A decision is asked for, and the seat's clock runs, its stream lost or not."""
    OVER = "OVER"
    """There is a verdict."""
    ABORTED = "ABORTED"
    """The match does not begin."""


@dataclass(slots=True)
class LiveMatch:
    """A match in the hands of one process. Times are in nanoseconds, on the clock of the shell's `now`.

    The record alone is durable. Everything else is gone with the process and made again by `MatchOpened`, so that
    the time between two owners is charged to nobody.
    """

    record: Record
    house: House
    slack: int = 0
    """How long beyond its limit an answer may still be under way; what is late is decided by its `think_ns`."""
    state: RefereeState = RefereeState.NEW
    """As it was before the event at hand; only `Referee.handle` changes it."""
    asked: tuple[int, int] | None = None
    """Seat and index of the decision that is asked for."""
    spent_before: int = 0
    """What the seat had of the pending ask before this process asked."""
    asked_at: int | None = None
    """When the pending ask was first on its way."""
    written_at: int | None = None
    """When the pending ask was on its way on the present path; None: it is not."""
    gone: int = 0
    """For how long since then the bot was away."""
    deadline: int | None = None
    """When the pending ask, the offer, or the request to reveal has had its time; None: no clock runs out."""
    give_up_at: int | None = None
    """When a broken way to a bot no longer gives the time before the game again."""
    without_path: set[int] = field(default_factory=set)
    """Before the game: the seats to which there is no way."""
    leavers: set[int] = field(default_factory=set)
    """Before the game: the seats whose bots have left the path on which they were asked, by their own doing."""
    spent_before_game: dict[int, int] = field(default_factory=dict)
    """What those have had, on paths that they have left, of the time to answer."""
    away_since: dict[int, int] = field(default_factory=dict)
    """The seats whose bots are away by their own doing."""
    entries: list[Entry] = field(default_factory=list)
    """What the event at hand has written."""
    positions: list[tuple[int, State]] = field(default_factory=list)
    """For each decision that it has written the index, and the state after it."""
    commands: list[Command] = field(default_factory=list)
    """What the event at hand wants done, in order."""

    def write(
        self,
        kind: Kind,
        seat: int,
        text: str = "",
        data: Mapping[str, Any] | None = None,
        action: Action | None = None,
    ) -> None:
        """Write an entry: the record takes it in, and the shell will be told to store it."""
        entry = Entry(self.record.length, str(kind), seat, str(text), data)
        self.record.apply(entry, action)
        self.entries.append(entry)

    def decide(self, action: Action, facts: dict[str, Any]) -> bool:
        """Play a decision that is legal here; whether chance followed. `facts` are those of `log.py`."""
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
        """What the seat has had of the pending ask on paths that it has left."""
        return self.record.spent_ms * MILLISECOND

    def used_ns(self, now: int) -> int:
        """What the seat has had of the pending ask so far."""
        return self.spent if self.written_at is None else self.spent + now - self.written_at

    @property
    def spent_gone(self) -> int:
        """For how long of what is `spent` the bot was away."""
        return self.record.spent_gone_ms * MILLISECOND

    def charged(self, open_ns: int, gone_ns: int) -> int:
        """What the bank is charged for an ask that the bot has had for so long over all its paths: all of it, but
        absences of which the record does not say anything."""
        return open_ns - max(0, gone_ns - self.record.absent_ms * MILLISECOND)

    def left_ns(self, open_ns: int, gone_ns: int) -> int:
        """What is left of an ask that the bot has had for so long on the present path: absences are charged to the
        bank, and not to the cap."""
        record, open_ns, gone_ns = self.record, self.spent + open_ns, self.spent_gone + gone_ns
        bank_left = record.seats[record.to_act].bank_ms * MILLISECOND - self.charged(open_ns, gone_ns)
        cap_left = record.terms.clock.cap_ms * MILLISECOND - (open_ns - gone_ns)
        return min(bank_left, cap_left)

    def set_deadline(self) -> None:
        """The time of the pending ask does not run out while it is not on its way, or the bot is away: what bounds an
        absence is the grace."""
        self.deadline = None
        if self.written_at is not None and not self.record.seats[self.record.to_act].is_away:
            self.deadline = self.written_at + self.gone + self.left_ns(self.gone, self.gone) + self.slack

    def stop_clock(self) -> None:
        """The pending ask is not on its way any more."""
        self.written_at, self.gone, self.deadline = None, 0, None

    def end_absence(self, seat: int, away_ms: int) -> None:
        """The seat's grace runs no longer; `away_ms` of it are used up."""
        if self.record.seats[seat].is_away:
            self.write(Kind.BACK, seat, data={"away_ms": away_ms})
        self.away_since.pop(seat, None)

    def away_ms(self, seat: int, now: int) -> int:
        """How long the seat has been away, in whole milliseconds; 0 if it is not. It is less than its grace, however
        late this is asked: an absence that leaves no grace is a forfeit."""
        away_ms = (now - self.away_since.get(seat, now)) // MILLISECOND
        return min(away_ms, max(0, self.record.seats[seat].grace_ms - 1))

    def grace_ends(self, seat: int) -> int:
        """When the seat, which is away, will have been so for longer than its grace."""
        return self.away_since[seat] + self.record.seats[seat].grace_ms * MILLISECOND

    def take(self) -> list[Command]:
        """What the event at hand wants done, after what it has written is durable; all lists begin anew."""
        commands = self.commands
        if self.entries:
            commands = [Append(tuple(self.entries), tuple(self.positions)), *commands]
        self.entries, self.positions, self.commands = [], [], []
        return commands
