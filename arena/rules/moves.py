"""Complete sowings from a position, for players that look ahead (rule 10).

Two sowings have the same *result* if they start on one tile, leave the same meeples on the board, end on the same tile
and lift the same tribe there. With five meeples or more, there are far more sowings than results. Results are therefore
enumerated without walking every sowing. First come the *trails*: how often each tile is visited, and where the walk
ends. Then come the ways to spread the hand over a trail; each way is one result. Both are lazy: take as many as there
is time for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.rules.components import TRIBES
from arena.rules.geometry import NOWHERE, tiles_of
from arena.rules.groups import UNITS, bit, count, group_size, tribes_of
from arena.rules.notation import DROP, TAKE, Action
from arena.rules.sowing import can_take
from arena.rules.state import State

_VISIT_BITS = 8
_VISIT_FIELD = (1 << _VISIT_BITS) - 1


class Result(NamedTuple):
    """Result of a sowing (3.2 T1).

    `dropped` holds each visited tile with the group dropped there, the last meeple included. `before` has the actions
    before the walk. Tiles and tribes are numbers and groups are packed: see `TILE_NAMES`, `TRIBES` and `count`.

    >>> result = Result(origin=0, end=6, tribe=1, dropped=((6, 256),), before=(parse_action("take A1"),), walk=(6,))
    >>> [action.text for action in result.actions]
    ['take A1', 'drop B1 w']
    """

    origin: int
    end: int
    tribe: int
    dropped: tuple[tuple[int, int], ...]
    before: tuple[Action, ...]
    walk: tuple[int, ...] = ()
    """Tiles on which one meeple each is dropped after the actions `before`."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions of one sowing with this result, from the decision that is due on. They are made on demand."""
        return self.before + _actions(self.walk, dict(self.dropped), self.tribe) if self.walk else self.before


class _Trail(NamedTuple):
    """One walk of all those with the same end and visits, and the number of visits of each tile, one byte per tile."""

    walk: tuple[int, ...]
    visits: int

    @property
    def end(self) -> int:
        return self.walk[-1]


def sowings(state: State) -> Iterator[tuple[Action, ...]]:
    """Yield every complete sowing, as its actions from the decision that is due to the last drop.

    The phase must be `move` or `sow`; other phases have no sowings. If a tile holds many meeples there are many
    thousands: use `results` instead.

    >>> state = start(Ruleset(2), bytes(32))
    >>> for bid in ("bid 1", "bid 2", "bid 3", "bid 4"):
    ...     state = state.play(state.parse(bid))
    >>> [action.text for action in next(sowings(state))]
    ['take A1', 'drop A2 r', 'drop A3 w', 'drop B3 y']
    """
    if state.phase not in ("move", "sow"):
        return
    for action in state.legal:
        if action.verb == "take" or (action.verb == "drop" and group_size(state.hand) > 1):
            yield from ((action, *rest) for rest in sowings(state.play(action)))
        elif action.verb in ("drop", "fly"):
            yield (action,)


def results(state: State) -> Iterator[Result]:
    """Yield every distinct result of a sowing once, at a cost that grows with the number of results.

    The phase must be `move` or `sow`; other phases have no results. Flights on a carpet are left out; `sowings` has
    them.

    >>> state = start(Ruleset(2), bytes(32))
    >>> for bid in ("bid 1", "bid 2", "bid 3", "bid 4"):
    ...     state = state.play(state.parse(bid))
    >>> result = next(results(state))
    >>> TILE_NAMES[result.end], TRIBES[result.tribe], [action.text for action in result.actions]
    ('D1', 'y', ['take A1', 'drop B1 r', 'drop C1 w', 'drop D1 y'])
    """
    if state.phase == "sow":
        yield from _results_from(state, state.origin, state.hand, state.at, state.came, state.holds, ())
    elif state.phase == "move":
        for origin in range(state.board.geometry.size):
            if state.meeples[origin] and can_take(state, origin):
                holds = tuple(tiles & ~bit(origin) for tiles in state.holds)
                yield from _results_from(state, origin, state.meeples[origin], origin, NOWHERE, holds, (TAKE[origin],))


def _results_from(
    state: State, origin: int, hand: int, at: int, came: int, holds: tuple[int, ...], before: tuple[Action, ...]
) -> Iterator[Result]:
    """Yield the results of sowing a hand on from a tile. `holds` has the tiles that hold each tribe."""
    for trail in _trails(state, hand, at, came, holds):
        tiles = tiles_of(sum(bit(tile) for tile in set(trail.walk)))
        tiles.remove(trail.end)
        sizes = [trail.visits >> _VISIT_BITS * tile & _VISIT_FIELD for tile in tiles]
        at_end = trail.visits >> _VISIT_BITS * trail.end & _VISIT_FIELD
        for tribe in tribes_of(hand):
            # The last meeple needs its tribe there already, or one of it dropped earlier on this walk (R5).
            least = 1 if holds[tribe] >> trail.end & 1 else 2
            if at_end >= least and count(hand, tribe) >= least:
                rest = hand - least * UNITS[tribe]
                for group in _subgroups(rest, at_end - least):
                    for groups in _spread(rest - group, sizes):
                        ended = group + least * UNITS[tribe]
                        dropped = (*zip(tiles, groups, strict=True), (trail.end, ended))
                        yield Result(origin, trail.end, tribe, dropped, before, trail.walk)


def _trails(state: State, hand: int, at: int, came: int, holds: tuple[int, ...]) -> Iterator[_Trail]:
    """Yield one walk for each pair of end and visits that some spread of the hand can complete."""
    geometry = state.board.geometry
    tribes = tribes_of(hand)
    targets = 0
    for tribe in tribes:
        targets |= holds[tribe]
    pair = any(count(hand, tribe) > 1 for tribe in tribes)
    ended: set[tuple[int, int]] = set()
    seen: set[tuple[int, int, int]] = set()
    todo: list[tuple[int, int, int, int, int, tuple[int, ...]]] = [(at, came, group_size(hand), 0, 0, ())]
    while todo:
        at, came, left, visits, visited, walk = todo.pop()
        if not left:
            if (at, visits) not in ended:
                ended.add((at, visits))
                yield _Trail(walk, visits)
            continue
        for tile in geometry.steps[at]:
            if tile == came:
                continue
            now = visits + (1 << _VISIT_BITS * tile)
            if (tile, at, now) in seen:
                continue
            seen.add((tile, at, now))
            ends = geometry.ends(tile, at, left - 1)
            # If no meeple is left after this drop, only the tiles visited before it count.
            known = visited if left == 1 else visited | bit(tile)
            if ends & targets or (pair and (ends & known or geometry.can_loop(tile, at, left - 1))):
                todo.append((tile, at, left - 1, now, visited | bit(tile), (*walk, tile)))


def _subgroups(group: int, size: int) -> Iterator[int]:
    """Yield every group of that size within a group."""
    if size == 1:  # by far the most frequent
        return iter([UNITS[tribe] for tribe in reversed(tribes_of(group))])
    return _choose(group, size, 0)


def _choose(group: int, size: int, tribe: int) -> Iterator[int]:
    if not size:
        yield 0
    elif tribe < len(TRIBES):
        for number in range(min(size, count(group, tribe)) + 1):
            for rest in _choose(group, size - number, tribe + 1):
                yield number * UNITS[tribe] + rest


def _spread(group: int, sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way to split a group into groups of these sizes. The sizes add up to the group's size."""
    if len(sizes) < 2:
        yield (group,) if sizes else ()
        return
    for first in _subgroups(group, sizes[0]):
        for rest in _spread(group - first, sizes[1:]):
            yield (first, *rest)


def _actions(walk: tuple[int, ...], groups: dict[int, int], last: int) -> tuple[Action, ...]:
    """Return the drops of a walk that leave these groups. The last drop is of the tribe `last`."""
    waiting = {
        tile: [tribe for tribe in tribes_of(group) for _ in range(count(group, tribe))]
        for tile, group in groups.items()
    }
    waiting[walk[-1]].remove(last)
    waiting[walk[-1]].append(last)
    return tuple(DROP[tile][waiting[tile].pop(0)] for tile in walk)
