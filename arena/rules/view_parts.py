"""The parts of a view: a tile, a seat, the turn in progress.

Tiles, cards, Djinns, items and whims are named as in the notation; what is not known is None, or a number of cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.rules.components import IMPASSABLE, Colour, KindOfTile, Mountains
from arena.rules.draft import Phase

Pile = tuple[str, ...] | int
"""Cards by name, or for those who may not know them how many they are."""


@dataclass(frozen=True, slots=True)
class TileView:
    """One tile of the board.

    >>> tile = view(start(Ruleset(2), bytes(32)), seat=1).tiles["A1"]
    >>> tile.kind, tile.value, tile.colour, tile.meeples, tile.owner
    ('village', 5, 'blue', 'ywr', None)
    """

    name: str
    """Column letter and row number, `A1` is the top left corner."""
    kind: KindOfTile
    """`village sacred oasis small-market large-market`, with expansions `city lake workshop special-market chasm`."""
    value: int
    """Points for its owner."""
    colour: Colour | None
    """`red` or `blue`."""
    meeples: str
    """Letters in the order `ywgbrp`; empty when there are none."""
    owner: int | None
    """The seat that controls it."""
    palms: int
    palaces: int
    whim: str | None = None
    """Whims: what lies on a city for whoever ends a move there."""
    mountains: Mountains | None = None
    """Artisans: the two sides of a workshop that no meeple steps over, `NW` or `SE`."""
    tent: bool = False
    """Artisans: its owner holds it with the tent."""

    def __hash__(self) -> int:
        # Codecs look tiles up by the dozen for every view; these three tell most of them apart.
        return hash((self.name, self.meeples, self.owner))

    @property
    def is_passable(self) -> bool:
        """False for the lake and the chasm, which meeples, camels and pieces never stand on."""
        return self.kind not in IMPASSABLE

    @property
    def column(self) -> int:
        """From 0, the left."""
        return ord(self.name[0]) - ord("A")

    @property
    def row(self) -> int:
        """From 0, the top."""
        return int(self.name[1:]) - 1

    def distance(self, other: TileView) -> int:
        """Steps between two tiles as assassins count them, whatever lies between."""
        return abs(self.column - other.column) + abs(self.row - other.row)


@dataclass(frozen=True, slots=True)
class SeatView:
    """One player's side of the table.

    >>> seat = view(start(Ruleset(2), bytes(32)), seat=1).others[0]
    >>> seat.number, seat.camels, seat.hand, seat.cards
    (2, 11, None, 0)
    """

    number: int
    """From 1."""
    gold: int | None
    """Coins; None for other seats while the game runs."""
    camels: int
    """Camels not yet on the board."""
    viziers: int
    elders: int
    hand: Mapping[str, int] | None
    """Resource cards by name, without those it has none of; None for other seats while the game runs."""
    cards: int
    """How many resource cards, always known."""
    djinns: tuple[str, ...]
    """In the order gained."""
    used: tuple[str, ...]
    """Djinns whose paid power was used this round, in the order used."""
    artisans: int = 0
    """Artisans: purple meeples in front of the player."""
    tents: int = 0
    """Artisans: tents not yet on the board, 0 or 1."""
    items: Pile = ()
    """Artisans: in the order gained; for other seats how many."""
    open_whims: Pile = ()
    """Whims: those not yet fulfilled, in the order gained; for other seats how many."""
    paid_whims: tuple[str, ...] = ()
    """Whims: those that were fulfilled and have paid."""

    @property
    def fakirs(self) -> int | None:
        """Fakirs in hand."""
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
    """The turn in progress; what the phase has no use for is empty (notation, Position).

    >>> TurnView(at="C3", lifted="bb").came_from is None
    True
    """

    origin: str | None = None
    """The tile that the meeples were taken from, while sowing."""
    at: str | None = None
    """The tile where the hand is, later the last tile of the sowing."""
    came_from: str | None = None
    """The tile before `at` while sowing (`from` in the document)."""
    hand: str = ""
    """Meeples still to be dropped."""
    lifted: str = ""
    """Meeples of the tribe that acts."""
    drawn: Pile = ()
    """Djinns, items or cards to choose from; for other seats how many."""
    back: Phase | None = None
    """The phase that the turn returns to."""
    target: str | None = None
    """The tile to be controlled, or that the flute calls to."""
    pulls: int | None = None
    """Meeples that the flute has pulled."""
    left: int | None = None
    """Meeples that the scimitar still slays."""
    next: Phase | None = None
    """The phase after `control`, where it is not `back`."""
    doubled: tuple[str, ...] = field(default=())
    """`echidna`, `iblis`: in force this turn."""
    item_used: bool = False
    """One magic item a turn."""


def pile_size(pile: Pile) -> int:
    """How many cards a pile has, known or not."""
    return pile if isinstance(pile, int) else len(pile)
