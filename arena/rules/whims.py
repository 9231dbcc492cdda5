"""Whims of the Sultan: the cards on the great cities and their conditions (rules 5.3, 5.4, 5.6, 8.23)."""

from __future__ import annotations

from arena.rules.components import GANESHA, GOODS, OTHERS_GAIN, OWN_GAIN, WHIMS
from arena.rules.draft import Draft, replaced
from arena.rules.geometry import tiles_of
from arena.rules.groups import cards_of, goods_in
from arena.rules.seat import Seat

NO_WHIM = -1


def place_whims(draft: Draft) -> None:
    """Lay a whim on each city that has none, in reading order, while the deck lasts."""
    cities = draft.board.of_kind("city")
    whims = list(draft.whims)
    for tile in draft.board.geometry.reading:
        if cities >> tile & 1 and whims[tile] == NO_WHIM and draft.whim_deck:
            whims[tile], draft.whim_deck = draft.whim_deck[0], draft.whim_deck[1:]
    draft.whims = tuple(whims)


def take_whim(draft: Draft, tile: int) -> None:
    """Give the acting seat the whim that lies on a tile, if any. Ganesha's owner is paid."""
    whim = draft.whims[tile]
    if whim != NO_WHIM:
        seat = draft.own(draft.to_act)
        seat.open += (whim,)
        draft.whims = replaced(draft.whims, tile, NO_WHIM)
        draft.reward(GANESHA, draft.to_act, OWN_GAIN, OTHERS_GAIN)


def fulfil(draft: Draft) -> None:
    """Pay every seat once for each of its open whims whose condition it meets."""
    for number, seat in enumerate(draft.seats, 1):
        met = tuple(whim for whim in seat.open if is_met(draft, seat, whim))
        if met:
            mine = draft.own(number)
            mine.open = tuple(whim for whim in seat.open if whim not in met)
            mine.paid += met
            mine.gold += sum(WHIMS[whim].reward for whim in met)


def is_met(state: Draft, seat: Seat, whim: int) -> bool:
    """Return whether a seat meets the condition of a whim."""
    return all(measure(state, seat, thing) >= least for thing, least in WHIMS[whim].needs)


def measure(state: Draft, seat: Seat, thing: str) -> int:
    """Return how many of a thing a seat has. For a kind of tile, this is the number of such tiles that it controls.

    Great cities count neither as blue nor as red tiles: their colour matters only to Builders and tents (5.2).
    """
    board = state.board
    match thing:
        case "djinns":
            return len(seat.djinns)
        case "viziers":
            return seat.viziers
        case "elders":
            return seat.elders
        case "artisans":
            return seat.artisans
        case "items":
            return len(seat.items)
        case "fakirs":
            return seat.fakirs
        case "kinds of goods":
            return goods_in(seat.hand).bit_count()
        case "goods of one kind":
            return max(cards_of(seat.hand, good) for good in range(len(GOODS)))
        case "palms":
            return sum(state.palms[tile] for tile in tiles_of(seat.owned))
        case "palaces":
            return sum(state.palaces[tile] for tile in tiles_of(seat.owned))
        case "blue tiles":
            return (seat.owned & board.blue & ~board.of_kind("city")).bit_count()
        case "red tiles":
            return (seat.owned & ~board.blue & ~board.of_kind("city")).bit_count()
        case "tiles around the lake":
            return (seat.owned & board.lakeside).bit_count()
        case kind:
            return (seat.owned & board.of_kind(kind)).bit_count()
