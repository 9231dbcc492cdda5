"""The messages that a referee sent to one seat, rebuilt from the log by the code that sent them.

The log determines every command to a seat, with these exceptions, which depended on time alone:

- Messages that were sent again because our path broke, or because another process took over the match.
- The time that a seat had used when it came back: a rebuilt `ResumeSeat` has the bank as it was when the clock last
  stopped.
- The reason why a nonce was refused (`NO_REVEAL`).
- Whether an illegal action that forfeited the seat was in one answer with the decision before it. Here it was not.

A log made from a published record (`retrial.log_of`) also lacks what only the owner of a bot may read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

from arena.referee import asking, faults, offering, opening, playing, revealing
from arena.referee.live import LiveMatch
from arena.referee.log import Entry, Kind, Reason
from arena.referee.messages import Command, FinishMatch, OfferMatch, SeatBack
from arena.referee.record import Record
from arena.rules import State, View


class SentCommand(NamedTuple):
    """A command to a seat."""

    command: Command
    state: State | None
    """Position at that time; None before the game."""
    log_length: int
    """Number of entries in the log at that time."""


def sent_commands(record: Record, log: Sequence[Entry], seat: int) -> Iterator[SentCommand]:
    """Yield the commands that a seat received.

    `record` must be empty; the entries of `log` are folded into it, whatever their numbers, because the notes of other
    seats may be missing. Raise `LogError` if no referee of the match can have written these entries.
    """
    history = _History(record, log, seat)
    yield from history.begin()
    for log_length, entry in enumerate(log, 1):
        yield from history.take(entry, log_length)


class _History:
    def __init__(self, record: Record, log: Sequence[Entry], seat: int) -> None:
        self._record = record
        self._log = log
        self._seat = seat
        self._match = LiveMatch(record, _no_house)
        self._fault: tuple[Entry, int] | None = None
        """A fault of the seat and its index. It is reported to the seat once its consequences are in the log."""
        self._played = ""

    def begin(self) -> Iterator[SentCommand]:
        self._match.commands.append(OfferMatch(self._seat))
        if self._record.game is not None:  # a game without a match
            self._match.commands.append(revealing.ask(self._match, self._seat))
            self._advance(0)
        yield from self._take_commands(0)

    def take(self, entry: Entry, log_length: int) -> Iterator[SentCommand]:
        record, is_own = self._record, entry.seat == self._seat
        record.apply(replace(entry, number=record.length))
        if entry.kind == Kind.ABORT:
            opening.aborted(self._match)
        elif entry.kind == Kind.COMMIT and record.has_all_hashes:
            self._match.commands.append(revealing.ask(self._match, self._seat))
        elif is_own:
            self._follow(entry, log_length)
        if record.game is not None and record.recorded == record.index:
            self._advance(log_length)
        yield from self._take_commands(log_length)

    def _take_commands(self, log_length: int) -> Iterator[SentCommand]:
        state = self._record.game.state if self._record.game else None
        for command in self._match.take():
            yield SentCommand(command, state, log_length)

    def _follow(self, entry: Entry, log_length: int) -> None:
        """Apply the consequences of an entry of the seat itself."""
        match, record = self._match, self._record
        if entry.kind == Kind.DECISION:
            match.pending, self._played = None, entry.text
        elif entry.kind == Kind.FAULT:
            self._fault, self._played = (entry, record.index), ""
            is_last = record.seats[self._seat].strikes >= record.terms.policy.strikes
            if not is_last and record.to_act != self._seat:
                self._report_fault()
        elif entry.kind == Kind.FORFEIT and self._fault is not None:
            self._report_fault()
        elif entry.kind == Kind.FORFEIT:
            message = faults.GRACE_USED_UP if entry.text == Reason.GONE else ""
            faults.report_fault(match, self._seat, record.index, Reason(entry.text), message)
        elif entry.kind == Kind.BACK and not self._forfeits_next(log_length):
            self._resume()
        elif entry.kind == Kind.NOTE and "spent_ms" in (entry.data or {}) and not record.seats[self._seat].is_away:
            self._resume()  # it has reconnected elsewhere

    def _forfeits_next(self, log_length: int) -> bool:
        following = self._log[log_length : log_length + 1]
        return any((entry.kind, entry.seat) == (Kind.FORFEIT, self._seat) for entry in following)

    def _resume(self) -> None:
        if self._record.seats[self._seat].has_forfeited:
            return
        if self._record.game is not None:
            playing.seat_back(self._match, SeatBack(self._seat), 0)
        elif self._record.has_all_hashes:
            revealing.seat_back(self._match, SeatBack(self._seat), 0)
        else:
            offering.seat_back(self._match, SeatBack(self._seat), 0)

    def _report_fault(self) -> None:
        assert self._fault is not None
        (entry, index), self._fault = self._fault, None
        data = entry.data or {}
        rule, message = data.get("rule", ""), data.get("message", "")
        faults.report_fault(self._match, self._seat, index, Reason(entry.text), message, rule, self._played)

    def _advance(self, log_length: int) -> None:
        """Report a fault whose default decision was played; then ask the seat, if it was asked.

        Nothing else is pending.
        """
        match, record = self._match, self._record
        if self._fault is not None and self._played:
            self._report_fault()
        if (verdict := record.verdict) is not None:
            if log_length == len(self._log):
                match.commands.append(FinishMatch(verdict))
        elif record.to_act == self._seat and match.pending is None and self._was_asked(log_length):
            match.pending = (self._seat, record.index)
            if not record.seats[self._seat].is_away:
                match.commands.append(asking.ask(match))

    def _was_asked(self, log_length: int) -> bool:
        """Return whether the seat was asked for the next decision.

        It was not if the decision was forced, was part of an earlier answer, or was late from the start.
        """
        record = self._record
        if record.sole_action is not None or record.seats[self._seat].has_forfeited or record.limit_ms == 0:
            return False
        for number in range(log_length, len(self._log)):
            entry = self._log[number]
            if entry.kind == Kind.DECISION:
                return "ms" in (entry.data or {})
            if entry.kind == Kind.FORFEIT and entry.seat == self._seat:
                return True
        return True


def _no_house(name: str, seed: bytes, view: View, legal: list[str]) -> NoReturn:
    raise AssertionError("the log already has every decision of the house")
