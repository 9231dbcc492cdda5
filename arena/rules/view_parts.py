"""The parts of a view: a tile, a seat, the turn in progress.

Tiles, cards, Djinns, items and whims have their names of the notation. A hidden part is None, or a number of cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.rules.components import IMPASSABLE, Colour, KindOfTile, Mountains
from arena.rules.draft import Phase

Pile = tuple[str, ...] | int
"""Cards by name; the number of cards if the viewer may not know them."""


@dataclass(frozen=True, slots=True)
class TileView:
    """One tile of the board.

    >>> tile = view(start(Ruleset(2), bytes(32)), seat=1).tiles["A1"]
    >>> tile.kind, tile.value, tile.colour, tile.meeples, tile.owner
    ('village', 5, 'blue', 'ywr', None)
    """

    name: str
    """Column letter and row number; `A1` is the top left corner."""
    kind: KindOfTile
    """Kind: `village sacred oasis small-market large-market`, expansions `city lake workshop special-market chasm`."""
    value: int
    """Points for its owner."""
    colour: Colour | None
    """Colour of the value, `red` or `blue`."""
    meeples: str
    """Letters in the order `ywgbrp`; empty if there are none."""
    owner: int | None
    """Seat that controls it."""
    palms: int
    palaces: int
    whim: str | None = None
    """Whims: the whim that lies on a city, for a seat that ends a move there."""
    mountains: Mountains | None = None
    """Artisans: the two sides of a workshop that no meeple steps over, `NW` or `SE`."""
    tent: bool = False
    """Artisans: whether its owner holds it with the tent."""

    def __hash__(self) -> int:
        # Codecs look up dozens of tiles for every view; these three fields tell most of them apart.
        return hash((self.name, self.meeples, self.owner))

    @property
    def is_passable(self) -> bool:
        """Whether meeples and pieces can stand here: false for the lake and the chasm."""
        return self.kind not in IMPASSABLE

    @property
    def column(self) -> int:
        """Column, from 0 at the left."""
        return ord(self.name[0]) - ord("A")

    @property
    def row(self) -> int:
        """Row, from 0 at the top."""
        return int(self.name[1:]) - 1

    def distance(self, other: TileView) -> int:
        """Return the steps between two tiles as assassins count them, whatever lies between."""
        return abs(self.column - other.column) + abs(self.row - other.row)


@dataclass(frozen=True, slots=True)
class SeatView:
    """One player's side of the table.

    >>> seat = view(start(Ruleset(2), bytes(32)), seat=1).others[0]
    >>> seat.number, seat.camels, seat.hand, seat.cards
    (2, 11, None, 0)
    """

    number: int
    """Number of the seat, from 1."""
    gold: int | None
    """Coins; None for other seats while the game runs."""
    camels: int
    """Number of camels not yet on the board."""
    viziers: int
    elders: int
    hand: Mapping[str, int] | None
    """Resource cards by name; kinds without cards are left out. None for other seats while the game runs."""
    cards: int
    """Number of resource cards, always known."""
    djinns: tuple[str, ...]
    """Djinns, in the order gained."""
    used: tuple[str, ...]
    """Djinns whose paid power was used this round, in the order used."""
    artisans: int = 0
    """Artisans: number of purple meeples in front of the player."""
    tents: int = 0
    """Artisans: number of tents not yet on the board, 0 or 1."""
    items: Pile = ()
    """Artisans: items in the order gained; for other seats, their number."""
    open_whims: Pile = ()
    """Whims: open whims in the order gained; for other seats, their number."""
    paid_whims: tuple[str, ...] = ()
    """Whims: fulfilled whims, which have paid."""

    @property
    def fakirs(self) -> int | None:
        """Number of Fakirs in hand; None if the hand is hidden."""
        return None if self.hand is None else self.hand.get("fakir", 0)


@dataclass(frozen=True, slots=True)
class FullSeat(SeatView):
    """One player's side of the table with nothing hidden.

    >>> position(start(Ruleset(2), bytes(32))).seats[1].gold
    50
    """

    gold: int
    hand: Mapping[str, int]
    items: tuple[str, ...] = ()
    open_whims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnView:
    """The turn in progress. Fields that the phase has no use for are empty (notation, Position).

    >>> TurnView(at="C3", lifted="bb").came_from is None
    True
    """

    origin: str | None = None
    """Tile from which the meeples were taken, while sowing."""
    at: str | None = None
    """Tile where the hand is, later the last tile of the sowing."""
    came_from: str | None = None
    """Tile before `at` while sowing (`from` in the document)."""
    hand: str = ""
    """Meeples still to be dropped."""
    lifted: str = ""
    """Meeples of the tribe that acts."""
    drawn: Pile = ()
    """Djinns, items or cards to choose from; for other seats, their number."""
    back: Phase | None = None
    """Phase to which the turn returns."""
    target: str | None = None
    """Tile to be controlled, or to which the flute calls."""
    pulls: int | None = None
    """Number of meeples that the flute has pulled."""
    left: int | None = None
    """Number of meeples that the scimitar can still kill."""
    next: Phase | None = None
    """Phase after `control`, if it is not `back`."""
    doubled: tuple[str, ...] = field(default=())
    """Djinns `echidna` and `iblis` whose doubling is in force this turn."""
    item_used: bool = False
    """Whether a magic item was used this turn; only one is allowed."""


def pile_size(pile: Pile) -> int:
    """Return the number of cards of a pile, whether they are known or not."""
    return pile if isinstance(pile, int) else len(pile)
