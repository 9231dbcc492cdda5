"""Explain the final score of a match: who won, by how much, and which single thing made the difference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from arena.rules import State, score
from arena.rules.components import DJINNS
from arena.rules.geometry import tiles_of
from arena.rules.notation import TILE_NAMES
from arena.story.values import DecidedBy

LAND = ("tiles", "palms", "palaces")
"""Sources of points that lie on tiles."""


def points_of(state: State) -> list[dict[str, int]]:
    """Return every seat's points by source and in total, as if the game ended here."""
    return [score(state, seat) for seat in range(1, len(state.seats) + 1)]


def leader(state: State) -> int:
    """Return the seat that has the most points; 0 if several share the lead."""
    totals = [points["total"] for points in points_of(state)]
    best = max(totals)
    return totals.index(best) + 1 if totals.count(best) == 1 else 0


def lead_changes(states: Sequence[State]) -> int:
    """Return how often the lead passed to another seat. States in which several seats share the lead are ignored."""
    leaders = [seat for state in states if (seat := leader(state))]
    return sum(former != seat for former, seat in pairwise(leaders))


def decision(state: State, winners: Sequence[int], out: Collection[int]) -> tuple[int, DecidedBy, str]:
    """Return the winner's margin, what alone made it up, and that thing's name.

    `out` are the seats that forfeited.
    """
    if len(winners) > 1:
        return 0, DecidedBy.TIE, ""
    (winner,) = winners
    points = points_of(state)
    mine = points[winner - 1]
    rivals = [theirs for seat, theirs in enumerate(points, 1) if seat != winner and seat not in out]
    if not rivals:
        return 0, DecidedBy.FORFEIT, ""
    rival = max(rivals, key=lambda theirs: theirs["total"])
    margin = mine["total"] - rival["total"]
    if any(points[seat - 1]["total"] >= mine["total"] for seat in out):
        return max(0, margin), DecidedBy.FORFEIT, ""
    source = max((name for name in mine if name != "total"), key=lambda name: mine[name] - rival[name])
    # A Djinn may bring points of several sources, none of which makes up the margin alone.
    is_enough = mine[source] - rival[source] >= margin
    if is_enough and source in LAND and (tile := _decisive_tile(state, winner, margin)):
        return margin, DecidedBy.TILE, tile
    if source not in LAND and (djinn := _decisive_djinn(state, winner, source, margin)):
        return margin, DecidedBy.DJINN, djinn
    return (margin, DecidedBy.SOURCE, source) if is_enough else (margin, DecidedBy.NOTHING, "")


def _decisive_djinn(state: State, winner: int, source: str, margin: int) -> str:
    """Return the Djinn that brought the winner most points, by id.

    Return "" unless the winner would have lost the margin without it, and it brought points of `source`.
    """
    losses = []
    for djinn in state.seats[winner - 1].djinns:
        less = state.copy()
        seat = less.own(winner)
        seat.djinns = tuple([other for other in seat.djinns if other != djinn])
        seat.has &= ~(1 << djinn)
        losses.append((*_lost(state, less, winner, source), DJINNS[djinn].id))
    lost, of_source, name = max(losses, default=(0, 0, ""))
    return name if of_source > 0 and lost >= margin else ""


def _decisive_tile(state: State, winner: int, margin: int) -> str:
    """Return the tile that brought the winner most points, by name. Points of what stands on the tile count.

    Return "" if the tile brought less than the margin.
    """
    losses = []
    for tile in tiles_of(state.seats[winner - 1].owned):
        less = state.copy()
        less.own(winner).owned &= ~(1 << tile)
        losses.append((_lost(state, less, winner, "total")[0], TILE_NAMES[tile]))
    lost, name = max(losses, default=(0, ""))
    return name if lost >= margin else ""


def _lost(state: State, less: State, seat: int, source: str) -> tuple[int, int]:
    """Return the points that a seat loses from `state` to `less`: in total, and from one source."""
    had, has = score(state, seat), score(less, seat)
    return had["total"] - has["total"], had[source] - has[source]
