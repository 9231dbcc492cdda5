"""The game of a record, as a check reads it: the decisions of one seat, and what a sowing or a turn brings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from arena.rules import Result, State, Stream, View, determinize, read_game, results, score, settle, view
from arena.rules.replay import read_events

SEAT: Final = 1
"""Seat of the bot in every game."""
MOST_WAYS: Final = 3000
"""Maximum number of sowings examined at one decision. The lessons name the same number."""
MOST_OPTIONS: Final = 20
"""Maximum number of actions examined at each decision after a sowing."""
REST_OF_TURN: Final = ("tribe", "tile", "choose")


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """A decision of the bot."""

    index: int
    """Index in the record."""
    state: State
    """State before it."""
    text: str
    """Action that was played."""


def decisions(record: dict[str, Any]) -> Iterator[JudgedDecision]:
    """Yield the decisions of the bot at which it had a choice."""
    game = read_game(record, length=0)
    for index, event in enumerate(read_events(record)):
        state = game.state
        if event.seat == SEAT and len(state.legal) > 1:
            yield JudgedDecision(index, state, event.text)
        if event.seat:  # chance follows by itself
            game.play(event.text)


def points(state: State) -> int:
    """Return the points of the bot, as if the game ended now."""
    return score(state, SEAT)["total"]


def chance() -> Stream:
    """Return a source of chance for what is tried here."""
    return Stream(bytes(32))


def ways(state: State) -> list[Result]:
    """Return the sowings that are examined at a decision."""
    return list(islice(results(state), MOST_WAYS))


def played(state: State, way: Result) -> State:
    """Return the state after a sowing."""
    for action in way.actions:
        state = state.play(action)
    return state


def rest_of_turn(state: State) -> State:
    """Return the state after the tribe's and the tile's action, each chosen for the most points at once."""
    while state.phase in REST_OF_TURN and state.to_act == SEAT:
        options = [settle(state.play(action), chance()) for action in list(state.legal)[: -MOST_OPTIONS - 1 : -1]]
        state = max(options, key=points)
    return state


def best_turn(state: State) -> tuple[int, Result | None]:
    """Return the most points after a turn that begins here, and its sowing. None if there is none."""
    best: tuple[int, Result | None] = (points(state), None)
    seen = set()
    for way in ways(state):
        landing = (way.origin, way.end, way.tribe, way.dropped[-1])
        if landing not in seen:
            seen.add(landing)
            value = points(rest_of_turn(played(state, way)))
            if best[1] is None or value > best[0]:
                best = value, way
    return best


def as_mover(seen: View) -> View:
    """Return the same view with the seat to move first, to see what the board offers."""
    markers = [marker for marker in (*seen.bid_order, *seen.turn_track) if marker]
    markers.remove(seen.seat)
    track = (*markers, *[None] * (len(seen.turn_track) - len(markers)))
    return replace(seen, phase="move", to_act=seen.seat, bid_order=(seen.seat,), turn_track=track)


def promises(state: State) -> list[int]:
    """Return what the best sowing to each last tile would bring the bot in points at once, best first."""
    moving = determinize(as_mover(view(state, SEAT)), chance())
    before = points(moving)
    best: dict[int, int] = {}
    for way in ways(moving):
        gain = points(played(moving, way)) - before
        best[way.end] = max(gain, best.get(way.end, gain))
    return sorted(best.values(), reverse=True) or [0]
