"""Replays: matches as their pages show them, one step for each decision, with the position after it.

The replay of a finished match has complete positions. The replay of a running match has only the views of a spectator,
so a page cannot reveal hidden information.
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
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine, SeenDecision
from webui.words import vocabulary

Document = Mapping[str, Any]
_ALL = tuple(vocabulary.CATEGORIES)
SOWN = ("drop", "fly")
"""Decisions of a sowing after its first. A flight is always the last one."""


@dataclass(frozen=True)
class Step:
    """One decision, with the chance events that followed it."""

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
        """Whether the decision ends a turn. A bid is a turn by itself."""
        return self.verb in ("end", "bid")

    @property
    def next_index(self) -> int:
        """The index of the event that follows the decision and its chance events."""
        return self.index + 1 + len(self.chance)


def steps_of(events: Sequence[Event]) -> list[Step]:
    """Return the decisions in a list of events, each with its chance events."""
    steps: list[Step] = []
    for index, event in enumerate(events):
        if event.seat:
            steps.append(Step(index, event.seat, event.text, event.facts or {}, ()))
        elif steps:
            last = steps[-1]
            steps[-1] = Step(last.index, last.seat, last.text, last.facts, (*last.chance, event.text))
    return steps


class Replay:
    """The decisions of a match, and the positions that may be shown.

    A ply is the number of decisions played. Ply 0 is the set-up.
    """

    def __init__(self, ruleset: Ruleset, steps: Sequence[Step], is_over: bool) -> None:
        self.ruleset = ruleset
        self.steps = list(steps)
        self.is_over = is_over

    def position(self, ply: int) -> View | None:
        """Return the position after `ply` decisions. Return None if it may not be shown."""
        raise NotImplementedError

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """Return the score of each seat as if the match ended at this ply. Return None while hands are hidden."""
        raise NotImplementedError

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return the visible points of each seat by source, without hidden ones and without a total."""
        raise NotImplementedError

    def bounds(self, ply: int) -> list[Bounds] | None:
        """Return the minimum and maximum of each seat's whole score, as a spectator of a running match can count them.

        Return None if the scores themselves are visible, or if they were not counted.
        """
        return None

    def starts_turn(self, ply: int) -> bool:
        """Return whether the decision that led to a ply is the first of a turn. A bid is a turn by itself."""
        if ply == 1:
            return True
        before = self.steps[ply - 2]
        return before.seat != self.steps[ply - 1].seat or before.ends_turn

    def before_turn(self, ply: int) -> int:
        """Return the ply before the first decision of the turn that led to `ply`."""
        while ply and not self.starts_turn(ply):
            ply -= 1
        return max(ply - 1, 0)

    def ply_of(self, wanted: str | None) -> int:
        """Return the ply for the value of `?d=`, which is the index of the next event. None means the latest ply."""
        if wanted is None or not wanted.isascii() or not wanted.isdigit():
            return len(self.steps)
        index = int(wanted[:9])  # a chance event has no ply: the position after it is shown
        return sum(step.index < index for step in self.steps)

    def index_of(self, ply: int) -> int:
        """Return the index of the event that follows a ply. Addresses use it to name the ply."""
        return self.steps[ply - 1].next_index if ply else 0

    def sowing(self, ply: int) -> Sowing | None:
        """Return the sowing that the decision at this ply belongs to. Return None if it is not part of one.

        If the match is over, the sowing includes the tiles that follow.
        """
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
    """The replay of a finished match. Everything is public; with a seat, it has what that seat could see at each ply.

    The game is folded once, decision by decision, and only as far as a page needs. At an event that the rules do not
    allow, `ReplayError` is raised.
    """

    def __init__(self, start: Game, events: Sequence[Event], record: Document | None = None, seat: int = 0) -> None:
        """Make the replay of a game.

        `start`: the game before its first event.
        `events`: all events of the game.
        `record`: the replay document from which `start` and `events` were read.
        `seat`: the seat whose view is shown; 0 shows everything.
        """
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
        """Make the replay of a replay document."""
        document = dict(record)
        return cls(read_game(document, 0), read_events(document), record, seat)

    @classmethod
    def of_game(cls, game: Game, seat: int = 0) -> "FinishedReplay":
        """Make the replay of a game that has been played."""
        return cls(Game(game.ruleset, game.seed, game.deal), game.events, seat=seat)

    def state(self, ply: int) -> State:
        """Return the whole state at a ply."""
        for step in self.steps[len(self._states) - 1 : ply]:
            self._game.fold(self._events[step.index : step.index + 1 + len(step.chance)])
            self._states.append(self._game.state)
        return self._states[ply]

    def position(self, ply: int) -> View:
        """Return the whole position at a ply or, with a seat, what that seat could see."""
        if ply not in self._positions:
            state = self.state(ply)
            self._positions[ply] = view(state, self.seat) if self.seat else position(state)
        return self._positions[ply]

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """Return each seat's points by source and in total. Return None where the viewing seat could not see them."""
        state = self.state(ply)
        if self.seat and not state.is_over:
            return None
        return self._whole(ply)

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return all points. With a seat, the other seats have only their open points until the end."""
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
        """Return the whole scores, hidden or not."""
        if ply not in self._scores:
            state = self.state(ply)
            self._scores[ply] = [score(state, seat) for seat in range(1, len(state.seats) + 1)]
        return self._scores[ply]

    def options(self, ply: int) -> int:
        """Return the number of legal actions at the decision that led to a ply."""
        return sum(1 for _action in self.state(ply - 1).legal)


class LiveReplay(Replay):
    """The replay of a running match, as a spectator sees it. `extend` adds decisions; its cost depends only on them."""

    def __init__(self, ruleset: Ruleset, setup: View) -> None:
        super().__init__(ruleset, [], is_over=False)
        self._positions = {0: setup}
        self._points = [_open_points(setup)]
        self._count = PublicCount(setup)
        self._bounds = [self._count.bounds()]

    def extend(self, decisions: Iterable[SeenDecision]) -> None:
        """Append new decisions."""
        for decision in decisions:
            self.steps.append(Step(decision.index, decision.seat, decision.text, {}, decision.chance))
            self._positions[len(self.steps)] = decision.view
            self._points.append(_open_points(decision.view))
            self._count.follow(decision.text, decision.chance, decision.view)
            self._bounds.append(self._count.bounds())

    def forget(self, ply: int) -> None:
        """Drop the positions before `ply`, because following a match to its end needs only the latest."""
        for old in range(min(self._positions), ply):
            del self._positions[old]

    def position(self, ply: int) -> View | None:
        """Return what spectators could see at a ply. Return None if the position was dropped."""
        return self._positions.get(ply)

    def scores(self, ply: int) -> None:
        """Return None, because hands are hidden while a match runs."""

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return the open points at a ply. They are known for every ply, even if its position was dropped."""
        return self._points[ply]

    def bounds(self, ply: int) -> list[Bounds]:
        """Return the bounds that follow from the public actions. They are known for every ply, like `points`."""
        return self._bounds[ply]


def _open_points(seen: View) -> list[dict[str, int]]:
    return [open_score(seen, seat) for seat in range(1, seen.players + 1)]


# Loading of the replay of a match.


ENDED = ("FINISHED", "ABORTED", "VOID")


def load_replay(line: MatchLine, seat: int = 0) -> Replay | None:
    """Return the replay of a match. Return None before every seat is ready, and if it ended without a record.

    `seat`: the seat whose view of a finished match is shown; 0 shows everything. A running match always has the view
    of a spectator.
    """
    if not line.seats:  # the match had not started when its line was read, and the seats were not yet public
        return None
    if line.state not in ENDED and (running := LiveLoader(line).load()) is not None:
        return running
    # A match may have ended since its line was read.
    record = match_queries.match_record(line.id)
    return FinishedReplay.of_record(record, seat if 0 < seat <= line.players else 0) if record else None


class LiveLoader:
    """Loader for the replay of a running match, which grows with each `load`."""

    def __init__(self, line: MatchLine) -> None:
        self._ruleset = Ruleset(line.players, line.expansions)
        self._game = match_live.LiveGame(line.id)
        self._replay: LiveReplay | None = None

    def load(self) -> LiveReplay | None:
        """Return the replay with the new decisions added. It is always the same object, or None until all are ready."""
        new_rows = self._game.read()
        if self._replay is None and self._game.setup is not None:
            self._replay = LiveReplay(self._ruleset, self._game.setup)
        if self._replay is not None:
            self._replay.extend(new_rows)
        return self._replay

    def is_closed(self) -> bool:
        """Return whether its readers may follow the match no longer, although it has not ended."""
        return False
