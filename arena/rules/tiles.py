"""The tile actions, which the tile of the last drop offers (rules 3.2 T4, 8.4, 8.17), and gaining a Djinn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from arena.rules import notation
from arena.rules.components import (
    BAAL,
    DIVERTS,
    DJINNS,
    MARKETS,
    MONKIR,
    OTHERS_GAIN,
    OWN_GAIN,
    PLACEMENTS,
    SUMMONING,
    Piece,
)
from arena.rules.draft import Draft, replaced
from arena.rules.errors import IllegalAction
from arena.rules.geometry import tiles_of
from arena.rules.groups import CARDS, bit
from arena.rules.notation import PASS, TILE_NAMES, Action
from arena.rules.seat import Seat
from arena.rules.whims import take_whim


def visit(draft: Draft, tile: int) -> None:
    """Run the stage of the tile action: place the piece of a Village or an Oasis, or wait for a decision."""
    kind = draft.board.kind(tile)
    if kind == "city":
        take_whim(draft, tile)
        draft.phase = "sell"
        return
    piece = PLACEMENTS.get(kind)
    if piece is None or (supply(draft, piece) and diversions(draft, piece, tile)):
        draft.phase = "tile"
    else:
        if supply(draft, piece):
            place_piece(draft, piece, tile)
        draft.phase = "sell"


def list_palms(state: Draft) -> list[Action]:
    """Return the places to which the palm of an Oasis may go."""
    return _list_places(state, "palm")


def list_palaces(state: Draft) -> list[Action]:
    """Return the places to which the palace of a Village may go."""
    return _list_places(state, "palace")


def _list_places(state: Draft, piece: Piece) -> list[Action]:
    if PLACEMENTS.get(state.board.kind(state.at)) != piece:
        return []
    places = [notation.place(piece, state.at)]
    places += [notation.place(piece, to, payment) for payment, to in diversions(state, piece, state.at)]
    return sorted(places, key=notation.listing_order)


@cache
def purchases(cards: int, reach: int) -> tuple[Action, ...]:
    """Return every choice of `cards` of the first `reach` cards of the row, or of all if there are fewer."""
    return tuple(notation.buy(*places) for places in combinations(range(reach), min(cards, reach)) if places)


def list_buys(state: Draft) -> Sequence[Action]:
    """Return the purchases that a market offers, if the seat has the gold."""
    market = MARKETS.get(state.board.kind(state.at))
    seat: Seat = state.seats[state.to_act - 1]
    if market is None or seat.gold < market.price:
        return ()
    return purchases(market.cards, min(market.reach, len(state.row)))


def list_summons(state: Draft) -> list[Action]:
    """Return the Djinns of the row at a Sacred Place, each with every payment that the seat has."""
    if state.board.kind(state.at) != "sacred":
        return []
    seat: Seat = state.seats[state.to_act - 1]
    payments = [payment for payment in SUMMONING if seat.can_pay(payment)]
    if not payments:
        return []
    summons = [notation.summon(djinn, payment) for djinn in state.djinn_row for payment in payments]
    return sorted(summons, key=notation.listing_order)


def list_pass(state: Draft) -> tuple[Action, ...]:
    """Return `pass`, except where a placement is compulsory."""
    return () if state.board.kind(state.at) in PLACEMENTS else (PASS,)


def check_place(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the piece goes on its tile, or where its Djinn diverts it (3.2 T4, 8.4)."""
    tile, payment = int(action.args[0]), str(action.args[1])
    here = TILE_NAMES[state.at]
    piece = PLACEMENTS.get(state.board.kind(state.at))
    if piece is None or piece != action.verb:
        raise IllegalAction("WRONG_TILE", f"{here} receives no {action.verb}", "3.2 T4")
    if not payment:
        if tile != state.at:
            raise IllegalAction("WRONG_TILE", f"without a Djinn the {piece} goes on {here}", "3.2 T4")
    elif (payment, tile) not in diversions(state, piece, state.at):
        djinn = DJINNS[DIVERTS[piece]].id
        raise IllegalAction("NO_POWER", f"{djinn} cannot put it on {TILE_NAMES[tile]} for {payment}", "8.4")


def check_buy(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless this is a market that sells these cards and can be paid (3.2 T4, R21, R22)."""
    market = MARKETS.get(state.board.kind(state.at))
    if market is None:
        raise IllegalAction("WRONG_TILE", f"{TILE_NAMES[state.at]} is not a market", "3.2 T4")
    gold = state.seats[state.to_act - 1].gold
    if gold < market.price:
        raise IllegalAction("CANNOT_PAY", f"the market costs {market.price} GC and you have {gold}", "3.2 T4")
    reach = min(market.reach, len(state.row))
    cards = min(market.cards, reach)
    if len(action.args) != cards or not cards or int(action.args[-1]) >= reach:
        raise IllegalAction("NO_SUCH_CARD", f"take exactly {cards} of the first {reach} cards", "R21, R22")


def check_summon(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless this is a Sacred Place and the Djinn is in the row and can be paid (3.2 T4, R30)."""
    djinn, payment = int(action.args[0]), str(action.args[1])
    if state.board.kind(state.at) != "sacred":
        raise IllegalAction("WRONG_TILE", f"{TILE_NAMES[state.at]} is not a Sacred Place", "3.2 T4")
    if djinn not in state.djinn_row:
        raise IllegalAction("NO_SUCH_DJINN", f"{DJINNS[djinn].id} is not in the row", "3.2 T4")
    if not state.seats[state.to_act - 1].can_pay(payment):
        raise IllegalAction("CANNOT_PAY", f"you cannot pay {payment} (w an Elder, f a Fakir)", "R30")


def check_pass(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` where a placement is compulsory (3.2 T4)."""
    if state.board.kind(state.at) in PLACEMENTS:
        raise IllegalAction("MUST_PLACE", "the placement is compulsory", "3.2 T4")


def play_place(draft: Draft, action: Action) -> None:
    """Pay the Djinn that diverts the piece, if any, and place it."""
    tile, payment = int(action.args[0]), str(action.args[1])
    piece = PLACEMENTS[draft.board.kind(draft.at)]
    if payment:
        divert(draft, piece, payment)
    place_piece(draft, piece, tile)
    draft.phase = "sell"


def play_buy(draft: Draft, action: Action) -> None:
    """Pay the market and take the cards."""
    market = MARKETS[draft.board.kind(draft.at)]
    seat = draft.own(draft.to_act)
    seat.gold -= market.price
    seat.hand += sum([CARDS[draft.row[int(place)]] for place in action.args])
    draft.row = tuple([card for place, card in enumerate(draft.row) if place not in action.args])
    draft.phase = "sell"


def play_summon(draft: Draft, action: Action) -> None:
    """Pay and gain the Djinn."""
    djinn, payment = int(action.args[0]), str(action.args[1])
    draft.pay(draft.to_act, payment)
    draft.djinn_row = tuple([other for other in draft.djinn_row if other != djinn])
    gain_djinn(draft, djinn)
    draft.phase = "sell"


def play_pass(draft: Draft, action: Action) -> None:
    """Leave the tile unused."""
    draft.phase = "sell"


def gain_djinn(draft: Draft, djinn: int) -> None:
    """Give the acting seat a Djinn. Ba'al's owner is paid, except for Ba'al itself."""
    seat = draft.own(draft.to_act)
    seat.djinns += (djinn,)
    seat.has |= bit(djinn)
    if djinn != BAAL:
        draft.reward(BAAL, draft.to_act, OWN_GAIN, OTHERS_GAIN)


def supply(state: Draft, piece: Piece) -> int:
    """Return the number of palms or palaces left."""
    return state.palms_left if piece == "palm" else state.palaces_left


def place_piece(draft: Draft, piece: Piece, tile: int) -> None:
    """Put a palm or palace of the supply on a tile. Monkir is paid for a palace."""
    if piece == "palm":
        draft.palms_left -= 1
        draft.palms = replaced(draft.palms, tile, draft.palms[tile] + 1)
    else:
        draft.palaces_left -= 1
        draft.palaces = replaced(draft.palaces, tile, draft.palaces[tile] + 1)
        draft.reward(MONKIR, draft.to_act, OWN_GAIN, OTHERS_GAIN)
    draft.pieces |= bit(tile)


def diversions(state: Draft, piece: Piece, tile: int, paid: str = "") -> list[tuple[str, int]]:
    """Return how Hagis or Lamia may divert a piece from a tile: payments (on top of `paid`) with tiles (R12)."""
    djinn = DIVERTS[piece]
    seat: Seat = state.seats[state.to_act - 1]
    if not seat.can_use(djinn):
        return []
    geometry = state.board.geometry
    around = tiles_of(geometry.blocks[tile] & geometry.passable & ~bit(tile))
    return [(payment, to) for payment in DJINNS[djinn].costs if seat.can_pay(paid + payment) for to in around]


def divert(draft: Draft, piece: Piece, payment: str) -> None:
    """Pay Hagis or Lamia and mark it as used this round."""
    draft.pay(draft.to_act, payment)
    draft.spend(draft.to_act, DIVERTS[piece])
