"""Read position documents. Every way in which a document can be wrong has its own message (notation.md, Position).

A document that is accepted can occur in a game, as far as its own figures show. No component is missing or there twice,
the markers add up, and the seat that is to act has a legal action.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from arena.rules.board import Board
from arena.rules.components import (
    CAMELS,
    DJINN_NUMBER,
    DJINN_ROW,
    DJINNS,
    ITEM_NUMBER,
    RESOURCE_ROW,
    TILES_OF_ARTISANS,
    TRIBES,
    WHIM_NUMBER,
    TileKind,
)
from arena.rules.errors import PositionError, RulesError
from arena.rules.fields import read_cards, read_group, read_list, read_number, read_object, read_one_of, read_seat
from arena.rules.geometry import geometry, mask_of
from arena.rules.groups import CARDS, bit, count
from arena.rules.inventory import check_inventory
from arena.rules.notation import RESOURCE_NUMBER, TILE_NAMES, TILE_NUMBER
from arena.rules.parsing_turn import read_phase
from arena.rules.ruleset import Ruleset
from arena.rules.seat import Seat
from arena.rules.setup import check_ruleset
from arena.rules.state import State
from arena.rules.view import FORMAT

# fmt: off
_KEYS = frozenset((
    "format", "players", "expansions", "round", "phase", "to_act", "ending", "board", "bag", "resources", "djinns",
    "supply", "seats", "bid_order", "turn_track", "turn",
))
_TILE_KEYS = frozenset(("kind", "value", "colour", "meeples", "owner", "palms", "palaces"))
_SEAT_KEYS = frozenset(("gold", "camels", "viziers", "elders", "hand", "djinns", "used"))
# fmt: on
_PILES = frozenset(("row", "deck", "discard"))
_ENDINGS = (None, "camels", "no-moves")


def parse_position(document: Any) -> State:
    """Return the state that a complete position document describes.

    Raise `PositionError`, which says what is wrong, for any other document.

    >>> parse_position(format_position(start(Ruleset(2), bytes(32)))).to_act
    1
    >>> parse_position({"format": "naqala/position/1", "view": 1})
    Traceback (most recent call last):
    arena.rules.errors.PositionError: this is a view, which hides parts; a complete position is needed
    """
    fields = read_object(document, "a position", None)
    if "view" in fields:
        raise PositionError("VIEW", "this is a view, which hides parts; a complete position is needed")
    ruleset = _read_ruleset(fields)
    read_object(document, "a position", _keys(ruleset)[0])
    state = _read_board(ruleset, fields["board"])
    state.round = read_number(fields["round"], "round", least=1)
    state.ending = read_one_of(fields["ending"], _ENDINGS, "ending")
    state.bag = read_group(fields["bag"], "bag")
    _read_piles(state, fields)
    supply = read_object(fields["supply"], "supply", ("palms", "palaces"))
    state.palms_left = read_number(supply["palms"], "supply.palms")
    state.palaces_left = read_number(supply["palaces"], "supply.palaces")
    _read_seats(state, fields["seats"])
    read_phase(state, fields)
    check_inventory(state)
    return state


@lru_cache(maxsize=32)
def _keys(ruleset: Ruleset) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of a position, and of each of its seats."""
    position, seat = set(_KEYS), set(_SEAT_KEYS)
    if ruleset.whims:
        position.add("whims")
        seat.add("whims")
    if ruleset.artisans:
        position.add("items")
        seat.update(("artisans", "tent", "items"))
    return frozenset(position), frozenset(seat)


def _read_ruleset(fields: dict[str, Any]) -> Ruleset:
    read_object({key: fields[key] for key in _KEYS if key in fields}, "a position", _KEYS)
    if fields["format"] != FORMAT:
        raise PositionError("BAD_POSITION", f"`format` must be {FORMAT!r}")
    expansions = read_list(fields["expansions"], "expansions", str)
    ruleset = Ruleset(read_number(fields["players"], "players"), tuple(expansions))
    try:
        check_ruleset(ruleset)
    except RulesError as error:
        raise PositionError(error.code, error.message) from None
    return ruleset


def _read_board(ruleset: Ruleset, value: Any) -> State:
    board = read_object(value, "board", ("columns", "rows", "tiles"))
    columns, rows = ruleset.shape
    if (board["columns"], board["rows"]) != (columns, rows):
        raise PositionError("BAD_POSITION", f"this board is {columns} columns by {rows} rows")
    names = [TILE_NAMES[tile] for tile in geometry(columns, rows).reading]
    shown = read_object(board["tiles"], "board.tiles", names)
    faces = _faces(ruleset)
    state = State(_board(ruleset, tuple([_read_kind(faces, shown[name], name) for name in names])))
    state.seats = tuple([Seat(0, 0) for _ in range(ruleset.players)])
    meeples, palms, palaces, whims = list(state.meeples), list(state.palms), list(state.palaces), list(state.whims)
    for name in names:
        _read_tile(state, TILE_NUMBER[name], name, shown[name], meeples, palms, palaces, whims)
    state.meeples, state.palms, state.palaces, state.whims = tuple(meeples), tuple(palms), tuple(palaces), tuple(whims)
    state.holds = tuple([_tiles_with(meeples, tribe) for tribe in range(len(TRIBES))])
    return state


def _tiles_with(meeples: list[int], tribe: int) -> int:
    """Return the set of tiles that hold a tribe."""
    tiles: int = 0
    tile: int
    group: int
    for tile, group in enumerate(meeples):
        if count(group, tribe):
            tiles |= bit(tile)
    return tiles


@lru_cache(maxsize=256)
def _board(ruleset: Ruleset, kinds: tuple[TileKind, ...]) -> Board:
    """Return the board of these tiles, row by row. Positions of a game share it.

    Raise `PositionError` if the box does not have these tiles.
    """
    there = Counter(kinds)
    box = Counter({tile: tile.copies for tile in _tiles_in_play(ruleset)})
    if there != box:
        extra = ", ".join(f"{tile.kind} worth {tile.value}" for tile in there - box)
        raise PositionError("BAD_TILE", f"the board has more of these tiles than the box: {extra}")
    board = Board(ruleset, dict(zip(geometry(*ruleset.shape).reading, kinds, strict=True)))
    if not board.geometry.is_connected:
        raise PositionError("BAD_TILE", "the board has tiles that cannot be reached")
    return board


def _tiles_in_play(ruleset: Ruleset) -> tuple[TileKind, ...]:
    return ruleset.tiles + (TILES_OF_ARTISANS if ruleset.artisans else ())


Faces = dict[tuple[Any, ...], tuple[TileKind, frozenset[str]]]


@lru_cache(maxsize=32)
def _faces(ruleset: Ruleset) -> Faces:
    """Return the tiles of the box by what their faces show, each with the keys of its document except `tent`."""
    faces: Faces = {}
    for tile in _tiles_in_play(ruleset):
        extra = ["whim"] * (tile.kind == "city") + ["mountains"] * bool(tile.mountains)
        faces[tile.kind, tile.colour, tile.value, tile.mountains] = (tile, _TILE_KEYS.union(extra))
    return faces


def _read_kind(faces: Faces, value: Any, name: str) -> TileKind:
    """Return the tile of the box with this document. `faces` are the tiles in play."""
    fields = read_object(value, name, None)
    face = (fields.get("kind"), fields.get("colour"), fields.get("value"), fields.get("mountains"))
    try:
        found = faces.get(face)
    except TypeError:  # a list or an object in `face`
        found = None
    if found is None:
        raise PositionError("BAD_TILE", f"{name}: there is no such tile ({face[0]!r}, {face[1]!r}, worth {face[2]!r})")
    kind, keys = found
    read_object(value, name, keys.union(("tent",)) if "tent" in fields else keys)
    return kind


def _read_tile(
    state: State,
    number: int,
    name: str,
    fields: dict[str, Any],
    meeples: list[int],
    palms: list[int],
    palaces: list[int],
    whims: list[int],
) -> None:
    """Read what stands on a tile into the lists, and its owner into the state."""
    owner, whim = fields["owner"], fields.get("whim")
    group = read_group(fields["meeples"], f"{name}.meeples")
    palms[number] = read_number(fields["palms"], f"{name}.palms")
    palaces[number] = read_number(fields["palaces"], f"{name}.palaces")
    stand = palms[number] or palaces[number]
    if not state.board.geometry.passable >> number & 1 and (group or stand or owner is not None):
        raise PositionError("BAD_TILE", f"{name}: nothing can stand on a {fields['kind']}")
    meeples[number] = group
    if whim is not None:
        (card,) = read_cards([whim], f"{name}.whim", WHIM_NUMBER, "whim")
        whims[number] = card
    if owner is not None:
        seat: Seat = state.seats[read_seat(state, owner, f"{name}.owner") - 1]
        seat.owned |= bit(number)
        if "tent" in fields:
            if fields["tent"] is not True or seat.camp >= 0:
                raise PositionError("BAD_CAMELS", f"{name}: `tent` must be true, on at most one tile of each seat")
            seat.camp = number
    elif "tent" in fields:
        raise PositionError("BAD_CAMELS", f"{name}: `tent` is set, but nobody owns the tile")
    if owner is not None or stand:
        state.pieces |= bit(number)


def _read_piles(state: State, fields: dict[str, Any]) -> None:
    cards = read_object(fields["resources"], "resources", _PILES)
    state.row = read_cards(cards["row"], "resources.row", RESOURCE_NUMBER, "resource")
    state.deck = read_cards(cards["deck"], "resources.deck", RESOURCE_NUMBER, "resource")
    state.discard = read_cards(cards["discard"], "resources.discard", RESOURCE_NUMBER, "resource")
    djinns = read_object(fields["djinns"], "djinns", _PILES)
    state.djinn_row = read_cards(djinns["row"], "djinns.row", DJINN_NUMBER, "Djinn")
    state.djinn_deck = read_cards(djinns["deck"], "djinns.deck", DJINN_NUMBER, "Djinn")
    state.djinn_discard = read_cards(djinns["discard"], "djinns.discard", DJINN_NUMBER, "Djinn")
    if len(state.row) > RESOURCE_ROW or len(state.djinn_row) > DJINN_ROW:
        raise PositionError("BAD_POSITION", f"the rows hold at most {RESOURCE_ROW} resources and {DJINN_ROW} Djinns")
    if state.ruleset.whims:
        whims = read_object(fields["whims"], "whims", ("deck",))
        state.whim_deck = read_cards(whims["deck"], "whims.deck", WHIM_NUMBER, "whim")
    if state.ruleset.artisans:
        items = read_object(fields["items"], "items", ("pile", "discard"))
        state.item_pile, state.item_discard = (
            read_cards(items[name], f"items.{name}", ITEM_NUMBER, "item") for name in ("pile", "discard")
        )


def _read_seats(state: State, value: Any) -> None:
    seats = read_list(value, "seats", dict)
    if len(seats) != len(state.seats):
        raise PositionError("BAD_POSITION", f"`seats` must have {len(state.seats)} entries")
    for number, fields in enumerate(seats, 1):
        _read_seat(state, number, fields)


def _read_seat(state: State, number: int, fields: dict[str, Any]) -> None:
    where, ruleset = f"seat {number}", state.board.ruleset
    tents = ruleset.tents
    read_object(fields, where, _keys(ruleset)[1])
    seat: Seat = state.seats[number - 1]
    seat.gold = read_number(fields["gold"], f"{where}: gold")
    seat.camels = read_number(fields["camels"], f"{where}: camels")
    seat.viziers = read_number(fields["viziers"], f"{where}: viziers")
    seat.elders = read_number(fields["elders"], f"{where}: elders")
    for name, held in read_object(fields["hand"], f"{where}: hand", None).items():
        if name not in RESOURCE_NUMBER:
            raise PositionError("BAD_CARD", f"{where}: there is no resource {name!r}")
        seat.hand += CARDS[RESOURCE_NUMBER[name]] * read_number(held, f"{where}: {name}", least=1, most=18)
    seat.djinns = read_cards(fields["djinns"], f"{where}: djinns", DJINN_NUMBER, "Djinn")
    seat.used = read_cards(fields["used"], f"{where}: used", DJINN_NUMBER, "Djinn")
    seat.has = mask_of(seat.djinns)
    seat.spent = mask_of(seat.used)
    if seat.spent.bit_count() != len(seat.used) or any(
        [djinn not in seat.djinns or not DJINNS[djinn].power for djinn in seat.used]  # noqa: C419 - no closure in C
    ):
        raise PositionError(
            "BAD_POSITION", f"{where}: `used` may hold only the seat's own Djinns with a paid power, each once"
        )
    if ruleset.artisans:
        seat.artisans = read_number(fields["artisans"], f"{where}: artisans")
        seat.tents = read_number(fields["tent"], f"{where}: tent", most=tents)
        seat.items = read_cards(fields["items"], f"{where}: items", ITEM_NUMBER, "item")
    if ruleset.whims:
        whims = read_object(fields["whims"], f"{where}: whims", ("open", "paid"))
        seat.open, seat.paid = (
            read_cards(whims[name], f"{where}: whims.{name}", WHIM_NUMBER, "whim") for name in ("open", "paid")
        )
    if seat.camels + seat.tents + seat.owned.bit_count() != CAMELS[ruleset.players] + tents or (
        seat.tents + (seat.camp >= 0) != tents
    ):
        tent = " and the tent" if tents else ""
        raise PositionError(
            "BAD_CAMELS", f"{where}: {CAMELS[ruleset.players]} camels{tent} must each be left or on an owned tile"
        )
