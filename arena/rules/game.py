"""A game in progress: its state, its stream of chance, and its events (rules 9; notation.md, Chance, Replay).

The index of an event is its place in `events`, from 0. Everything else refers to events by this number.
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
"""Seat of chance events."""


class Event(NamedTuple):
    """One event of a game: the seat (0 for chance), the text in the notation, and facts about the decision, if any.

    >>> Event(2, "bid 7", {"ms": 12}).document()
    [2, 'bid 7', {'ms': 12}]
    """

    seat: int
    text: str
    facts: dict[str, Any] | None = None

    def document(self) -> list[Any]:
        """Return the event in the form of a replay."""
        return [self.seat, self.text] if self.facts is None else [self.seat, self.text, self.facts]


def view_event(event: Event, seat: int) -> Event:
    """Return an event as a seat may see it while the game runs; seat 0 is a spectator (notation, Chance).

    A shuffle shows only its number of cards, and another seat's kept item is hidden. Facts about the decision (thinking
    time, faults) are removed.

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
    """A new seed for the chance of a game from the decision at index `at` on.

    It plays a position on in another way, with the cards as they lie.

    >>> Game(Ruleset(2), bytes(32), reseed=Reseed(at=137, seed=bytes([1]) * 32)).reseed.at
    137
    """

    at: int
    seed: bytes


class Game:
    """A game from a seed, and perhaps a deal. `play` plays a decision and all chance that follows it (9).

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
        """Return the game of a log. Raise `ReplayError` at the first event that does not fit."""
        game = cls(ruleset, seed, deal)
        game.fold(events)
        return game

    def play(self, action: Action | str, facts: dict[str, Any] | None = None) -> list[Event]:
        """Play a decision of the seat that is to act. Return its event and the chance events that followed.

        An action that the current state has just found legal is not checked again (`state.parse`, `state.check`,
        `state.legal.sole`, `state.legal[i]`). Any other action is checked: raise `IllegalAction`, or
        `ActionSyntaxError` for a text that is not an action.
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
        before._legal = None  # break the reference cycle; otherwise both stay until a garbage collection

    def fold(self, events: Iterable[Event | list[Any]]) -> None:
        """Play the events of a log: decisions of the seat that is to act, and chance events as the stream gives them.

        Raise `ReplayError` at the first event that does not fit.
        """
        expected: list[Event] = []
        for event in events:
            index = len(self.events) - len(expected)
            seat, text, facts = event[0], event[1], event[2] if len(event) > 2 else None
            if seat == CHANCE or expected:
                if not expected or (seat, text) != expected[0][:2]:
                    due = f"[0, {expected[0].text!r}]" if expected else f"a decision of seat {self.state.to_act}"
                    raise ReplayError("BAD_EVENT", f"event {index} is [{seat}, {text!r}], but {due} is due")
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
        """Return the events from index `since` on, as a seat may see them during the game; seat 0 is a spectator."""
        return [view_event(event, seat) for event in self.events[since:]]
