"""Complete sowings from a position, for players that look ahead (rule 10).

Two sowings have the same *result* when they start on one tile, leave the same meeples on the board, end on the same
tile and lift the same tribe there. From five meeples on the ways multiply faster than the results, so results are
enumerated without walking every way: first the *trails* (how often each tile is visited, and where the walk ends), then
the ways to spread the hand over a trail, each of which is one result. Both are lazy: take as many as there is time for.
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
    """What a sowing comes to: `dropped` holds each visited tile with the group it got, the last meeple included.

    Tiles and tribes are numbers, groups are packed: `TILE_NAMES`, `TRIBES`, `count` (3.2 T1).

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
    """The tiles on which a meeple each is dropped after the actions `before`."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """One sowing that comes to it, from the decision that is due on; made when asked for, as few are."""
        return self.before + _actions(self.walk, dict(self.dropped), self.tribe) if self.walk else self.before


class _Trail(NamedTuple):
    """One walk of those with the same end and visits, and how often it visits each tile, packed one byte per tile."""

    walk: tuple[int, ...]
    visits: int

    @property
    def end(self) -> int:
        return self.walk[-1]


def sowings(state: State) -> Iterator[tuple[Action, ...]]:
    """Every complete sowing, as the actions from the decision that is due (phase `move` or `sow`) to the last drop.

    There are none in other phases, and many thousands where a tile holds many meeples: see `results`.

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
    """Every distinct result of a sowing, each once (phase `move` or `sow`), at a cost that grows with their number.

    Flights on a carpet are left out; `sowings` has them.

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
    """The results of sowing a hand on from a tile, where `holds` says which tiles hold each tribe."""
    for trail in _trails(state, hand, at, came, holds):
        tiles = tiles_of(sum(bit(tile) for tile in set(trail.walk)))
        tiles.remove(trail.end)
        sizes = [trail.visits >> _VISIT_BITS * tile & _VISIT_FIELD for tile in tiles]
        at_end = trail.visits >> _VISIT_BITS * trail.end & _VISIT_FIELD
        for tribe in tribes_of(hand):
            # The last meeple finds its tribe there, or one dropped there earlier on (R5).
            least = 1 if holds[tribe] >> trail.end & 1 else 2
            if at_end >= least and count(hand, tribe) >= least:
                rest = hand - least * UNITS[tribe]
                for group in _subgroups(rest, at_end - least):
                    for groups in _spread(rest - group, sizes):
                        ended = group + least * UNITS[tribe]
                        dropped = (*zip(tiles, groups, strict=True), (trail.end, ended))
                        yield Result(origin, trail.end, tribe, dropped, before, trail.walk)


def _trails(state: State, hand: int, at: int, came: int, holds: tuple[int, ...]) -> Iterator[_Trail]:
    """One walk of each kind that some spread of the hand can end, kinds being end and visits."""
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
            # With none left to drop the tile before this drop counts; else what is there by now.
            known = visited if left == 1 else visited | bit(tile)
            if ends & targets or (pair and (ends & known or geometry.can_loop(tile, at, left - 1))):
                todo.append((tile, at, left - 1, now, visited | bit(tile), (*walk, tile)))


def _subgroups(group: int, size: int) -> Iterator[int]:
    """Every group of that size within a group."""
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
    """Every way to split a group into groups of these sizes, which add up to its own."""
    if len(sizes) < 2:
        yield (group,) if sizes else ()
        return
    for first in _subgroups(group, sizes[0]):
        for rest in _spread(group - first, sizes[1:]):
            yield (first, *rest)


def _actions(walk: tuple[int, ...], groups: dict[int, int], last: int) -> tuple[Action, ...]:
    """The drops of a walk that leave these groups, the last one of the tribe `last`."""
    waiting = {
        tile: [tribe for tribe in tribes_of(group) for _ in range(count(group, tribe))]
        for tile, group in groups.items()
    }
    waiting[walk[-1]].remove(last)
    waiting[walk[-1]].append(last)
    return tuple(DROP[tile][waiting[tile].pop(0)] for tile in walk)
