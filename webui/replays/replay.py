"""A match as its pages show it: one step a decision, with the position after it.

A match that is over is made of complete positions, one that runs of a spectator's views. So a page cannot show more
than it was given.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.rules import Event, Game, Ruleset, State, View, position, read_game, score, view, view_event
from arena.rules.counting import Bounds, PublicCount
from arena.rules.open_score import OPEN_CATEGORIES, open_score
from arena.rules.replay import read_events
from webui.board.drawing import Sowing
from webui.matches.values import SeenDecision
from webui.words import vocabulary

Document = Mapping[str, Any]
_ALL = tuple(vocabulary.CATEGORIES)
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

    @cached_property
    def verb(self) -> str:
        """The first word of the action."""
        return self.text.partition(" ")[0]

    @property
    def ends_turn(self) -> bool:
        """A bid is a turn of its own."""
        return self.verb in ("end", "bid")

    @property
    def next_index(self) -> int:
        """The index of the event that follows the decision and its chance."""
        return self.index + 1 + len(self.chance)


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
        self.steps = list(steps)
        self.is_over = is_over

    def position(self, ply: int) -> View | None:
        """The position after `ply` decisions; None if it may not be shown."""
        raise NotImplementedError

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """The score of each seat as if the match ended there; None while hands are hidden."""
        raise NotImplementedError

    def points(self, ply: int) -> list[dict[str, int]]:
        """Of each seat the points by source that may be seen at a ply: without what is hidden, and without a total."""
        raise NotImplementedError

    def bounds(self, ply: int) -> list[Bounds] | None:
        """Of each seat the least and the most that its whole score may be, as a spectator can count it while the match
        runs; None where the score itself may be seen, or nobody has counted."""
        return None

    def starts_turn(self, ply: int) -> bool:
        """Whether the decision that led to a ply is the first of a turn. A bid is a turn of its own."""
        if ply == 1:
            return True
        before = self.steps[ply - 2]
        return before.seat != self.steps[ply - 1].seat or before.ends_turn

    def before_turn(self, ply: int) -> int:
        """The ply at which the turn began that the decision at a ply belongs to."""
        while ply and not self.starts_turn(ply):
            ply -= 1
        return max(ply - 1, 0)

    def ply_of(self, wanted: str | None) -> int:
        """The ply that an address asks for with `?d=`: before the event at an index; nothing for the latest."""
        if wanted == "setup":  # as older links name it
            return 0
        if wanted is None or not wanted.isascii() or not wanted.isdigit():
            return len(self.steps)
        index = int(wanted[:9])  # before a chance event is shown what it led to: it has no ply of its own
        return sum(step.index < index for step in self.steps)

    def index_of(self, ply: int) -> int:
        """The index of the event that follows a ply, which addresses name it by: so many came before."""
        return self.steps[ply - 1].next_index if ply else 0

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
    """A match that is over: everything is public; or, with a seat, what that seat could see at each ply.

    The game is folded once, decision by decision, no further than a page asks for; `ReplayError` from there where an
    event does not follow.
    """

    def __init__(self, start: Game, events: Sequence[Event], record: Document | None = None, seat: int = 0) -> None:
        """`start` is the game before its first event, `record` the replay document that both were read from."""
        seen = [view_event(event, seat)._replace(facts=event.facts) for event in events] if seat else events
        super().__init__(start.ruleset, steps_of(seen), is_over=True)
        self.record: Document = record or {}
        self.seat = seat
        self._game = start
        self._events = events
        self._states = [start.state]
        self._positions: dict[int, View] = {}
        self._scores: dict[int, list[dict[str, int]]] = {}
        self._points: dict[int, list[dict[str, int]]] = {}

    @classmethod
    def of_record(cls, record: Document, seat: int = 0) -> "FinishedReplay":
        """The replay of a replay document."""
        document = dict(record)
        return cls(read_game(document, 0), read_events(document), record, seat)

    @classmethod
    def of_game(cls, game: Game, seat: int = 0) -> "FinishedReplay":
        """The replay of a game that has been played."""
        return cls(Game(game.ruleset, game.seed, game.deal), game.events, seat=seat)

    def state(self, ply: int) -> State:
        """The whole state at a ply."""
        for step in self.steps[len(self._states) - 1 : ply]:
            self._game.fold(self._events[step.index : step.index + 1 + len(step.chance)])
            self._states.append(self._game.state)
        return self._states[ply]

    def position(self, ply: int) -> View:
        """Everything at a ply; with a seat, what that seat could see."""
        if ply not in self._positions:
            state = self.state(ply)
            self._positions[ply] = view(state, self.seat) if self.seat else position(state)
        return self._positions[ply]

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """By seat, the points by source and in total; None where the seat could not see them yet."""
        state = self.state(ply)
        if self.seat and not state.is_over:
            return None
        return self._whole(ply)

    def points(self, ply: int) -> list[dict[str, int]]:
        """All of them; with a seat, of the others what lies open until the end."""
        if ply not in self._points:
            shows_all = not self.seat or self.state(ply).is_over
            self._points[ply] = [
                {
                    name: whole[name]
                    for name in (_ALL if shows_all or seat == self.seat else OPEN_CATEGORIES)
                    if name in whole
                }
                for seat, whole in enumerate(self._whole(ply), 1)
            ]
        return self._points[ply]

    def _whole(self, ply: int) -> list[dict[str, int]]:
        """The whole scores, hidden or not."""
        if ply not in self._scores:
            state = self.state(ply)
            self._scores[ply] = [score(state, seat) for seat in range(1, len(state.seats) + 1)]
        return self._scores[ply]

    def options(self, ply: int) -> int:
        """How many actions were legal when the decision that led to a ply was taken."""
        return sum(1 for _action in self.state(ply - 1).legal)


class LiveReplay(Replay):
    """A match that runs, as a spectator sees it. It grows by `extend`, which costs as much as is new."""

    def __init__(self, ruleset: Ruleset, setup: View) -> None:
        super().__init__(ruleset, [], is_over=False)
        self._positions = {0: setup}
        self._points = [_open_points(setup)]
        self._count = PublicCount(setup)
        self._bounds = [self._count.bounds()]

    def extend(self, decisions: Iterable[SeenDecision]) -> None:
        """Take in the decisions that came after those so far."""
        for decision in decisions:
            self.steps.append(Step(decision.index, decision.seat, decision.text, {}, decision.chance))
            self._positions[len(self.steps)] = decision.view
            self._points.append(_open_points(decision.view))
            self._count.follow(decision.text, decision.chance, decision.view)
            self._bounds.append(self._count.bounds())

    def forget(self, ply: int) -> None:
        """Drop the positions of earlier plies: following a match to its end takes only the latest."""
        for old in range(min(self._positions), ply):
            del self._positions[old]

    def position(self, ply: int) -> View | None:
        """What spectators could see at a ply; None where it was forgotten."""
        return self._positions.get(ply)

    def scores(self, ply: int) -> None:
        """None: hands are hidden while a match runs."""

    def points(self, ply: int) -> list[dict[str, int]]:
        """What lies open on the table. Of every ply, forgotten ones too."""
        return self._points[ply]

    def bounds(self, ply: int) -> list[Bounds]:
        """What follows from all that was played in the open. Of every ply, forgotten ones too."""
        return self._bounds[ply]


def _open_points(seen: View) -> list[dict[str, int]]:
    return [open_score(seen, seat) for seat in range(1, seen.players + 1)]
