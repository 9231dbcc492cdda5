"""For any events in any order, a match ends with exactly one finish, and its log alone determines everything."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.referee import (
    AbortMatch,
    AskMove,
    Clock,
    ClockRead,
    Command,
    Kind,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    PathLost,
    Policy,
    Reason,
    Record,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    Terms,
    TimePassed,
    TimeSpent,
    prove,
    sent_commands,
)
from arena.rules import Ruleset
from tests.referee.conftest import Table, accepted, house, revealed

MS = 1_000_000
BEFORE_THE_GAME = (RefereeState.OFFERING, RefereeState.REVEALING)
seats = st.integers(1, 4)


class Interleavings(RuleBasedStateMachine):
    """A shell and bots that do everything that shells and bots can do."""

    @initialize(
        players=st.sampled_from([4, 3, 2]),
        seed=st.binary(min_size=32, max_size=32),
        bank=st.sampled_from([60_000, 500, 0]),
        strikes=st.sampled_from([3, 20]),
        are_ready=st.sampled_from([True, True, True, False]),
    )
    def open(self, players: int, seed: bytes, bank: int, strikes: int, are_ready: bool) -> None:
        clock = Clock(bank_ms=bank, increment_ms=100, cap_ms=1_000)
        policy = Policy(strikes=strikes, grace_ms=3_000, offer_ms=1_000)
        self.table = Table(Terms("m", Ruleset(players), seed, clock, policy))
        self.choice = random.Random(seed)
        self.table.give(MatchOpened())
        if are_ready:
            for seat in self.table.terms.seats:
                self.table.give(accepted(seat))
        self.seen: dict[int, str] = {}
        """Summary of the live record at each length of the log."""

    def seat(self, number: int) -> int:
        return (number - 1) % self.table.terms.ruleset.players + 1

    def is_playing(self) -> bool:
        return self.table.referee.state in (RefereeState.PENDING, RefereeState.THINKING)

    def is_over(self) -> bool:
        return self.table.referee.state in (RefereeState.OVER, RefereeState.ABORTED)

    def legal_batch(self, length: int) -> tuple[str, ...]:
        """Return a plan of `length` decisions that ignores chance and other seats."""
        state, actions = self.table.record.state, []
        while len(actions) < length and not state.is_over and state.due is None:
            actions.append(self.choice.choice(list(state.legal)))
            state = state.play(actions[-1])
        return tuple(action.text for action in actions)

    # Bots

    @rule(number=seats, digest=st.binary(min_size=32, max_size=32))
    def accept(self, number: int, digest: bytes) -> None:
        self.table.give(OfferAccepted(self.seat(number), digest))

    @rule(number=seats, nonce=st.sampled_from([b"", b"\1" * 16, b"\2" * 16]))
    def reveal(self, number: int, nonce: bytes) -> None:
        self.table.give(NonceRevealed(self.seat(number), nonce))

    @precondition(lambda self: self.table.referee.state in BEFORE_THE_GAME)
    @rule()
    def answer_all(self) -> None:
        is_revealing = self.table.referee.state == RefereeState.REVEALING
        for seat in self.table.record.unready:
            self.table.give(revealed(seat) if is_revealing else accepted(seat))

    @rule(number=seats, how=st.integers(0, 20))
    def decline(self, number: int, how: int) -> None:
        if how == 0:
            self.table.give(OfferDeclined(self.seat(number)))
        elif how == 1:
            self.table.give(OfferAccepted(self.seat(number), bytes(33)))

    @precondition(is_playing)
    @rule(
        answers=st.integers(1, 40),
        longest=st.integers(1, 8),
        think=st.integers(0, 60),
        gone=st.sampled_from([0, 0, 0, 700, 5_000]),
        note=st.text(max_size=3),
    )
    def answer(self, answers: int, longest: int, think: int, gone: int, note: str) -> None:
        for _ in range(answers):
            if not self.is_playing():
                return
            ask = self.table.write()
            actions = self.legal_batch(self.choice.randint(1, longest))
            took = {"think_ns": (think + gone) * MS, "gone_ns": gone * MS}
            self.table.give(MoveArrived(ask.seat, ask.index, actions, note, **took), after=think / 1000)
            gone = 0

    @precondition(is_playing)
    @rule(good=st.integers(0, 3), bad=st.sampled_from(["", "take A1", "bid 99", "end", "!bag w", "build 1"]))
    def answer_badly(self, good: int, bad: str) -> None:
        ask = self.table.write()
        self.table.give(MoveArrived(ask.seat, ask.index, (*self.legal_batch(good), bad)))

    @precondition(is_playing)
    @rule(number=seats, index=st.integers(0, 300))
    def answer_to_something_else(self, number: int, index: int) -> None:
        if (self.seat(number), index) != self.table.referee.pending:
            length = len(self.table.log)
            self.table.give(MoveArrived(self.seat(number), index, ("end",)))
            assert len(self.table.log) == length

    @rule(number=seats, really=st.integers(0, 3))
    def flood(self, number: int, really: int) -> None:
        if really == 0:
            self.table.give(SeatFaulted(self.seat(number), Reason.FLOODING, "too much"))

    @rule(number=seats)
    def drop_stream(self, number: int) -> None:
        self.table.give(SeatLost(self.seat(number)))

    # The shell

    @rule(number=seats, by=st.sampled_from(["", "another"]), after=st.floats(0, 0.5))
    def come_back(self, number: int, by: str, after: float) -> None:
        for command in self.table.give(SeatBack(self.seat(number), by), after=after):
            if isinstance(command, AskMove):
                assert (command.seat, command.index) == self.table.referee.pending

    @rule(number=seats, left_by_bot=st.booleans(), is_refused=st.booleans(), is_handed_over=st.booleans())
    def break_path(self, number: int, left_by_bot: bool, is_refused: bool, is_handed_over: bool) -> None:
        self.table.give(PathLost(self.seat(number), left_by_bot, is_refused, is_handed_over))

    @precondition(is_playing)
    @rule(present=st.integers(0, 900), gone=st.integers(0, 2_000))
    def leave_path(self, present: int, gone: int) -> None:
        ask = self.table.ask
        self.table.give(TimeSpent(ask.seat, ask.index, (present + gone) * MS, gone * MS), after=present / 1000)

    @precondition(is_playing)
    @rule(present=st.integers(0, 900), gone=st.integers(0, 2_000))
    def read_clock(self, present: int, gone: int) -> None:
        ask = self.table.ask
        self.table.give(ClockRead(ask.seat, ask.index, (present + gone) * MS, gone * MS))

    @precondition(is_playing)
    @rule()
    def write_ask(self) -> None:
        self.table.write()

    @rule(after=st.sampled_from([0.0, 0.1, 0.1, 0.1, 1.0, 4.0]))
    def time(self, after: float) -> None:
        self.table.give(TimePassed(), after=after)

    @rule(gap=st.sampled_from([0, 1, 1000]))
    def another_owner(self, gap: int) -> None:
        banks = {number: seat.bank_ms for number, seat in self.table.record.seats.items()}
        asked, finishes = self.table.referee.pending, len(self.table.finishes)
        self.table.now += gap * 1_000_000_000
        self.table.resume()
        assert self.table.referee.pending == asked
        assert {number: seat.bank_ms for number, seat in self.table.record.seats.items()} == banks
        if finishes:  # repeated by the new owner, unchanged
            assert self.table.told.pop() == self.table.finishes[0]

    # Invariants

    @invariant()
    def the_log_tells_all(self) -> None:
        table = self.table
        rebuilt = table.rebuilt()
        assert rebuilt.record == table.record
        self.seen[len(table.log)] = summary(table.record)
        rebuilt.handle(MatchOpened(), table.now)
        assert rebuilt.record == table.record, "a new owner found something to write"
        assert rebuilt.pending == table.referee.pending

    @invariant()
    def ends_are_final(self) -> None:
        aborts = [command for command in self.table.told if isinstance(command, AbortMatch)]
        assert len(self.table.finishes) == (self.table.referee.state == RefereeState.OVER)
        assert bool(aborts) == (self.table.referee.state == RefereeState.ABORTED)
        if self.is_over():
            assert self.table.referee.wake_at is None

    @invariant()
    def no_fault_goes_beyond_the_last_strike(self) -> None:
        policy = self.table.terms.policy
        for seat in self.table.record.seats.values():
            assert 0 <= seat.strikes <= policy.strikes
            assert seat.has_forfeited or seat.strikes < policy.strikes
            assert seat.bank_ms >= 0 and 0 <= seat.grace_ms <= policy.grace_ms

    def teardown(self) -> None:
        """Every match ends if only time passes, and every prefix of its log is a match that can continue."""
        if not hasattr(self, "table"):
            return
        table = self.table
        for seat in table.terms.seats:
            table.give(SeatLost(seat))
        for _ in range(10_000):
            if self.is_over():
                break
            if table.referee.state == RefereeState.PENDING:
                table.write()
            assert table.referee.wake_at is not None
            table.now = max(table.now, table.referee.wake_at)
            table.give(TimePassed())
            self.the_log_tells_all()
        assert self.is_over()
        self.ends_are_final()
        for length, text in self.seen.items():
            assert summary(Record.fold(table.terms, table.log[:length])) == text
        self.the_log_knows_what_a_seat_was_told(self.choice.choice(table.terms.seats))
        if table.referee.state == RefereeState.OVER:
            document = table.referee.replay([{"name": "bot", "version": "1"} for _ in table.terms.seats])
            prove(document, house)

    def the_log_knows_what_a_seat_was_told(self, seat: int) -> None:
        """Everything rebuilt from the log was sent at the time.

        It has every ask that was sent to a bot with a stream.
        """
        table = self.table
        given = [without_legal(one) for one in table.told if getattr(one, "seat", seat) == seat]
        again = [without_legal(one.command) for one in sent_commands(Record(table.terms), table.log, seat)]
        blind = {entry.data["index"] for entry in table.entries(Kind.FORFEIT) if entry.seat == seat and entry.data}
        for last, one in pairwise([None, *again]):
            if isinstance(one, ResumeSeat):  # the log does not have the time used until then
                continue
            if isinstance(one, AskMove) and isinstance(last, ResumeSeat):  # nor whether it was sent again at once
                assert one.index in [two.index for two in given if isinstance(two, AskMove)] or one.index in blind
                continue
            if isinstance(one, TellFault) and one.reason == Reason.NO_REVEAL:
                one = next(two for two in given if isinstance(two, TellFault) and two.reason == one.reason)
            assert one in given or (isinstance(one, AskMove) and one.index in blind), one
        asked = {one.index for one in again if isinstance(one, AskMove)}
        due = {one.index for one in given if isinstance(one, AskMove)}
        assert asked - blind <= due
        if not any(entry.seat == seat for entry in table.entries(Kind.LOST)):
            assert due <= asked


def without_legal(command: Command) -> Command:
    """Return the command without legal actions: two asks of one decision are equal."""
    return replace(command, legal=()) if isinstance(command, AskMove) else command


def summary(record: Record) -> str:
    """Return all that a record knows at the moment."""
    return repr((record.length, record.seats, record.forfeits, record.abort, record.events, record.recorded))


Interleavings.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestInterleavings = Interleavings.TestCase
