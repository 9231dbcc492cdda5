"""The view of a game from one seat, as values: `view.me.gold`, `view.tiles["A1"].meeples` (notation.md, Position).

A `View` holds what one seat, or a spectator, may see. A `Position` holds everything, hidden parts included. Neither
ever changes. Both are made from a state in position.py, and written as JSON here and as protobuf in arena.wire.views.
Tiles, cards, Djinns, items and whims have their names of the notation. A hidden part is None, or a number of cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules.draft import Ending, Phase
from arena.rules.view_parts import FullSeat, Pile, SeatView, TileView, TurnView, pile_size

FORMAT = "naqala/position/1"
SPECTATOR = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class View:
    """Everything that one seat may see of a game (2.3), by the names of the notation.

    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> seen.phase, seen.market[0], seen.deck, [tile.name for tile in seen.steps("A1")]
    ('bid', 'wheat', 45, ['B1', 'A2'])
    """

    seat: int
    """Seat that sees this, from 1; 0 for a spectator."""
    players: int
    """Number of seats."""
    expansions: tuple[str, ...]
    """Expansions in play, in alphabetical order."""
    round: int
    """Number of the round, from 1."""
    phase: Phase
    """Kind of decision that is due: `bid move sow tribe tile choose sell over`, and some more with Artisans."""
    to_act: int | None
    """Seat that decides; None when the game is over."""
    ending: Ending | None
    """Trigger that makes this round the last, `camels` or `no-moves`; None if there is none."""
    columns: int
    rows: int
    tiles: Mapping[str, TileView]
    """Board by tile name, row by row."""
    bag: str
    """Meeples in the bag, as letters."""
    market: tuple[str, ...]
    """Open row of resource cards; `buy 1` takes the first."""
    deck: Pile
    """Draw pile of resource cards, top first, or its number of cards."""
    discard: tuple[str, ...]
    """Discarded resource cards, oldest first."""
    djinns: tuple[str, ...]
    """Djinns that can be summoned."""
    djinn_deck: Pile
    """Draw pile of Djinns, top first, or its number of Djinns."""
    djinn_discard: tuple[str, ...]
    """Discarded Djinns, oldest first."""
    palms: int
    """Number of palm trees left in the supply."""
    palaces: int
    """Number of palaces left in the supply."""
    seats: tuple[SeatView, ...]
    """All seats; seat 1 is `seats[0]`."""
    bid_order: tuple[int, ...]
    """Markers on the bid-order track, as seat numbers."""
    turn_track: tuple[int | None, ...]
    """Turn-order track: a seat or None for every spot; spot 1 is `turn_track[0]`."""
    turn: TurnView
    """Turn in progress; empty while bidding."""
    whim_deck: Pile = ()
    """Whims: draw pile, top first, or its number of cards. The whims that can be taken lie on the cities."""
    item_pile: Pile = ()
    """Artisans: face-down pile of items, top first, or its number of items."""
    items_discarded: tuple[str, ...] = ()
    """Artisans: items that were used or not kept, oldest first."""

    def __repr__(self) -> str:
        return f"<View of seat {self.seat}: round {self.round}, {self.phase}>"

    @property
    def document(self) -> dict[str, Any]:
        """JSON document of the view (notation.md, Position), made anew each time."""
        return format_view(self)

    @property
    def me(self) -> SeatView:
        """The seat that sees this. Raise ValueError for a spectator."""
        if not self.seat:
            raise ValueError("a spectator has no seat")
        return self.seats[self.seat - 1]

    @property
    def others(self) -> tuple[SeatView, ...]:
        """All other seats."""
        return tuple(seat for seat in self.seats if seat.number != self.seat)

    @property
    def cards_left(self) -> int:
        """Number of cards in the draw pile of resources."""
        return pile_size(self.deck)

    @property
    def djinns_left(self) -> int:
        """Number of Djinns in the draw pile."""
        return pile_size(self.djinn_deck)

    @property
    def items_left(self) -> int:
        """Artisans: number of items in the face-down pile."""
        return pile_size(self.item_pile)

    @property
    def whims_left(self) -> int:
        """Whims: number of cards in the draw pile."""
        return pile_size(self.whim_deck)

    def steps(self, name: str) -> tuple[TileView, ...]:
        """Return the tiles that a meeple can step to from this one: no lake, chasm or mountain is in the way."""
        here = self.tiles[name]
        found = []
        for side, opposite, columns, rows in (("N", "S", 0, -1), ("W", "E", -1, 0), ("E", "W", 1, 0), ("S", "N", 0, 1)):
            there = self._at(here.column + columns, here.row + rows)
            if there is None or not there.is_passable or not here.is_passable:
                continue
            if side not in (here.mountains or "") and opposite not in (there.mountains or ""):
                found.append(there)
        return tuple(found)

    def around(self, name: str) -> tuple[TileView, ...]:
        """Return the block of up to nine tiles around this one, itself included. Builders and tents count in it."""
        here = self.tiles[name]
        places = ((here.column + columns, here.row + rows) for rows in (-1, 0, 1) for columns in (-1, 0, 1))
        return tuple(tile for place in places if (tile := self._at(*place)) is not None)

    def _at(self, column: int, row: int) -> TileView | None:
        return self.tiles.get(f"{chr(ord('A') + column)}{row + 1}")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Position(View):
    """Everything in a game, hidden parts included. Never give it to a seat while the game runs.

    >>> len(position(start(Ruleset(2), bytes(32))).djinn_deck)
    19
    """

    seat: int = SPECTATOR
    deck: tuple[str, ...]
    djinn_deck: tuple[str, ...]
    seats: tuple[FullSeat, ...]
    whim_deck: tuple[str, ...] = ()
    item_pile: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Position: round {self.round}, {self.phase}>"


# The JSON form.


def format_view(view: View) -> dict[str, Any]:
    """Return the JSON document of a view or a position (notation, Position).

    The document of a view has its seat in `view`; that of a position has no such key.

    >>> format_view(view(start(Ruleset(2), bytes(32)), seat=1))["seats"][1]["gold"] is None
    True
    """
    document: dict[str, Any] = {
        "format": FORMAT,
        "players": view.players,
        "expansions": list(view.expansions),
        "round": view.round,
        "phase": view.phase,
        "to_act": view.to_act,
        "ending": view.ending,
        "board": {
            "columns": view.columns,
            "rows": view.rows,
            "tiles": {name: _format_tile(tile) for name, tile in view.tiles.items()},
        },
        "bag": view.bag or "-",
        "resources": {"row": list(view.market), "deck": _format_pile(view.deck), "discard": list(view.discard)},
        "djinns": {
            "row": list(view.djinns),
            "deck": _format_pile(view.djinn_deck),
            "discard": list(view.djinn_discard),
        },
        "supply": {"palms": view.palms, "palaces": view.palaces},
        "seats": [_format_seat(seat, view.expansions) for seat in view.seats],
        "bid_order": list(view.bid_order),
        "turn_track": list(view.turn_track),
        "turn": None if view.phase in ("bid", "over") else _format_turn(view.turn),
    }
    if "whims" in view.expansions:
        document["whims"] = {"deck": _format_pile(view.whim_deck)}
    if "artisans" in view.expansions:
        document["items"] = {"pile": _format_pile(view.item_pile), "discard": list(view.items_discarded)}
    if not isinstance(view, Position):
        document["view"] = view.seat
    return document


def _format_pile(pile: Pile) -> list[str] | int:
    return pile if isinstance(pile, int) else list(pile)


def _format_tile(tile: TileView) -> dict[str, Any]:
    document: dict[str, Any] = {
        "kind": tile.kind,
        "value": tile.value,
        "colour": tile.colour,
        "meeples": tile.meeples or "-",
        "owner": tile.owner,
        "palms": tile.palms,
        "palaces": tile.palaces,
    }
    if tile.kind == "city":
        document["whim"] = tile.whim
    if tile.mountains:
        document["mountains"] = tile.mountains
    if tile.tent:
        document["tent"] = True
    return document


def _format_seat(seat: SeatView, expansions: tuple[str, ...]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "gold": seat.gold,
        "camels": seat.camels,
        "viziers": seat.viziers,
        "elders": seat.elders,
        "hand": None if seat.hand is None else dict(seat.hand),
        "djinns": list(seat.djinns),
        "used": list(seat.used),
    }
    if "artisans" in expansions:
        document |= {"artisans": seat.artisans, "tent": seat.tents, "items": _format_pile(seat.items)}
    if "whims" in expansions:
        document["whims"] = {"open": _format_pile(seat.open_whims), "paid": list(seat.paid_whims)}
    if seat.hand is None:
        document["cards"] = seat.cards
    return document


def _format_turn(turn: TurnView) -> dict[str, Any]:
    """Return the fields that have something to say. A number is kept even if it is 0."""
    fields: dict[str, Any] = {
        "origin": turn.origin,
        "at": turn.at,
        "hand": turn.hand or None,
        "from": turn.came_from,
        "lifted": turn.lifted or None,
        "target": turn.target,
        "pulls": turn.pulls,
        "next": turn.next,
        "back": turn.back,
        "drawn": _format_pile(turn.drawn) or None,
        "left": turn.left,
        "doubled": list(turn.doubled) or None,
        "item_used": turn.item_used or None,
    }
    return {key: value for key, value in fields.items() if value is not None}
