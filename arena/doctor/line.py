"""A game that continues from any position: its state, its chance and its events since then."""

from __future__ import annotations

from hashlib import sha256

from arena.rules import Event, Ruleset, State, Stream, default_action, draw_chance, start_with_stream, view_event
from arena.rules.game import CHANCE

SEED = sha256(b"arena doctor").digest()
"""Seed of all positions, so that every run of the doctor shows the same ones."""


class DoctorLine:
    """Like `arena.rules.Game`, but it can begin at any position. `first` is the index of the next event."""

    def __init__(self, state: State, stream: Stream, first: int = 0) -> None:
        self.state = state
        self.first = first
        self.events: list[Event] = []
        self._stream = stream

    @classmethod
    def new_game(cls, ruleset: Ruleset, seed: bytes = SEED) -> DoctorLine:
        """Return a whole game."""
        return cls(*start_with_stream(ruleset, seed))

    @property
    def index(self) -> int:
        """The index of the next event."""
        return self.first + len(self.events)

    def play(self, text: str) -> int:
        """Play a decision of the seat to act, and the chance that follows. Return the number of events.

        Raises `ActionSyntaxError` or `IllegalAction`.
        """
        before = len(self.events)
        action = self.state.parse(text)
        self.events.append(Event(self.state.to_act, action.text))
        self.state = self.state.play(action)
        while self.state.due is not None:
            chance = draw_chance(self.state, self._stream)
            self.events.append(Event(CHANCE, chance.text))
            self.state = self.state.play(chance)
        return len(self.events) - before

    def play_at_random(self, seed: bytes = SEED) -> None:
        """Play a random legal action, which depends only on the seed and the index."""
        self.play(default_action(self.state, seed, self.index).text)

    def seen_events(self, seat: int, since: int) -> list[Event]:
        """Return the events from index `since` on, as a seat may see them."""
        return [view_event(event, seat) for event in self.events[since - self.first :]]
