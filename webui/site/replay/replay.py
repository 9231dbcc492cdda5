"""A match as its pages tell it: one step a decision, with the position after it.

Everything here is made of documents: complete positions of a match that is over, views of a spectator for one that
runs. So a page cannot show more than the document it was given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.rules import Event, Game, Ruleset, State, format_position, read_game, score, view, view_event
from webui.site.board import Sowing

Document = Mapping[str, Any]
SETUP = "setup"
"""How the position before the first decision is named in addresses."""
SOWN = ("drop", "fly")
"""The decisions of a sowing after its first; a flight is the last."""


@dataclass(frozen=True)
class Step:
    """One decision, with the chance that followed it."""

    index: int
    seat: int
    text: str
    facts: Mapping[str, Any]
    chance: tuple[str, ...]

    @property
    def verb(self) -> str:
        return self.text.partition(" ")[0]


def steps_of(events: Sequence[Event]) -> list[Step]:
    """The decisions of a list of events, each with its chance."""
    steps: list[Step] = []
    for index, event in enumerate(events):
        if event.seat:
            steps.append(Step(index, event.seat, event.text, event.facts or {}, ()))
        elif steps:
            last = steps[-1]
            steps[-1] = Step(last.index, last.seat, last.text, last.facts, (*last.chance, event.text))
    return steps


class Replay:
    """The decisions of a match, and the position at each ply that may be shown.

    A ply is the number of decisions played: 0 is the set-up.
    """

    def __init__(self, ruleset: Ruleset, steps: Sequence[Step], is_over: bool) -> None:
        self.ruleset = ruleset
        self.steps = steps
        self.is_over = is_over

    def position(self, ply: int) -> Document | None:
        """The document after so many decisions; None where it may not or cannot be shown."""
        raise NotImplementedError

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """The score of each seat as if the match ended there; None while hands are hidden."""
        raise NotImplementedError

    def ply_of(self, wanted: str | None) -> int:
        """The ply that an address asks for with `?d=`: an index, `setup`, or nothing for the latest."""
        if wanted == SETUP:
            return 0
        if wanted is None or not wanted.isascii() or not wanted.isdigit():
            return len(self.steps)
        index = int(wanted[:9])  # a chance event belongs to the decision that caused it
        return sum(step.index <= index for step in self.steps)

    def name_of(self, ply: int) -> str:
        """What `?d=` says of a ply."""
        return str(self.steps[ply - 1].index) if ply else SETUP

    def sowing(self, ply: int) -> Sowing | None:
        """The route of the sowing that the decision at this ply belongs to, up to it and, in a replay, beyond it."""
        first = ply
        while first and self.steps[first - 1].verb in SOWN:
            first -= 1
        if not first or self.steps[first - 1].verb != "take":
            return None
        last = ply
        while self.is_over and last < len(self.steps) and self.steps[last].verb in SOWN:
            last += 1
        tiles = [step.text.split(" ")[1] for step in self.steps[first - 1 : last]]
        walked = ply - first + 1
        return Sowing(tuple(tiles[:walked]), tuple(tiles[walked:]))


class FinishedReplay(Replay):
    """A match that is over: everything is public; or, with a seat, what that seat could see at each ply."""

    def __init__(self, game: Game, record: Document | None = None, seat: int = 0) -> None:
        seen = [view_event(event, seat)._replace(facts=event.facts) for event in game.events] if seat else game.events
        super().__init__(game.ruleset, steps_of(seen), is_over=True)
        self.record: Document = record or {}
        """The replay document that the replay was read from, if it was."""
        self.seat = seat
        self._game = game
        self._documents: dict[int, Document] = {}
        self._scores: dict[int, list[dict[str, int]]] = {}

    @classmethod
    def of_record(cls, record: Document, seat: int = 0) -> "FinishedReplay":
        """The replay of a replay document."""
        return cls(read_game(dict(record)), record, seat)

    @cached_property
    def _states(self) -> list[State]:
        states = [self._game.setup]
        for step in steps_of(self._game.events):
            state = states[-1].play(states[-1].parse(step.text))
            for event in step.chance:
                state = state.play(state.parse(event))
            states.append(state)
        return states

    def position(self, ply: int) -> Document:
        if ply not in self._documents:
            state = self._states[ply]
            self._documents[ply] = view(state, self.seat) if self.seat else format_position(state)
        return self._documents[ply]

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        state = self._states[ply]
        if self.seat and not state.is_over:
            return None
        if ply not in self._scores:
            self._scores[ply] = [score(state, seat) for seat in range(1, len(state.seats) + 1)]
        return self._scores[ply]

    def options(self, ply: int) -> int:
        """How many actions were legal when the decision that led to a ply was taken."""
        return sum(1 for _action in self._states[ply - 1].legal)


class LiveReplay(Replay):
    """A match that runs, as a spectator saw it at each ply so far."""

    def __init__(self, ruleset: Ruleset, events: Sequence[Event], views: Sequence[Document]) -> None:
        super().__init__(ruleset, steps_of(events), is_over=False)
        self._views = views

    def position(self, ply: int) -> Document | None:
        return self._views[ply] if 0 <= ply < len(self._views) else None

    def scores(self, ply: int) -> None:
        return None
