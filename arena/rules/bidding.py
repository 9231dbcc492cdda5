"""Bidding: a seat puts a marker on a spot of the turn-order track and pays its price (rules 3.1, 8.1–8.3, 8.15).

The track's spots form groups. A marker enters a group at its first spot and pushes the markers there one spot on. On
the base track, only the zero aisle has more than one spot.
"""

from __future__ import annotations

from arena.rules import notation
from arena.rules.components import FAKIR, KALI, KUMARBI, OTHERS_GAIN, OWN_GAIN
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.groups import CARDS, cards_of
from arena.rules.notation import BID, Action
from arena.rules.seat import Seat


def list_bids(state: Draft) -> list[Action]:
    """Return every bid that the seat can pay, with and without Kumarbi.

    A seat that can pay none gets the cheapest open spot, for all its gold (8.3).
    """
    seat: Seat = state.seats[state.to_act - 1]
    fakirs: int = cards_of(seat.hand, FAKIR) if seat.can_use(KUMARBI) else 0
    spot: int
    last: int
    cost: int
    bids = []
    for spot, last, cost in state.board.entries:
        if state.turn_track[last]:
            continue
        if seat.gold >= cost:
            bids.append(BID[spot])
        if fakirs:
            for paid, price in enumerate(_reductions(state, spot)[:fakirs], 1):
                if seat.gold >= price:
                    bids.append(notation.bid(spot, paid))
    return bids or [notation.bid(_cheapest_open(state))]


def check_bid(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the bid enters an open spot that the seat can pay (3.1, 8.1 to 8.3)."""
    spot, fakirs = _args(action)
    track = state.board.track
    seat: Seat = state.seats[state.to_act - 1]
    group = next((group for group in track.groups if group[0] == spot), None)
    if group is None:
        entries = " ".join(str(group[0] + 1) for group in track.groups)
        raise IllegalAction("NO_SUCH_SPOT", f"spot {spot + 1} cannot be entered; the entry spots are {entries}", "8.1")
    if not has_room(state, group):
        raise IllegalAction("SPOT_TAKEN", f"spot {spot + 1} has no room", "3.1")
    if fakirs:
        if not seat.can_use(KUMARBI):
            raise IllegalAction("NO_POWER", "Kumarbi is not yours, or you have used it this round", "8.2")
        if fakirs > seat.fakirs:
            raise IllegalAction("CANNOT_PAY", f"you hold {seat.fakirs} Fakirs, not {fakirs}", "8.2")
        if fakirs > len(_reductions(state, spot)):
            raise IllegalAction("NO_EFFECT", f"{fakirs} Fakirs are more than spot {spot + 1} needs to cost 0", "8.2")
    price = _price(state, spot, fakirs)
    if seat.gold < price and (fakirs or list_bids(state) != [action]):
        raise IllegalAction("CANNOT_PAY", f"the price is {price} GC and you have {seat.gold}", "3.1")


def play_bid(draft: Draft, action: Action) -> None:
    """Pay, put the marker on the track, and push the markers in its way. After the last bid, begin the first turn."""
    spot, fakirs = _args(action)
    number = draft.to_act
    seat: Seat = draft.own(number)
    # A bidder that can pay for no open spot pays all its gold (8.3).
    seat.gold -= min(seat.gold, _price(draft, spot, fakirs))
    if fakirs:
        seat.hand -= fakirs * CARDS[FAKIR]
        draft.discard += (FAKIR,) * fakirs
        draft.spend(number, KUMARBI)
    track = list(draft.turn_track)
    marker, cell = number, spot
    while marker:
        track[cell], marker = marker, track[cell]
        cell += 1
        if marker and marker != number:
            _pay_kali(draft, number, marker)
    draft.turn_track = tuple(track)
    draft.bid_order = draft.bid_order[1:]
    if draft.bid_order:
        draft.to_act = draft.bid_order[0]
    else:
        draft.agenda = (("next_turn", 0),)


def _pay_kali(draft: Draft, bidder: int, pushed: int) -> None:
    """Pay Kali's owner if it pushes an opponent's marker, or if an opponent pushes its marker (5.6)."""
    seat: Seat = draft.seats[bidder - 1]
    other: Seat = draft.seats[pushed - 1]
    if seat.has >> KALI & 1:
        draft.earn(bidder, OWN_GAIN)
    elif other.has >> KALI & 1:
        draft.earn(pushed, OTHERS_GAIN)


def has_room(state: Draft, group: tuple[int, ...]) -> bool:
    """Return whether a group of spots has room for one more marker. Markers fill it from the first spot on."""
    return not state.turn_track[group[-1]]


def _args(action: Action) -> tuple[int, int]:
    spot, fakirs = action.args
    assert isinstance(spot, int)
    assert isinstance(fakirs, int)
    return spot, fakirs


def _reductions(state: Draft, spot: int) -> tuple[int, ...]:
    """Return a spot's prices with 1, 2, … Fakirs discarded: the next lower prices on the track, down to 0 (8.2)."""
    track = state.board.track
    cost = track.costs[spot]
    return tuple([price for price in track.prices if price < cost])


def _price(state: Draft, spot: int, fakirs: int) -> int:
    return _reductions(state, spot)[fakirs - 1] if fakirs else state.board.track.costs[spot]


def _cheapest_open(state: Draft) -> int:
    track = state.board.track
    return min((group[0] for group in track.groups if has_room(state, group)), key=lambda spot: track.costs[spot])
