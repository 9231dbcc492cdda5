"""A game being played: its state, its stream of chance, and the events so far (rules 9; notation.md, Chance, Replay).

The index of an event, its 0-based place in `events`, is the one number by which everything else names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from arena.rules.chance import Stream, draw_chance
from arena.rules.components import ITEM_NUMBER
from arena.rules.errors import ActionSyntaxError, IllegalAction, ReplayError
from arena.rules.notation import Action
from arena.rules.ruleset import Ruleset
from arena.rules.setup import start_with_stream
from arena.rules.state import State
from arena.rules.syntax import parse_action

CHANCE = 0
"""The seat of chance events."""


class Event(NamedTuple):
    """One event of a game: who (0 is chance), what (the notation), and facts about the decision, if any.

    >>> Event(2, "bid 7", {"ms": 12}).document()
    [2, 'bid 7', {'ms': 12}]
    """

    seat: int
    text: str
    facts: dict[str, Any] | None = None

    def document(self) -> list[Any]:
        """The event as it stands in a replay."""
        return [self.seat, self.text] if self.facts is None else [self.seat, self.text, self.facts]


def view_event(event: Event, seat: int) -> Event:
    """The event as a seat (0 a spectator) may see it while the game runs: a shuffle shows its number of cards
    alone, and another seat's kept item not at all.

    Facts about a decision (think time, faults) are not for others to see while the game runs (notation, Chance).

    >>> view_event(Event(0, "!shuffle resources fish fakir silk"), seat=1).text
    '!shuffle resources 3'
    """
    words = event.text.split(" ")
    if words[0] == "!shuffle":
        return Event(event.seat, f"!shuffle {words[1]} {len(words) - 2}")
    if words[0] == "keep" and words[1] in ITEM_NUMBER and seat != event.seat:
        return Event(event.seat, "keep ?")
    return Event(event.seat, event.text)


class Reseed(NamedTuple):
    """From the decision at index `at` on, chance is drawn from a new stream with this seed: so a position is played on
    in another way, with the cards as they lay.

    >>> Game(Ruleset(2), bytes(32), reseed=Reseed(at=137, seed=bytes([1]) * 32)).reseed.at
    137
    """

    at: int
    seed: bytes


class Game:
    """A game from a seed, and perhaps a deal: `play` plays decisions; what chance follows comes from the stream (9).

    >>> game = Game(Ruleset(2), bytes(32))
    >>> game.play("bid 7")
    [Event(seat=1, text='bid 7', facts=None)]
    >>> game.state.to_act, len(game.events)
    (2, 1)
    """

    def __init__(self, ruleset: Ruleset, seed: bytes, deal: bytes | None = None, reseed: Reseed | None = None) -> None:
        self.ruleset = ruleset
        self.seed = seed
        self.deal = deal
        self.reseed = reseed
        self.setup, self._stream = start_with_stream(ruleset, seed, deal)
        self.state: State = self.setup
        self.events: list[Event] = []

    @classmethod
    def resume(cls, ruleset: Ruleset, seed: bytes, deal: bytes | None, events: Iterable[Event | list[Any]]) -> Game:
        """The game of a log. `ReplayError` at the first event that does not fit."""
        game = cls(ruleset, seed, deal)
        game.fold(events)
        return game

    def play(self, action: Action | str, facts: dict[str, Any] | None = None) -> list[Event]:
        """Play a decision of the seat that is to act; returns it and the chance that followed.

        An action that the present state has found legal before (`state.parse`, `state.check`, `state.legal.sole`,
        `state.legal[i]`) is not checked again; any other is: `IllegalAction`, or `ActionSyntaxError` for a text.
        """
        if isinstance(action, str):
            action = parse_action(action)
        if action.is_chance:
            raise IllegalAction("NO_CHANCE_DUE", "chance comes from the game's own stream", "9")
        if action is not self.state.legal.known:
            self.state.check(action)
        first = len(self.events)
        if self.reseed is not None and first == self.reseed.at:
            self._stream = Stream(self.reseed.seed)
        self.events.append(Event(self.state.to_act, action.text, facts))
        self._go_on(action)
        while self.state.due is not None:
            chance = draw_chance(self.state, self._stream)
            self.events.append(Event(CHANCE, chance.text))
            self._go_on(chance)
        return self.events[first:]

    def _go_on(self, action: Action) -> None:
        before, self.state = self.state, self.state.play(action)
        before._legal = None  # the two name each other: without this they stay until somebody looks for garbage

    def fold(self, events: Iterable[Event | list[Any]]) -> None:
        """Play the events of a log: decisions of the seat that is to act, chance events as the stream gives them."""
        expected: list[Event] = []
        for event in events:
            index = len(self.events) - len(expected)
            seat, text, facts = event[0], event[1], event[2] if len(event) > 2 else None
            if seat == CHANCE or expected:
                if not expected or (seat, text) != expected[0][:2]:
                    due = f"[0, {expected[0].text!r}]" if expected else f"a decision of seat {self.state.to_act}"
                    raise ReplayError("BAD_EVENT", f"event {index} is [{seat}, {text!r}], due is {due}")
                expected.pop(0)
                continue
            if seat != self.state.to_act or self.state.is_over:
                due = f"seat {self.state.to_act} is to act" if self.state.to_act else "the game is over"
                raise ReplayError("BAD_EVENT", f"event {index} is of seat {seat}, but {due}")
            try:
                expected = self.play(text, facts)[1:]
            except (ActionSyntaxError, IllegalAction) as error:
                raise ReplayError("BAD_EVENT", f"event {index}: {error}") from error
        if expected:
            raise ReplayError("BAD_EVENT", f"the log ends before the chance event {expected[0].text!r}")

    def seen_events(self, seat: int, since: int = 0) -> list[Event]:
        """The events from index `since` on, as a seat (0 a spectator) may see them while the game runs."""
        return [view_event(event, seat) for event in self.events[since:]]
