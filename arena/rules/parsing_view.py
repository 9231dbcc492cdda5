"""Read view documents: what a seat may see, from JSON (notation.md, Position).

Names and types are checked, but not whether the view can occur in a game. `parse_position` checks that for positions.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, TypeVar, get_args

from arena.rules.components import (
    DJINN_NUMBER,
    EXPANSIONS,
    ITEM_NUMBER,
    TILES,
    TILES_OF_ARTISANS,
    TILES_OF_WHIMS,
    WHIM_NUMBER,
)
from arena.rules.draft import Ending, Phase
from arena.rules.errors import PositionError
from arena.rules.fields import read_cards, read_group, read_list, read_number, read_object, read_one_of
from arena.rules.groups import format_group
from arena.rules.notation import RESOURCE_NUMBER, TILE_NUMBER
from arena.rules.view import FORMAT, Position, View
from arena.rules.view_parts import FullSeat, Pile, SeatView, TileView, TurnView

S = TypeVar("S", bound=SeatView)
# fmt: off
_KEYS = (
    "format", "players", "expansions", "round", "phase", "to_act", "ending", "board", "bag", "resources", "djinns",
    "supply", "seats", "bid_order", "turn_track", "turn",
)
_SEAT_KEYS = ("gold", "camels", "viziers", "elders", "hand", "djinns", "used")
# fmt: on
_KINDS = {tile.kind for tile in TILES + TILES_OF_WHIMS + TILES_OF_ARTISANS}
_DRAWN = {"choose": DJINN_NUMBER, "item": ITEM_NUMBER, "horn": RESOURCE_NUMBER}


def parse_view(document: Any) -> View:
    """Return the view that a document holds, or the `Position` if nothing is hidden. Raise `PositionError` otherwise.

    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> parse_view(format_view(seen)) == seen
    True
    """
    fields = read_object(document, "a view", None)
    is_view = "view" in fields
    expansions = tuple(read_list(fields.get("expansions"), "expansions", str))
    has_whims, has_artisans = "whims" in expansions, "artisans" in expansions
    read_object(fields, "a view", _KEYS + ("view",) * is_view + ("whims",) * has_whims + ("items",) * has_artisans)
    if fields["format"] != FORMAT:
        raise PositionError("BAD_POSITION", f"`format` must be {FORMAT!r}")
    seen: dict[str, Any] = {
        "players": read_number(fields["players"], "players"),
        "expansions": tuple(read_one_of(name, EXPANSIONS, "expansions") for name in expansions),
        "round": read_number(fields["round"], "round"),
        "phase": read_one_of(fields["phase"], get_args(Phase), "phase"),
        "to_act": _seat_number(fields["to_act"], "to_act"),
        "ending": read_one_of(fields["ending"], (None, *get_args(Ending)), "ending"),
        "bag": _letters(fields["bag"], "bag"),
        "bid_order": _read_track(fields["bid_order"], "bid_order", int),
        "turn_track": _read_track(fields["turn_track"], "turn_track", object),
        "turn": TurnView() if fields["turn"] is None else _read_turn(fields["turn"], fields["phase"]),
    }
    board = read_object(fields["board"], "board", ("columns", "rows", "tiles"))
    seen["columns"], seen["rows"] = (read_number(board[side], f"board.{side}") for side in ("columns", "rows"))
    tiles = read_object(board["tiles"], "board.tiles", None)
    seen["tiles"] = MappingProxyType({name: _read_tile(name, tile) for name, tile in tiles.items()})
    supply = read_object(fields["supply"], "supply", ("palms", "palaces"))
    seen["palms"], seen["palaces"] = (read_number(supply[piece], f"supply.{piece}") for piece in ("palms", "palaces"))
    cards = read_object(fields["resources"], "resources", ("row", "deck", "discard"))
    seen["market"] = _ids(cards["row"], "resources.row", RESOURCE_NUMBER)
    seen["deck"] = _pile(cards["deck"], "resources.deck", RESOURCE_NUMBER)
    seen["discard"] = _ids(cards["discard"], "resources.discard", RESOURCE_NUMBER)
    djinns = read_object(fields["djinns"], "djinns", ("row", "deck", "discard"))
    seen["djinns"] = _ids(djinns["row"], "djinns.row", DJINN_NUMBER)
    seen["djinn_deck"] = _pile(djinns["deck"], "djinns.deck", DJINN_NUMBER)
    seen["djinn_discard"] = _ids(djinns["discard"], "djinns.discard", DJINN_NUMBER)
    if has_whims:
        whims = read_object(fields["whims"], "whims", ("deck",))
        seen["whim_deck"] = _pile(whims["deck"], "whims.deck", WHIM_NUMBER)
    if has_artisans:
        items = read_object(fields["items"], "items", ("pile", "discard"))
        seen["item_pile"] = _pile(items["pile"], "items.pile", ITEM_NUMBER)
        seen["items_discarded"] = _ids(items["discard"], "items.discard", ITEM_NUMBER)
    seats = list(enumerate(read_list(fields["seats"], "seats", dict), 1))
    if is_view:
        viewer = read_number(fields["view"], "view", most=len(seats))
        return View(seat=viewer, seats=tuple(_read_seat(SeatView, *seat, expansions) for seat in seats), **seen)
    if any(isinstance(seen.get(pile), int) for pile in ("deck", "djinn_deck", "whim_deck", "item_pile")):
        raise PositionError("BAD_POSITION", "a draw pile is hidden, but no `view` says from whom")
    return Position(seats=tuple(_read_seat(FullSeat, *seat, expansions) for seat in seats), **seen)


def _read_track(value: Any, where: str, kind: type) -> tuple[int | None, ...]:
    return tuple(_seat_number(seat, where) for seat in read_list(value, where, kind))


def _read_tile(name: str, value: Any) -> TileView:
    fields = read_object(value, name, None)
    kind = read_one_of(fields.get("kind"), _KINDS, f"{name}.kind")
    optional = ("whim",) * (kind == "city") + tuple(key for key in ("mountains", "tent") if key in fields)
    read_object(fields, name, ("kind", "value", "colour", "meeples", "owner", "palms", "palaces", *optional))
    return TileView(
        name=read_one_of(name, TILE_NUMBER, "board.tiles"),
        kind=kind,
        value=read_number(fields["value"], f"{name}.value"),
        colour=read_one_of(fields["colour"], (None, "red", "blue"), f"{name}.colour"),
        meeples=_letters(fields["meeples"], f"{name}.meeples"),
        owner=_seat_number(fields["owner"], f"{name}.owner"),
        palms=read_number(fields["palms"], f"{name}.palms"),
        palaces=read_number(fields["palaces"], f"{name}.palaces"),
        whim=read_one_of(fields.get("whim"), (None, *WHIM_NUMBER), f"{name}.whim"),
        mountains=read_one_of(fields.get("mountains"), (None, "NW", "SE"), f"{name}.mountains"),
        tent=_flag(fields.get("tent"), f"{name}.tent"),
    )


def _read_seat(make: type[S], number: int, fields: dict[str, Any], expansions: tuple[str, ...]) -> S:
    where = f"seat {number}"
    is_hidden = fields.get("hand") is None
    keys = _SEAT_KEYS + ("cards",) * is_hidden + ("whims",) * ("whims" in expansions)
    read_object(fields, where, keys + ("artisans", "tent", "items") * ("artisans" in expansions))
    hand = None if is_hidden else read_object(fields["hand"], f"{where}: hand", None)
    for name, held in (hand or {}).items():
        read_one_of(name, RESOURCE_NUMBER, f"{where}: hand")
        read_number(held, f"{where}: {name}", least=1)
    whims = read_object(fields["whims"], f"{where}: whims", ("open", "paid")) if "whims" in fields else {}
    seat = make(
        number=number,
        gold=None if fields["gold"] is None else read_number(fields["gold"], f"{where}: gold"),
        camels=read_number(fields["camels"], f"{where}: camels"),
        viziers=read_number(fields["viziers"], f"{where}: viziers"),
        elders=read_number(fields["elders"], f"{where}: elders"),
        hand=None if hand is None else MappingProxyType(dict(hand)),
        cards=read_number(fields["cards"], f"{where}: cards") if hand is None else sum(hand.values()),
        djinns=_ids(fields["djinns"], f"{where}: djinns", DJINN_NUMBER),
        used=_ids(fields["used"], f"{where}: used", DJINN_NUMBER),
        artisans=read_number(fields.get("artisans", 0), f"{where}: artisans"),
        tents=read_number(fields.get("tent", 0), f"{where}: tent"),
        items=_pile(fields.get("items", []), f"{where}: items", ITEM_NUMBER),
        open_whims=_pile(whims.get("open", []), f"{where}: whims.open", WHIM_NUMBER),
        paid_whims=_ids(whims.get("paid", []), f"{where}: whims.paid", WHIM_NUMBER),
    )
    if make is FullSeat and (None in (seat.gold, hand) or int in map(type, (seat.items, seat.open_whims))):
        raise PositionError("BAD_POSITION", f"{where} has hidden parts, but no `view` says from whom")
    return seat


def _read_turn(value: Any, phase: str) -> TurnView:
    """Read the keys of `turn` that are present. `parse_position` checks which phase needs which keys."""
    fields = dict(read_object(value, "turn", None))

    def tile(key: str) -> str | None:
        name: str | None = read_one_of(fields.pop(key, None), (None, *TILE_NUMBER), f"turn.{key}")
        return name

    def number(key: str) -> int | None:
        return read_number(fields.pop(key), f"turn.{key}") if key in fields else None

    def group(key: str) -> str:
        return _letters(fields.pop(key, "-"), f"turn.{key}")

    turn = TurnView(
        origin=tile("origin"),
        at=tile("at"),
        came_from=tile("from"),
        hand=group("hand"),
        lifted=group("lifted"),
        drawn=_pile(fields.pop("drawn", []), "turn.drawn", _DRAWN.get(phase, {})),
        back=read_one_of(fields.pop("back", None), (None, *get_args(Phase)), "turn.back"),
        target=tile("target"),
        pulls=number("pulls"),
        left=number("left"),
        next=read_one_of(fields.pop("next", None), (None, *get_args(Phase)), "turn.next"),
        doubled=_ids(fields.pop("doubled", []), "turn.doubled", DJINN_NUMBER),
        item_used=_flag(fields.pop("item_used", None), "turn.item_used"),
    )
    read_object(fields, "turn", ())
    return turn


def _letters(value: Any, where: str) -> str:
    group = read_group(value, where)
    return format_group(group) if group else ""


def _seat_number(value: Any, where: str) -> int | None:
    return None if value is None else read_number(value, where, least=1)


def _flag(value: Any, where: str) -> bool:
    if value not in (None, True):
        raise PositionError("BAD_POSITION", f"`{where}` must be true or absent")
    return value is True


def _ids(value: Any, where: str, known: dict[str, int]) -> tuple[str, ...]:
    read_cards(value, where, known, "card here")
    return tuple(value)


def _pile(value: Any, where: str, known: dict[str, int]) -> Pile:
    return read_number(value, where) if type(value) is int else _ids(value, where, known)
