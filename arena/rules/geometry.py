"""The shape of a board: its tiles, which are neighbours, and where walks can end (rules 3.2 T1 and 10).

Sets of tiles are masks, with bit n for tile number n. A *walk* steps from tile to tile and never straight back, also
not to the tile before its first one (`came`): p(i+2) ≠ p(i).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from arena.rules.groups import bit
from arena.rules.notation import STRIDE

NOWHERE = -1
"""Stands for the tile before the origin of a sowing, which does not exist."""


class Geometry:
    """A board's tiles and steps.

    `holes` are tiles that cannot be entered. `walls` are pairs of neighbours with a mountain in between. `steps[tile]`
    has the tiles one step away, ascending. `distance[tile][other]` is the Manhattan distance, whatever lies between
    (R20). `blocks[tile]` is the 3×3 block around a tile, itself included. `reading` has the tiles row by row. Lists by
    tile have `size` entries; on boards of five rows, some numbers do not name a tile.

    >>> geometry = start(Ruleset(2), bytes(32)).board.geometry
    >>> [TILE_NAMES[tile] for tile in geometry.steps[0]], geometry.distance[0][7]
    (['A2', 'B1'], 2)
    """

    __slots__ = (
        "_loops",
        "_reach",
        "_stride",
        "blocks",
        "columns",
        "distance",
        "passable",
        "reading",
        "rows",
        "size",
        "steps",
    )

    def __init__(
        self, columns: int, rows: int, holes: int = 0, walls: frozenset[tuple[int, int]] = frozenset()
    ) -> None:
        self.columns = columns
        self.rows = rows
        self.size: int = columns * STRIDE
        self.reading = tuple(column * STRIDE + row for row in range(rows) for column in range(columns))
        self.passable: int = mask_of(self.reading) & ~holes
        numbers = range(self.size)
        self.distance: tuple[tuple[int, ...], ...] = tuple(
            tuple(_distance(tile, other) for other in numbers) for tile in numbers
        )
        self.blocks: tuple[int, ...] = tuple(
            mask_of(other for other in self.reading if max(_offsets(tile, other)) <= 1) for tile in numbers
        )
        self.steps: tuple[tuple[int, ...], ...] = tuple(
            tuple(
                other
                for other in sorted(self.reading)
                if _distance(tile, other) == 1
                and self.passable >> tile & self.passable >> other & 1
                and (tile, other) not in walls
                and (other, tile) not in walls
            )
            for tile in numbers
        )
        self._stride: int = self.size + 1
        # One entry per pair (tile, tile before it), at index `tile * stride + came + 1`.
        self._reach: list[tuple[int, ...]] = [tuple(mask for mask in map(bit, numbers) for _ in range(self._stride))]
        self._loops: list[tuple[bool, ...]] = [(False,) * (self.size * self._stride)]

    def ends(self, at: int, came: int, length: int) -> int:
        """Return the tiles on which a walk of `length` steps can end, as a mask; `came` is the tile before `at`."""
        while length >= len(self._reach):
            self._lengthen()
        table: tuple[int, ...] = self._reach[length]
        return table[at * self._stride + came + 1]

    def can_loop(self, at: int, came: int, length: int) -> bool:
        """Return whether a walk of `length` steps can end on a tile that one of its earlier steps led to."""
        while length >= len(self._loops):
            self._lengthen()
        table: tuple[bool, ...] = self._loops[length]
        return table[at * self._stride + came + 1]

    @property
    def is_connected(self) -> bool:
        """Whether every passable tile can be reached from every other (rule 2.2)."""
        todo = tiles_of(self.passable)[:1]
        reached = mask_of(todo)
        while todo:
            for step in self.steps[todo.pop()]:
                if not reached >> step & 1:
                    reached |= bit(step)
                    todo.append(step)
        return reached == self.passable

    def _lengthen(self) -> None:
        """Derive the tables for walks that are one step longer: one step, then a shorter walk from there."""
        reach, loops, stride = self._reach[-1], self._loops[-1], self._stride
        known: dict[int, int] = {}  # equal sets share one object, so that long walks take little memory
        ends, can_loop = [], []
        for tile in range(self.size):
            for came in range(NOWHERE, self.size):
                end, loop = 0, False
                for step in self.steps[tile]:
                    if step != came:
                        shorter = reach[step * stride + tile + 1]
                        end |= shorter
                        loop = (
                            loop
                            or loops[step * stride + tile + 1]
                            or (len(self._reach) > 1 and shorter >> step & 1 == 1)
                        )
                ends.append(known.setdefault(end, end))
                can_loop.append(loop)
        self._reach.append(tuple(ends))
        self._loops.append(tuple(can_loop))


@lru_cache(maxsize=256)
def geometry(columns: int, rows: int, holes: int = 0, walls: frozenset[tuple[int, int]] = frozenset()) -> Geometry:
    """Return the geometry of a board shape. Boards of one shape share it and its tables of walks."""
    return Geometry(columns, rows, holes, walls)


def mask_of(tiles: Iterable[int]) -> int:
    """Return the set of these tiles, as a mask."""
    mask = 0
    for tile in tiles:
        mask |= bit(tile)
    return mask


def tiles_of(mask: int) -> list[int]:
    """Return the tiles of a set, ascending: the order in which actions are listed."""
    tiles = []
    while mask:
        lowest = mask & -mask
        tiles.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tiles


def _offsets(tile: int, other: int) -> tuple[int, int]:
    return abs(tile // STRIDE - other // STRIDE), abs(tile % STRIDE - other % STRIDE)


def _distance(tile: int, other: int) -> int:
    return sum(_offsets(tile, other))
