"""A state as a value to look at: `view` has what one seat may see, `position` has everything.

A position leaves the program only through `view` while a game runs. A view is built from public fields and what its
seat holds. A field of the state that is not named here is seen by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from arena.rules.components import DJINNS, ECHIDNA, IBLIS, ITEMS, PULLS, RESOURCES, WHIMS, TileKind
from arena.rules.draft import Draft, Phase
from arena.rules.errors import PositionError
from arena.rules.geometry import tiles_of
from arena.rules.groups import cards_of, format_group, hand_size
from arena.rules.notation import TILE_NAMES
from arena.rules.ruleset import Ruleset
from arena.rules.seat import Seat
from arena.rules.view import Position, View, format_view
from arena.rules.view_parts import FullSeat, SeatView, TileView, TurnView

S = TypeVar("S", bound=SeatView)
_RETURNS_TO = ("choose", "horn", "scimitar")
"""Phases whose `turn` also has the fields of the phase to which they return."""
_DRAWN_FACE_DOWN = ("choose", "item")
"""Phases in which only the acting seat sees what was drawn (R39)."""
_NO_TURN = TurnView()


def view(state: Draft, seat: int) -> View:
    """Return what a seat may see (2.3). Seat 0 is a spectator, who sees no hand. At the end of a game all is public.

    Raise `PositionError` for a seat that does not exist, or while chance is due.

    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> seen.me.gold, seen.others[0].gold, seen.tiles["A1"].meeples
    (50, None, 'ywr')
    """
    if not 0 <= seat <= len(state.seats):
        raise PositionError(
            "NO_SUCH_SEAT", f"seats are 1 to {len(state.seats)}, and 0 for a spectator; there is no seat {seat}"
        )
    if state.is_over:
        seats = tuple(_own_seat(SeatView, number, held) for number, held in enumerate(state.seats, 1))
        return View(seat=seat, seats=seats, turn=_NO_TURN, **_piles(state), **_public(state))
    return View(
        seat=seat,
        seats=tuple(
            _own_seat(SeatView, number, held) if number == seat else _others_seat(state.ruleset, number, held)
            for number, held in enumerate(state.seats, 1)
        ),
        turn=_turn(state, sees_drawn=seat == state.to_act or state.phase not in _DRAWN_FACE_DOWN),
        deck=len(state.deck),
        djinn_deck=len(state.djinn_deck),
        item_pile=len(state.item_pile) if state.ruleset.artisans else (),
        whim_deck=len(state.whim_deck) if state.ruleset.whims else (),
        **_public(state),
    )


def position(state: Draft) -> Position:
    """Return everything in a state. It holds all hidden parts: never send it before the end.

    Raise `PositionError` while chance is due.

    >>> position(start(Ruleset(2), bytes(32))).deck[:2]
    ('wheat', 'fakir')
    """
    seats = tuple(_own_seat(FullSeat, number, held) for number, held in enumerate(state.seats, 1))
    return Position(seats=seats, turn=_turn(state, sees_drawn=True), **_piles(state), **_public(state))


def format_position(shown: Draft | Position) -> dict[str, Any]:
    """Return the complete position document of a state, in JSON types (notation, Position).

    It holds all hidden parts: never send it before the end. Raise `PositionError` while chance is due.

    >>> format_position(start(Ruleset(2), bytes(32)))["board"]["tiles"]["A1"]["meeples"]
    'ywr'
    """
    return format_view(shown if isinstance(shown, Position) else position(shown))


def _public(state: Draft) -> dict[str, Any]:
    """Return the public parts of a state, as fields of a view."""
    if state.due is not None:
        raise PositionError(
            "CHANCE_DUE", f"a position can only be written between decisions, but chance is due: {state.due}"
        )
    geometry = state.board.geometry
    return {
        "players": state.ruleset.players,
        "expansions": state.ruleset.expansions,
        "round": state.round,
        "phase": state.phase,
        "to_act": state.to_act or None,
        "ending": state.ending,
        "columns": geometry.columns,
        "rows": geometry.rows,
        "tiles": _tiles(state),
        "bag": _letters(state.bag),
        "market": _resources(state.row),
        "discard": _resources(state.discard),
        "djinns": _djinns(state.djinn_row),
        "djinn_discard": _djinns(state.djinn_discard),
        "palms": state.palms_left,
        "palaces": state.palaces_left,
        "bid_order": state.bid_order,
        "turn_track": tuple(seat or None for seat in state.turn_track),
        "items_discarded": _items(state.item_discard),
    }


def _piles(state: Draft) -> dict[str, Any]:
    """Return the draw piles, face up."""
    return {
        "deck": _resources(state.deck),
        "djinn_deck": _djinns(state.djinn_deck),
        "item_pile": _items(state.item_pile),
        "whim_deck": _whims(state.whim_deck),
    }


def _own_seat(make: type[S], number: int, seat: Seat) -> S:
    """Return what a seat sees of itself."""
    return make(
        number=number,
        gold=seat.gold,
        camels=seat.camels,
        viziers=seat.viziers,
        elders=seat.elders,
        hand=_hand(seat.hand),
        cards=hand_size(seat.hand),
        djinns=_djinns(seat.djinns),
        used=_djinns(seat.used),
        artisans=seat.artisans,
        tents=seat.tents,
        items=_items(seat.items),
        open_whims=_whims(seat.open),
        paid_whims=_whims(seat.paid),
    )


def _others_seat(ruleset: Ruleset, number: int, seat: Seat) -> SeatView:
    """Return what others see of a seat."""
    return SeatView(
        number=number,
        gold=None,
        camels=seat.camels,
        viziers=seat.viziers,
        elders=seat.elders,
        hand=None,
        cards=hand_size(seat.hand),
        djinns=_djinns(seat.djinns),
        used=_djinns(seat.used),
        artisans=seat.artisans,
        tents=seat.tents,
        items=len(seat.items) if ruleset.artisans else (),
        open_whims=len(seat.open) if ruleset.whims else (),
        paid_whims=_whims(seat.paid),
    )


def _tiles(state: Draft) -> MappingProxyType[str, TileView]:
    owners = [0] * len(state.meeples)
    tents = set()
    for number, seat in enumerate(state.seats, 1):
        tents.add(seat.camp)
        for tile in tiles_of(seat.owned):
            owners[tile] = number
    kinds, meeples, palms, palaces, whims = state.board.tiles, state.meeples, state.palms, state.palaces, state.whims
    return MappingProxyType(
        {
            TILE_NAMES[tile]: _tile(
                tile, kinds[tile], meeples[tile], owners[tile], palms[tile], palaces[tile], whims[tile], tile in tents
            )
            for tile in state.board.geometry.reading
        }
    )


@lru_cache(1 << 14)  # few tiles change from one decision to the next
def _tile(
    tile: int, kind: TileKind, group: int, owner: int, palms: int, palaces: int, whim: int, has_tent: bool
) -> TileView:
    return TileView(
        TILE_NAMES[tile],
        kind.kind,
        kind.value,
        kind.colour,
        _letters(group),
        owner or None,
        palms,
        palaces,
        WHIMS[whim].id if whim >= 0 else None,
        kind.mountains,
        has_tent,
    )


def _turn(state: Draft, *, sees_drawn: bool) -> TurnView:
    if state.phase in ("bid", "over"):
        return _NO_TURN
    turn: dict[str, Any] = {}
    phase = _phase_to_come(state)
    if phase == "sow":
        turn["origin"] = TILE_NAMES[state.origin]
        turn["at"] = TILE_NAMES[state.at]
        turn["hand"] = _letters(state.hand)
        if state.came >= 0:
            turn["came_from"] = TILE_NAMES[state.came]
    elif phase in ("tribe", "tile", "item"):
        turn["at"] = TILE_NAMES[state.at]
        if phase == "tribe":
            turn["lifted"] = _letters(state.lifted)
    elif phase == "flute":
        turn["target"] = TILE_NAMES[state.target]
        turn["pulls"] = PULLS - state.left
    if state.phase in _RETURNS_TO:
        turn["back"] = state.back
    if state.phase == "scimitar":
        turn["left"] = state.left
    elif state.phase == "control":
        turn |= _control(state)
    elif names := _DRAWN.get(state.phase):
        turn["drawn"] = names(state.drawn) if sees_drawn else len(state.drawn)
    turn["doubled"] = tuple([DJINNS[djinn].id for djinn in (ECHIDNA, IBLIS) if state.doubled >> djinn & 1])
    turn["item_used"] = state.item_used
    return TurnView(**turn)


def _phase_to_come(state: Draft) -> Phase | Literal[""]:
    """Return the phase whose fields `turn` has: the current phase, or the one that follows it in the same turn."""
    if state.phase in _RETURNS_TO:
        return state.back
    if state.phase == "control":
        return state.back or _after_control(state)
    return state.phase


def _after_control(state: Draft) -> Phase:
    """Return the phase after a `control` that no power or item has caused. The agenda names its action."""
    return "tribe" if state.agenda[0][0] == "tribe" else "tile"


def _control(state: Draft) -> dict[str, Any]:
    """Return the tile that receives a piece, and what follows."""
    turn: dict[str, Any] = {"target": TILE_NAMES[state.target]}
    if not state.back:
        turn["next"] = _after_control(state)
    else:
        turn["back"] = state.back
        if state.agenda[0][0] == "slain":
            turn["left"] = state.left
    return turn


def _letters(group: int) -> str:
    return format_group(group) if group else ""


@lru_cache(1 << 12)
def _hand(hand: int) -> MappingProxyType[str, int]:
    return MappingProxyType({name: number for card, name in enumerate(RESOURCES) if (number := cards_of(hand, card))})


def _resources(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple([RESOURCES[number] for number in numbers])


def _djinns(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple([DJINNS[number].id for number in numbers])


def _items(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple([ITEMS[number].id for number in numbers])


def _whims(numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple([WHIMS[number].id for number in numbers])


_DRAWN = {"choose": _djinns, "item": _items, "horn": _resources}
"""Names of what is drawn, by phase."""
