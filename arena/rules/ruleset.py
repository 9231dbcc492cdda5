"""The choice of game, and what differs from the base game, derived from the tables (rules 2, 5 and 6)."""

from __future__ import annotations

from typing import NamedTuple

from arena.rules.components import (
    DJINNS,
    ITEMS,
    MEEPLES,
    MEEPLES_OF_ARTISANS,
    MEEPLES_OF_WHIMS,
    TENTS,
    TILES,
    TILES_OF_WHIMS,
    TRACK,
    TRACK_OF_FIVE,
    WHIMS,
    TileKind,
    Track,
)


class Inner(NamedTuple):
    """The inner block of the board: the tiles of Artisans and `others` more (rule 2.2)."""

    others: int
    columns: range
    rows: range


class Ruleset(NamedTuple):
    """The choice of game: the number of players and the expansions in play, in alphabetical order.

    Its properties derive what differs from the base game from the tables (2, 5, 6).

    >>> both = Ruleset(5, ("artisans", "whims"))
    >>> both.shape, sum(both.meeples), both.track.costs[:5]
    ((7, 6), 120, (18, 12, 8, 5, 5))
    """

    players: int
    expansions: tuple[str, ...] = ()

    def document(self) -> dict[str, object]:
        """Return the ruleset in the form of a replay."""
        return {"players": self.players, "expansions": list(self.expansions)}

    @property
    def whims(self) -> bool:
        """Whether Whims of the Sultan is in play."""
        return "whims" in self.expansions

    @property
    def artisans(self) -> bool:
        """Whether Artisans of Naqala is in play."""
        return "artisans" in self.expansions

    @property
    def track(self) -> Track:
        """Turn-order track."""
        return TRACK if self.players < 5 else TRACK_OF_FIVE

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of columns and rows of the board (rule 2.2)."""
        return ((6, 5), (6, 6), (7, 6))[len(self.expansions)]

    @property
    def tiles(self) -> tuple[TileKind, ...]:
        """Kinds of tiles in the order in which a set-up writes them, except those of Artisans (rule 9)."""
        return TILES + (TILES_OF_WHIMS if self.whims else ())

    @property
    def inner(self) -> Inner | None:
        """Inner block of the board; None without Artisans."""
        if not self.artisans:
            return None
        return Inner(14, range(1, 6), range(1, 5)) if self.whims else Inner(10, range(1, 5), range(1, 5))

    @property
    def meeples(self) -> tuple[int, ...]:
        """Number of meeples of each tribe."""
        boxes = [MEEPLES]
        boxes += [MEEPLES_OF_WHIMS] if self.whims else []
        boxes += [MEEPLES_OF_ARTISANS] if self.artisans else []
        return tuple(sum(numbers) for numbers in zip(*boxes, strict=True))

    @property
    def djinns(self) -> tuple[int, ...]:
        """Numbers of the Djinns in play, in the order of the set-up."""
        return tuple(
            number for number, djinn in enumerate(DJINNS) if not djinn.expansion or djinn.expansion in self.expansions
        )

    @property
    def whim_cards(self) -> tuple[int, ...]:
        """Numbers of the whim cards in play."""
        return tuple(number for number, whim in enumerate(WHIMS) if self.whims and (self.artisans or not whim.artisans))

    @property
    def items(self) -> tuple[int, ...]:
        """Numbers of the item tokens in play, one entry per token."""
        return tuple(n for n, item in enumerate(ITEMS) for _ in range(item.copies)) if self.artisans else ()

    @property
    def tents(self) -> int:
        """Number of tents of each seat."""
        return TENTS if self.artisans else 0
