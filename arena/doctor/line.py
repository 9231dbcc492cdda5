"""A game that goes on from any position: its state, its chance and what has happened since."""

from __future__ import annotations

from hashlib import sha256

from arena.rules import Event, Ruleset, State, Stream, default_action, draw_chance, start_with_stream, view_event
from arena.rules.game import CHANCE

SEED = sha256(b"arena doctor").digest()
"""Every run of the doctor shows the same positions."""


class Line:
    """Like `arena.rules.Game`, which begins with the set-up alone; `first` is the index of the next event."""

    def __init__(self, state: State, stream: Stream, first: int = 0) -> None:
        self.state = state
        self.first = first
        self.events: list[Event] = []
        self._stream = stream

    @classmethod
    def new_game(cls, ruleset: Ruleset, seed: bytes = SEED) -> Line:
        """A whole game."""
        return cls(*start_with_stream(ruleset, seed))

    @property
    def index(self) -> int:
        """The index of the next event."""
        return self.first + len(self.events)

    def play(self, text: str) -> int:
        """Play a decision of the seat that is to act, and the chance that follows it; how many events that were.

        `ActionSyntaxError`, `IllegalAction`.
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
        """Play any legal action, the same for the same seed and index."""
        self.play(default_action(self.state, seed, self.index).text)

    def seen_events(self, seat: int, since: int) -> list[Event]:
        """The events from index `since` on, as a seat may see them."""
        return [view_event(event, seat) for event in self.events[since - self.first :]]
