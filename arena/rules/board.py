"""The part of a board that never changes: its tiles, and counts that are made once."""

from __future__ import annotations

from arena.rules.components import IMPASSABLE, KindOfTile, TileKind, Track
from arena.rules.geometry import Geometry, geometry, mask_of
from arena.rules.groups import bit
from arena.rules.notation import STRIDE
from arena.rules.ruleset import Ruleset


class Board:
    """The part of a board that never changes: its tiles. Lists have one entry per tile number.

    `blue` is the set of blue tiles. `blue_around[tile]` and `red_around[tile]` count the tiles of a colour in the 3×3
    block of a tile. `lakeside` is the set of tiles around the Great Lake. `entries` has the first spot, the last spot
    and the cost of each group of the track, in the order in which bids are listed.

    >>> board = start(Ruleset(2), bytes(32)).board
    >>> board.kind(0), board.tiles[0].value, board.blue_around[0]
    ('village', 5, 2)
    """

    # fmt: off
    __slots__ = (
        "_kinds", "blue", "blue_around", "entries", "geometry", "has_items", "has_whims", "kinds", "lakeside",
        "red_around", "ruleset", "tiles", "track",
    )
    # fmt: on

    def __init__(self, ruleset: Ruleset, tiles: dict[int, TileKind]) -> None:
        self.ruleset = ruleset
        self.track: Track = ruleset.track
        self.entries: tuple[tuple[int, int, int], ...] = tuple(
            (group[0], group[-1], self.track.costs[group[0]])
            for group in sorted(self.track.groups, key=lambda group: str(group[0] + 1))
        )
        self.has_whims: bool = ruleset.whims
        self.has_items: bool = ruleset.artisans
        holes = mask_of(number for number, tile in tiles.items() if tile.kind in IMPASSABLE)
        walls = [(number, number + _MOUNTAINS[side]) for number, tile in tiles.items() for side in tile.mountains or ""]
        self.geometry: Geometry = geometry(*ruleset.shape, holes, frozenset(walls))
        numbers = range(self.geometry.size)
        blank = TileKind("chasm", None, 0, 0)  # fills numbers without a tile: nothing stands there either
        self.tiles: tuple[TileKind, ...] = tuple(tiles.get(number, blank) for number in numbers)
        self.kinds: tuple[KindOfTile, ...] = tuple(tile.kind for tile in self.tiles)
        self._kinds: dict[str, int] = {}
        for number, tile in tiles.items():
            self._kinds[tile.kind] = self._kinds.get(tile.kind, 0) | bit(number)
        self.blue: int = mask_of(number for number in numbers if self.tiles[number].colour == "blue")
        red = mask_of(number for number in numbers if self.tiles[number].colour == "red")
        blocks = self.geometry.blocks
        self.blue_around: tuple[int, ...] = tuple((self.blue & blocks[number]).bit_count() for number in numbers)
        self.red_around: tuple[int, ...] = tuple((red & blocks[number]).bit_count() for number in numbers)
        self.lakeside: int = mask_of(
            other
            for number in numbers
            if self.tiles[number].kind == "lake"
            for other in numbers
            if blocks[number] >> other & 1 and other != number
        )

    def of_kind(self, kind: str) -> int:
        """Return the set of tiles of a kind, as a mask."""
        return self._kinds.get(kind, 0)

    def kind(self, tile: int) -> KindOfTile:
        """Return the kind of a tile."""
        return self.kinds[tile]


_MOUNTAINS = {"N": -1, "S": 1, "W": -STRIDE, "E": STRIDE}
"""Difference between a tile's number and its neighbour's on each side."""
