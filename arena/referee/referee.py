"""The referee of one match: events in, commands out, `now` is an argument.

All that a referee does stands in one table: which handler takes which event in which state, and where it may lead.
What is not in the table is ignored, on purpose: an answer to an old ask is late, not wrong; an offer may be accepted
twice.

The durable half of a referee is its `Record`. What is kept here are clocks that run now and what was asked: gone with
the process, and made again by `MatchOpened`. So the time between two owners is charged to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from arena.referee.log import AbortReason, Entry, Kind, LogError, Reason
from arena.referee.messages import (
    AbortMatch,
    Append,
    AskMove,
    AskWritten,
    Command,
    Event,
    FinishMatch,
    MatchOpened,
    MoveArrived,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    TimePassed,
)
from arena.referee.record import Record
from arena.referee.terms import MAX_NONCE, MAX_NOTE, MILLISECOND, Terms
from arena.rules import Action, ActionSyntaxError, RulesError, View, default_action, replay_document, view

MAX_SENTENCE: Final = 200
"""Characters of a sentence in the log."""

House = Callable[[str, bytes, View, list[str]], str]
"""Name of a house player, seed, view, legal actions -> action."""


class RefereeState(StrEnum):
    """Where a referee is."""

    NEW = "NEW"
    """Folded from its log, not yet opened."""
    OFFERING = "OFFERING"
    """The bots have been offered the match and not all have answered."""
    PENDING = "PENDING"
    """A decision is asked for, and no clock runs: the ask is not on its way yet, or our way to the bot is broken."""
    THINKING = "THINKING"
    """A decision is asked for, and the seat's clock runs, its stream lost or not."""
    OVER = "OVER"
    """There is a verdict."""
    ABORTED = "ABORTED"
    """The match does not begin."""


@dataclass(frozen=True, slots=True)
class Row:
    """What happens at an event in a state."""

    handler: Callable[[Referee, Any, int], RefereeState]
    to: tuple[RefereeState, ...]
    """Where it may lead."""


class Referee:
    """One match. Hand in every event; carry out the commands that come back, in their order."""

    def __init__(self, record: Record, house: House, slack_ms: int = 0) -> None:
        self.record = record
        self.state = RefereeState.NEW
        self._house = house
        self._slack = slack_ms * MILLISECOND
        """How long beyond its limit an answer may still be under way; what is late is decided by its `think_ns`."""
        self._asked: tuple[int, int] | None = None
        self._deadline: int | None = None
        self._away_since: dict[int, int] = {}
        self._entries: list[Entry] = []
        self._commands: list[Command] = []

    @classmethod
    def resume(cls, terms: Terms, log: Iterable[Entry], house: House, slack_ms: int = 0) -> Referee:
        """The referee that wrote this log, wherever it ends; a new match has an empty one."""
        return cls(Record.fold(terms, log), house, slack_ms)

    @property
    def asked(self) -> tuple[int, int] | None:
        """Seat and index of the decision that is asked for."""
        return self._asked

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, or does not begin: no event changes anything any more."""
        return self.state in (RefereeState.OVER, RefereeState.ABORTED)

    @property
    def waits_for(self) -> set[int]:
        """The seats whose time may be up: the one that is asked (or all that have not accepted), and the absent."""
        record = self.record
        asked = {self._asked[0]} if self._asked else set(record.unready)
        return asked | {number for number, seat in record.seats.items() if seat.is_away and not seat.has_forfeited}

    @property
    def wake_at(self) -> int | None:
        """When `TimePassed` is to be handed in; None: never."""
        times = [] if self._deadline is None else [self._deadline]
        if self.state in (RefereeState.PENDING, RefereeState.THINKING):
            times += [self._grace_ends(seat) for seat in self._away_since]
        return min(times, default=None)

    def handle(self, event: Event, now: int) -> list[Command]:
        """What is to be done about an event."""
        row = TABLE.get((self.state, type(event)))
        if row is None:
            return []
        state = row.handler(self, event, now)
        if state not in row.to:
            raise AssertionError(
                f"{type(event).__name__} led from {self.state} to {state}, which the table does not have"
            )
        self.state = state
        commands, entries = self._commands, tuple(self._entries)
        self._commands, self._entries = [], []
        return [Append(entries), *commands] if entries else commands

    def replay(self, seats: list[dict[str, Any]]) -> dict[str, Any]:
        """The published document of a match that is over; `seats` says who played."""
        terms, verdict = self.record.terms, self.record.verdict
        if verdict is None:
            raise LogError("the match goes on")
        return replay_document(
            self.record.running,
            match=terms.match,
            seats=seats,
            server_seed=terms.server_seed,
            nonces=[seat.nonce for seat in self.record.seats.values()],
            clock=terms.clock.document(),
            policy=terms.policy.document(),
            verdict=verdict.document(),
        )

    # Before the game

    def _open(self, event: MatchOpened, now: int) -> RefereeState:
        if self.record.abort is not None:
            return self._aborted()
        self._away_since = {number: now for number, seat in self.record.seats.items() if seat.is_away}
        if self.record.game is not None:
            return self._go_on()
        self._offer_until(now)
        self._commands += [OfferMatch(seat) for seat in self.record.unready]
        return RefereeState.OFFERING

    def _accept(self, event: OfferAccepted, now: int) -> RefereeState:
        if event.seat not in self.record.unready:
            return RefereeState.OFFERING  # again: the first nonce counts
        if len(event.nonce) > MAX_NONCE:
            return self._abort(AbortReason.BAD_NONCE, [event.seat], f"a nonce has at most {MAX_NONCE} bytes")
        self._write(Kind.READY, event.seat, event.nonce.hex(), {"by": event.by} if event.by else None)
        if self.record.game is None:
            return RefereeState.OFFERING
        self._deadline = None
        self._away_since = dict.fromkeys(self._away_since, now)
        return self._go_on()

    def _decline(self, event: OfferDeclined, now: int) -> RefereeState:
        reason = _printable(event.reason) or "the bot gave no reason"
        if event.is_blamed:
            return self._abort(AbortReason.DECLINED, [event.seat], reason)
        return self._abort(AbortReason.NO_PLACE, [], reason)

    def _offer_again(self, event: SeatBack, now: int) -> RefereeState:
        self._return(event.seat, away_ms=0)  # grace is for the game
        self._commands.append(
            OfferMatch(event.seat) if event.seat in self.record.unready else self._resumption(event.seat)
        )
        return RefereeState.OFFERING

    def _offer_longer(self, event: PathLost, now: int) -> RefereeState:
        self._offer_until(now)
        return RefereeState.OFFERING

    def _end_offer(self, event: TimePassed, now: int) -> RefereeState:
        if self._deadline is None or now < self._deadline:
            return RefereeState.OFFERING
        return self._abort(AbortReason.NO_ANSWER, self.record.unready, "an offer was not answered in time")

    def _offer_until(self, now: int) -> None:
        self._deadline = now + self.record.terms.policy.offer_ms * MILLISECOND + self._slack

    def _abort(self, reason: AbortReason, seats: list[int], message: str) -> RefereeState:
        self._write(Kind.ABORT, 0, reason, {"seats": seats, "message": message})
        return self._aborted()

    def _aborted(self) -> RefereeState:
        abort = self.record.abort
        if abort is None or abort.data is None:
            raise LogError("no abort was written")
        self._deadline = None
        self._commands.append(AbortMatch(abort.text, abort.data["message"], tuple(abort.data["seats"])))
        return RefereeState.ABORTED

    # Asking

    def _go_on(self) -> RefereeState:
        """Play what needs no bot; then ask for the next decision, or end."""
        record = self.record
        while (verdict := record.verdict) is None:
            seat = record.to_act
            if (sole := record.sole_action) is not None:
                self._decide(sole, {})
            elif record.seats[seat].has_forfeited:
                self._decide(self._ask_house(seat), {"house": record.terms.policy.house})
            elif record.limit_ms == 0:
                self._fault(seat, Reason.LATE, "no time is left in the bank", ms=0)
            elif (seat, record.index) == self._asked:
                return self.state  # what happened was no concern of the pending ask
            else:
                self._asked, self._deadline = (seat, record.index), None
                self._commands.append(self._ask())
                return RefereeState.PENDING
        self._asked = self._deadline = None
        self._commands.append(FinishMatch(verdict))
        return RefereeState.OVER

    def _ask(self) -> AskMove:
        record = self.record
        seat, clock = record.to_act, record.seats[record.to_act]
        return AskMove(
            seat=seat,
            index=record.index,
            phase=record.state.phase,
            view=view(record.state, seat),
            events=record.running.seen_events(seat, clock.since),
            since=clock.since,
            legal=record.state.legal,
            bank_ms=clock.bank_ms,
            limit_ms=record.limit_ms,
        )

    def _start_clock(self, event: AskWritten, now: int) -> RefereeState:
        if (event.seat, event.index) != self._asked:
            return RefereeState.PENDING
        self._deadline = now + self.record.limit_ms * MILLISECOND + self._slack
        return RefereeState.THINKING

    def _answer(self, event: MoveArrived, now: int) -> RefereeState:
        if (event.seat, event.index) != self._asked:
            return self.state  # late, not wrong
        seat, ms = event.seat, event.think_ns // MILLISECOND
        if event.note:
            note = _storable(event.note).encode()[:MAX_NOTE].decode(errors="ignore")
            self._write(Kind.NOTE, seat, note, {"index": event.index})
        if ms > self.record.limit_ms:
            self._late(seat)
        elif not event.actions:
            self._fault(seat, Reason.MALFORMED, "the answer has no action", ms=ms)
        else:
            self._play_batch(seat, event.actions, ms)
        return self._go_on()

    def _play_batch(self, seat: int, actions: tuple[str, ...], ms: int) -> None:
        """In order, until chance intervenes, another seat is to decide, or one is illegal; what is left is dropped."""
        facts: dict[str, Any] = {"ms": ms}
        for text in actions:
            try:
                action = self.record.state.parse(text)
            except RulesError as error:
                reason = Reason.MALFORMED if isinstance(error, ActionSyntaxError) else Reason.ILLEGAL
                self._fault(seat, reason, error.message, error.rule, ms=facts.get("ms"))
                return
            had_chance = self._decide(action, facts)
            facts = {}
            if had_chance or self.record.to_act != seat:
                return

    def _time(self, event: TimePassed, now: int) -> RefereeState:
        for seat in [seat for seat in self._away_since if self._grace_ends(seat) <= now]:
            self._return(seat, away_ms=self.record.seats[seat].grace_ms)
            self._forfeit(seat, Reason.GONE)
            self._tell(seat, self.record.index, Reason.GONE, "the bot was gone for longer than its grace")
        if self._asked and self._deadline is not None and self._deadline <= now:
            seat, index = self._asked
            if index == self.record.index and not self.record.seats[seat].has_forfeited:
                self._late(seat)
        return self._go_on()

    # Faults

    def _fault_of_wire(self, event: SeatFaulted, now: int) -> RefereeState:
        if self.record.seats[event.seat].has_forfeited:
            return self.state
        asked = self._asked == (event.seat, self.record.index)
        self._fault(event.seat, event.reason, event.message, ms=0 if asked else None)
        return self._go_on()

    def _late(self, seat: int) -> None:
        ms = self.record.limit_ms
        if self.record.seats[seat].is_away:
            self._fault(seat, Reason.GONE, "the bot was gone and did not come back in time", ms=ms)
        else:
            self._fault(seat, Reason.LATE, f"no answer within {ms} ms", ms=ms)

    def _fault(self, seat: int, reason: Reason, message: str, rule: str = "", ms: int | None = None) -> None:
        """A strike, and the default decision if the seat is to decide; the last strike is a forfeit instead.

        `ms` is what an ask cost that is resolved by this.
        """
        record, index, played, message = self.record, self.record.index, "", _printable(message)
        strikes = record.seats[seat].strikes + 1
        self._write(Kind.FAULT, seat, reason, {"index": index, "strikes": strikes, "rule": rule, "message": message})
        if strikes >= record.terms.policy.strikes:
            self._forfeit(seat, reason)
        elif record.to_act == seat:
            default = default_action(record.state, record.running.seed, index)
            self._decide(default, {"default": str(reason)} if ms is None else {"ms": ms, "default": str(reason)})
            played = default.text
        self._tell(seat, index, reason, message, rule, played)

    def _forfeit(self, seat: int, reason: Reason) -> None:
        self._write(Kind.FORFEIT, seat, reason, {"index": self.record.index})
        self._away_since.pop(seat, None)

    def _tell(self, seat: int, index: int, reason: Reason, message: str, rule: str = "", played: str = "") -> None:
        fate = self.record.seats[seat]
        self._commands.append(
            TellFault(seat, index, str(reason), rule, message, fate.strikes, played, fate.has_forfeited)
        )

    # Losses

    def _lose(self, event: SeatLost, now: int) -> RefereeState:
        seat = self.record.seats[event.seat]
        if not seat.is_away and not seat.has_forfeited:
            self._write(Kind.LOST, event.seat, event.reason)
            self._away_since[event.seat] = now
        return self.state

    def _lose_path(self, event: PathLost, now: int) -> RefereeState:
        """The bot cannot come back over a path that we broke: neither clock nor grace runs on."""
        self._return(event.seat, self._away_ms(event.seat, now))
        if self._asked and self._asked[0] == event.seat:
            self._deadline = None
            return RefereeState.PENDING
        return self.state

    def _bring_back(self, event: SeatBack, now: int) -> RefereeState:
        if self.record.seats[event.seat].has_forfeited:
            return self.state
        self._return(event.seat, self._away_ms(event.seat, now))
        self._commands.append(self._resumption(event.seat))
        if self._asked and self._asked[0] == event.seat:
            self._commands.append(self._ask())
        return self.state

    def _resumption(self, seat: int) -> ResumeSeat:
        record = self.record
        seen = view(record.state, seat) if record.game else None
        return ResumeSeat(seat, record.index, seen, record.seats[seat].bank_ms)

    def _return(self, seat: int, away_ms: int) -> None:
        if self.record.seats[seat].is_away:
            self._write(Kind.BACK, seat, data={"away_ms": away_ms})
        self._away_since.pop(seat, None)

    def _away_ms(self, seat: int, now: int) -> int:
        return max(0, now - self._away_since.get(seat, now)) // MILLISECOND

    def _grace_ends(self, seat: int) -> int:
        return self._away_since[seat] + self.record.seats[seat].grace_ms * MILLISECOND

    # Writing

    def _write(
        self,
        kind: Kind,
        seat: int,
        text: str = "",
        data: Mapping[str, Any] | None = None,
        action: Action | None = None,
    ) -> None:
        entry = Entry(self.record.length, str(kind), seat, str(text), data)
        self.record.apply(entry, action)
        self._entries.append(entry)

    def _decide(self, action: Action, facts: dict[str, Any]) -> bool:
        """Play a decision that is legal here; whether chance followed."""
        record = self.record
        if record.sole_action is not None:
            facts = {**facts, "forced": True}
        self._write(Kind.DECISION, record.to_act, action.text, facts or None, action)
        chance = record.running.events[record.recorded :]
        for event in chance:
            self._write(Kind.CHANCE, 0, event.text)
        return bool(chance)

    def _ask_house(self, seat: int) -> Action:
        """The house sees what the seat sees. Each decision has its own seed: any owner of the match plays the same."""
        record = self.record
        place = seat.to_bytes(1, "big") + record.index.to_bytes(8, "big")
        seed = sha256(record.running.seed + b"house" + place).digest()
        legal = [action.text for action in record.state.legal]
        return record.state.parse(self._house(record.terms.policy.house, seed, view(record.state, seat), legal))


def _storable(text: str) -> str:
    """What a bot wrote, as any database keeps it: PostgreSQL refuses NUL, and no bot may break its match with one."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _printable(text: str) -> str:
    """A sentence that may quote a bot."""
    return _storable(text)[:MAX_SENTENCE]


_NEW, _OFFERING, _PENDING, _THINKING, _OVER, _ABORTED = RefereeState

TABLE: Final[dict[tuple[RefereeState, type[Event]], Row]] = {
    (_NEW, MatchOpened): Row(Referee._open, (_OFFERING, _PENDING, _OVER, _ABORTED)),
    (_OFFERING, OfferAccepted): Row(Referee._accept, (_OFFERING, _PENDING, _ABORTED)),
    (_OFFERING, OfferDeclined): Row(Referee._decline, (_ABORTED,)),
    (_OFFERING, SeatLost): Row(Referee._lose, (_OFFERING,)),
    (_OFFERING, SeatBack): Row(Referee._offer_again, (_OFFERING,)),
    (_OFFERING, PathLost): Row(Referee._offer_longer, (_OFFERING,)),
    (_OFFERING, TimePassed): Row(Referee._end_offer, (_OFFERING, _ABORTED)),
    (_PENDING, AskWritten): Row(Referee._start_clock, (_PENDING, _THINKING)),
    (_PENDING, MoveArrived): Row(Referee._answer, (_PENDING, _OVER)),
    (_PENDING, SeatFaulted): Row(Referee._fault_of_wire, (_PENDING, _OVER)),
    (_PENDING, SeatLost): Row(Referee._lose, (_PENDING,)),
    (_PENDING, SeatBack): Row(Referee._bring_back, (_PENDING,)),
    (_PENDING, PathLost): Row(Referee._lose_path, (_PENDING,)),
    (_PENDING, TimePassed): Row(Referee._time, (_PENDING, _OVER)),
    (_THINKING, MoveArrived): Row(Referee._answer, (_THINKING, _PENDING, _OVER)),
    (_THINKING, SeatFaulted): Row(Referee._fault_of_wire, (_THINKING, _PENDING, _OVER)),
    (_THINKING, SeatLost): Row(Referee._lose, (_THINKING,)),
    (_THINKING, SeatBack): Row(Referee._bring_back, (_THINKING,)),
    (_THINKING, PathLost): Row(Referee._lose_path, (_THINKING, _PENDING)),
    (_THINKING, TimePassed): Row(Referee._time, (_THINKING, _PENDING, _OVER)),
}
"""The only place where it stands what can happen. Events that are missing in a state are ignored there."""
