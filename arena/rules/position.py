"""Position documents: a state as one JSON object, and what a seat may see of it (notation.md, Position).

`view` is the only way in which a position leaves while a game runs: what its seat cannot know is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.rules.components import DJINNS, ECHIDNA, IBLIS, ITEMS, PULLS, RESOURCES, WHIMS
from arena.rules.draft import Draft, Seat
from arena.rules.errors import PositionError
from arena.rules.groups import cards_of, format_group, hand_size
from arena.rules.notation import TILE_NAMES

FORMAT = "naqala/position/1"
SPECTATOR = 0
_RETURNS_TO = ("choose", "horn", "scimitar")
"""Phases whose `turn` also has what the phase they go back to has."""


def format_position(state: Draft) -> dict[str, Any]:
    """The complete position document of a state. It holds all that is hidden: never send it before the end."""
    if state.due is not None:
        raise PositionError("CHANCE_DUE", f"a position is written between decisions, and chance is due: {state.due}")
    geometry = state.board.geometry
    document: dict[str, Any] = {
        "format": FORMAT,
        "players": state.ruleset.players,
        "expansions": list(state.ruleset.expansions),
        "round": state.round,
        "phase": state.phase,
        "to_act": state.to_act or None,
        "ending": state.ending,
        "board": {
            "columns": geometry.columns,
            "rows": geometry.rows,
            "tiles": {TILE_NAMES[tile]: _format_tile(state, tile) for tile in geometry.reading},
        },
        "bag": format_group(state.bag),
        "resources": {
            "row": [RESOURCES[card] for card in state.row],
            "deck": [RESOURCES[card] for card in state.deck],
            "discard": [RESOURCES[card] for card in state.discard],
        },
        "djinns": {
            "row": _djinns(state.djinn_row),
            "deck": _djinns(state.djinn_deck),
            "discard": _djinns(state.djinn_discard),
        },
        "supply": {"palms": state.palms_left, "palaces": state.palaces_left},
        "seats": [_format_seat(state, seat) for seat in state.seats],
        "bid_order": list(state.bid_order),
        "turn_track": [seat or None for seat in state.turn_track],
        "turn": _format_turn(state),
    }
    if state.ruleset.whims:
        document["whims"] = {"deck": _whims(state.whim_deck)}
    if state.ruleset.artisans:
        document["items"] = {"pile": _items(state.item_pile), "discard": _items(state.item_discard)}
    return document


def view(state: Draft, seat: int) -> dict[str, Any]:
    """The position as a seat may see it; seat 0 is a spectator, who sees no hand. At the end all is public."""
    if not 0 <= seat <= len(state.seats):
        raise PositionError("NO_SUCH_SEAT", f"seats are 1 to {len(state.seats)}, and 0 for a spectator, not {seat}")
    document = format_position(state)
    document["view"] = seat
    if state.is_over:
        return document
    for pile in (document["resources"], document["djinns"]):
        pile["deck"] = len(pile["deck"])
    for number, (shown, held) in enumerate(zip(document["seats"], state.seats, strict=True), 1):
        if number != seat:
            shown["gold"] = shown["hand"] = None
            shown["cards"] = hand_size(held.hand)
            if "whims" in shown:
                shown["whims"]["open"] = len(held.open)
            if "items" in shown:
                shown["items"] = len(held.items)
    if "whims" in document:
        document["whims"]["deck"] = len(state.whim_deck)
    if "items" in document:
        document["items"]["pile"] = len(state.item_pile)
    if state.phase in ("choose", "item") and seat != state.to_act:
        document["turn"]["drawn"] = len(state.drawn)
    return document


def _djinns(numbers: Sequence[int]) -> list[str]:
    return [DJINNS[number].id for number in numbers]


def _items(numbers: Sequence[int]) -> list[str]:
    return [ITEMS[number].id for number in numbers]


def _whims(numbers: Sequence[int]) -> list[str]:
    return [WHIMS[number].id for number in numbers]


def _format_tile(state: Draft, tile: int) -> dict[str, Any]:
    kind, colour, value, _, mountains = state.board.tiles[tile]
    owner = state.owner_of(tile)
    document: dict[str, Any] = {
        "kind": kind,
        "value": value,
        "colour": colour,
        "meeples": format_group(state.meeples[tile]),
        "owner": owner or None,
        "palms": state.palms[tile],
        "palaces": state.palaces[tile],
    }
    if kind == "city":
        document["whim"] = WHIMS[state.whims[tile]].id if state.whims[tile] >= 0 else None
    if mountains:
        document["mountains"] = mountains
    if owner and state.seats[owner - 1].camp == tile:
        document["tent"] = True
    return document


def _format_seat(state: Draft, seat: Seat) -> dict[str, Any]:
    document: dict[str, Any] = {
        "gold": seat.gold,
        "camels": seat.camels,
        "viziers": seat.viziers,
        "elders": seat.elders,
        "hand": {name: number for card, name in enumerate(RESOURCES) if (number := cards_of(seat.hand, card))},
        "djinns": _djinns(seat.djinns),
        "used": _djinns(seat.used),
    }
    if state.ruleset.artisans:
        document |= {"artisans": seat.artisans, "tent": seat.tents, "items": _items(seat.items)}
    if state.ruleset.whims:
        document["whims"] = {"open": _whims(seat.open), "paid": _whims(seat.paid)}
    return document


def _format_turn(state: Draft) -> dict[str, Any] | None:
    if state.phase in ("bid", "over"):
        return None
    turn: dict[str, Any] = {}
    phase = _phase_to_come(state)
    if phase == "sow":
        turn["origin"] = TILE_NAMES[state.origin]
        turn["at"] = TILE_NAMES[state.at]
        turn["hand"] = format_group(state.hand)
        if state.came >= 0:
            turn["from"] = TILE_NAMES[state.came]
    elif phase in ("tribe", "tile"):
        turn["at"] = TILE_NAMES[state.at]
        if phase == "tribe":
            turn["lifted"] = format_group(state.lifted)
    elif phase == "item":
        turn["at"] = TILE_NAMES[state.at]
        turn["drawn"] = _items(state.drawn)
    elif phase == "flute":
        turn["target"] = TILE_NAMES[state.target]
        turn["pulls"] = PULLS - state.left
    if state.phase in _RETURNS_TO:
        turn["back"] = state.back
    if state.phase == "choose":
        turn["drawn"] = _djinns(state.drawn)
    elif state.phase == "horn":
        turn["drawn"] = [RESOURCES[card] for card in state.drawn]
    elif state.phase == "scimitar":
        turn["left"] = state.left
    elif state.phase == "control":
        turn |= _format_control(state)
    if doubled := [DJINNS[djinn].id for djinn in (ECHIDNA, IBLIS) if state.doubled >> djinn & 1]:
        turn["doubled"] = doubled
    if state.item_used:
        turn["item_used"] = True
    return turn


def _phase_to_come(state: Draft) -> str:
    """The phase whose keys `turn` has: the present one, or the one that follows it in the same turn."""
    if state.phase in _RETURNS_TO:
        return state.back
    if state.phase == "control":
        return state.back or _after_control(state)
    return state.phase


def _after_control(state: Draft) -> str:
    """The phase that follows `control` where no power or item has caused it: the agenda names its action."""
    return "tribe" if state.agenda[0][0] == "tribe" else "tile"


def _format_control(state: Draft) -> dict[str, Any]:
    """The tile that a piece goes to, and what follows."""
    turn: dict[str, Any] = {"target": TILE_NAMES[state.target]}
    if not state.back:
        turn["next"] = _after_control(state)
    else:
        turn["back"] = state.back
        if state.agenda[0][0] == "slain":
            turn["left"] = state.left
    return turn
