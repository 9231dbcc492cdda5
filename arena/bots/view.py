"""A view as a bot author reads it: `view.me.gold`, `view.tiles["A1"].meeples`.

It is a reading of the view document (`view.document`, described in notation.md), made on demand and never changed.
What the seat cannot know is None.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of the board."""

    name: str
    """Column letter and row number, `A1` is the top left corner."""
    kind: str
    """`village sacred oasis small-market large-market`, with expansions `city lake workshop special-market chasm`."""
    value: int
    """Points for its owner."""
    colour: str | None
    """`red` or `blue`."""
    meeples: str
    """Letters in the order `ywgbrp`; empty when there are none."""
    owner: int | None
    """The seat that controls it."""
    palms: int
    palaces: int
    whim: str | None = None
    """Whims: what lies on a city for whoever ends a move there."""
    mountains: str | None = None
    """Artisans: the two sides of a workshop that no meeple steps over, `NW` or `SE`."""
    tent: bool = False
    """Artisans: its owner holds it with the tent."""

    @property
    def is_passable(self) -> bool:
        """False for the lake and the chasm, which meeples, camels and pieces never stand on."""
        return self.kind not in ("lake", "chasm")

    @property
    def column(self) -> int:
        """From 0, the left."""
        return ord(self.name[0]) - ord("A")

    @property
    def row(self) -> int:
        """From 0, the top."""
        return int(self.name[1:]) - 1

    def distance(self, other: "Tile") -> int:
        """Steps between two tiles as assassins count them, whatever lies between."""
        return abs(self.column - other.column) + abs(self.row - other.row)


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's side of the table."""

    number: int
    """From 1."""
    gold: int | None
    """Coins; None for other seats while the game runs."""
    camels: int
    viziers: int
    elders: int
    hand: Mapping[str, int] | None
    """Resource cards by name, without those it has none of; None for other seats."""
    cards: int
    """How many resource cards, always known."""
    djinns: tuple[str, ...]
    used: tuple[str, ...]
    """Djinns whose paid power was used this round."""
    artisans: int = 0
    """Artisans: purple meeples in front of the player."""
    tents: int = 0
    """Artisans: tents not yet on the board, 0 or 1."""
    items: tuple[str, ...] | int = ()
    """Ids, or for other seats how many."""
    open_whims: tuple[str, ...] | int = ()
    """Ids, or for other seats how many."""
    paid_whims: tuple[str, ...] = ()
    """Those that were fulfilled and have paid."""

    @property
    def fakirs(self) -> int | None:
        """Fakirs in hand."""
        return None if self.hand is None else self.hand.get("fakir", 0)


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn in progress; what the phase has no use for is empty."""

    origin: str | None = None
    at: str | None = None
    came_from: str | None = None
    """The tile before `at` while sowing (`from` in the document)."""
    hand: str = ""
    """Meeples still to be dropped."""
    lifted: str = ""
    """Meeples of the tribe that acts."""
    drawn: tuple[str, ...] | int = ()
    """Djinns, items or cards to choose from; for other seats how many."""
    back: str | None = None
    """The phase that the turn returns to."""
    target: str | None = None
    """The tile to be controlled, or that the flute calls to."""
    pulls: int | None = None
    """Meeples that the flute has pulled."""
    left: int | None = None
    """Meeples that the scimitar still slays."""
    next: str | None = None
    """The phase after `control`, where it is not `back`."""
    doubled: tuple[str, ...] = field(default=())
    """`echidna`, `iblis`: in force this turn."""
    item_used: bool = False
    """One magic item a turn."""


class View:
    """All that one seat may see of a game."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        """The view document itself."""

    def __repr__(self) -> str:
        return f"<View of seat {self.seat}: round {self.round}, {self.phase}>"

    @property
    def seat(self) -> int:
        """Whose view this is; 0 is a spectator."""
        return int(self.document.get("view", 0))

    @property
    def players(self) -> int:
        """How many seats there are."""
        return int(self.document["players"])

    @property
    def expansions(self) -> tuple[str, ...]:
        """The expansions in play."""
        return tuple(self.document["expansions"])

    @property
    def round(self) -> int:
        """From 1."""
        return int(self.document["round"])

    @property
    def phase(self) -> str:
        """What is to be decided: `bid move sow tribe tile choose sell over`, with Artisans some more."""
        return str(self.document["phase"])

    @property
    def to_act(self) -> int | None:
        """The seat that decides."""
        return self.document["to_act"]  # type: ignore[no-any-return]

    @property
    def ending(self) -> str | None:
        """What makes this round the last, `camels` or `no-moves`, if anything."""
        return self.document["ending"]  # type: ignore[no-any-return]

    @cached_property
    def tiles(self) -> Mapping[str, Tile]:
        """The board by tile name, row by row."""
        return MappingProxyType({name: _tile(name, tile) for name, tile in self.document["board"]["tiles"].items()})

    def steps(self, name: str) -> tuple[Tile, ...]:
        """The tiles that a meeple can step to from this one: next to it, with no lake, chasm or mountain in the way."""
        here = self.tiles[name]
        found = []
        for side, opposite, columns, rows in (("N", "S", 0, -1), ("W", "E", -1, 0), ("E", "W", 1, 0), ("S", "N", 0, 1)):
            there = self._at(here.column + columns, here.row + rows)
            if there is None or not there.is_passable or not here.is_passable:
                continue
            if side not in (here.mountains or "") and opposite not in (there.mountains or ""):
                found.append(there)
        return tuple(found)

    def around(self, name: str) -> tuple[Tile, ...]:
        """The block of up to nine tiles with this one in its middle, itself included: what builders and tents count."""
        here = self.tiles[name]
        places = ((here.column + columns, here.row + rows) for rows in (-1, 0, 1) for columns in (-1, 0, 1))
        return tuple(tile for place in places if (tile := self._at(*place)) is not None)

    def _at(self, column: int, row: int) -> Tile | None:
        return self.tiles.get(f"{chr(ord('A') + column)}{row + 1}")

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """All seats; seat 1 is `seats[0]`."""
        return tuple(_seat(number, seat) for number, seat in enumerate(self.document["seats"], start=1))

    @property
    def me(self) -> Seat:
        """The seat that sees this."""
        if not self.seat:
            raise ValueError("a spectator has no seat")
        return self.seats[self.seat - 1]

    @property
    def others(self) -> tuple[Seat, ...]:
        """All other seats."""
        return tuple(seat for seat in self.seats if seat.number != self.seat)

    @property
    def bag(self) -> str:
        """The meeples in the bag, as letters."""
        return _group(self.document["bag"])

    @property
    def market(self) -> tuple[str, ...]:
        """The open row of resource cards; `buy 1` takes the first."""
        return tuple(self.document["resources"]["row"])

    @property
    def djinns(self) -> tuple[str, ...]:
        """The Djinns that can be summoned."""
        return tuple(self.document["djinns"]["row"])

    @property
    def items_left(self) -> int:
        """Artisans: items in the face-down pile."""
        return _size(self.document.get("items", {"pile": 0})["pile"])

    @property
    def items_discarded(self) -> tuple[str, ...]:
        """Artisans: items that were used or not kept, oldest first."""
        return tuple(self.document.get("items", {"discard": ()})["discard"])

    @property
    def whims_left(self) -> int:
        """Whims: cards in the draw pile; those that can be taken lie on the cities."""
        return _size(self.document.get("whims", {"deck": 0})["deck"])

    @property
    def palms(self) -> int:
        """Palm trees left in the supply."""
        return int(self.document["supply"]["palms"])

    @property
    def palaces(self) -> int:
        """Palaces left in the supply."""
        return int(self.document["supply"]["palaces"])

    @property
    def bid_order(self) -> tuple[int, ...]:
        """Markers on the bid order track, as seat numbers."""
        return tuple(self.document["bid_order"])

    @property
    def turn_track(self) -> tuple[int | None, ...]:
        """The turn order track: a seat or None for every spot; spot 1 is `turn_track[0]`."""
        return tuple(self.document["turn_track"])

    @cached_property
    def turn(self) -> Turn:
        """The turn in progress; empty while bidding."""
        turn = dict(self.document["turn"] or {})
        if "from" in turn:
            turn["came_from"] = turn.pop("from")
        for key in ("hand", "lifted"):
            if key in turn:
                turn[key] = _group(turn[key])
        for key in ("drawn", "doubled"):
            if key in turn:
                turn[key] = _ids(turn[key])
        return Turn(**turn)


def _group(meeples: str) -> str:
    return "" if meeples == "-" else meeples


def _ids(cards: list[str] | int) -> Any:
    return cards if isinstance(cards, int) else tuple(cards)


def _size(cards: list[str] | int) -> int:
    return cards if isinstance(cards, int) else len(cards)


def _tile(name: str, tile: Mapping[str, Any]) -> Tile:
    return Tile(name=name, **{**tile, "meeples": _group(tile["meeples"])})


def _seat(number: int, seat: Mapping[str, Any]) -> Seat:
    hand, whims = seat["hand"], seat.get("whims", {"open": [], "paid": []})
    return Seat(
        number=number,
        gold=seat["gold"],
        camels=seat["camels"],
        viziers=seat["viziers"],
        elders=seat["elders"],
        hand=None if hand is None else MappingProxyType(hand),
        cards=seat["cards"] if hand is None else sum(hand.values()),
        djinns=tuple(seat["djinns"]),
        used=tuple(seat["used"]),
        artisans=seat.get("artisans", 0),
        tents=seat.get("tent", 0),
        items=_ids(seat.get("items", [])),
        open_whims=_ids(whims["open"]),
        paid_whims=tuple(whims["paid"]),
    )
