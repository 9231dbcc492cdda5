"""Bidding for the search players: who should stand where, if everybody bids for the best.

What each seat wins in an order of the markers is estimated: from the offers of the seats (outlook.py), where every
marker takes the best offer of its seat whose tile is still free, or by playing the round out (rounds.py). The bids that
lead to an order are found by going through all of them, each seat choosing what brings it the most above the mean of
the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.rules import Action, State

SHARE = 0.65
"""How much of an offer counts against gold: once another is taken, others often are as good."""
Offers = Sequence[Sequence[tuple[float, int, int]]]
"""By seat, from seat 1 on: VP, tile and tribe, best first."""
Order = tuple[int, ...]
"""The seats of a round's markers in the order in which they act."""
Gains = Callable[[Order], Sequence[float]]
"""By seat, from seat 1 on: VP that it wins in a round whose markers act in this order."""


def bids(state: State, offers: Offers) -> list[Action]:
    """Every bid, those without Fakirs if there are any, best for the bidder first."""
    return ranked(state, lambda order: [SHARE * gain for gain in picks(order, offers)])


def ranked(state: State, gains: Gains) -> list[Action]:
    """As `bids`, for what the seats win in each order of the markers."""
    plain = [bid for bid in state.legal if not bid.args[1]] or list(state.legal)
    known: dict[Order, Sequence[float]] = {}
    return sorted(plain, key=lambda bid: -ahead(_payoffs(state.play(bid), gains, known), state.to_act))


def ahead(payoffs: Sequence[float], seat: int) -> float:
    """How far a seat's payoff lies above the mean of the others'."""
    mine = payoffs[seat - 1]
    return mine - (sum(payoffs) - mine) / (len(payoffs) - 1)


def picks(order: Sequence[int], offers: Offers) -> list[float]:
    """What each seat gets when its markers, in this order, take the best tile that is free."""
    used: set[int] = set()
    gains = [0.0] * len(offers)
    for seat in order:
        for gain, tile, _ in offers[seat - 1]:
            if tile not in used:
                used.add(tile)
                gains[seat - 1] += gain
                break
    return gains


def _payoffs(state: State, gains: Gains, known: dict[Order, Sequence[float]]) -> list[float]:
    """Gold and gains of every seat after the best bids of all that are still to bid; `known` are gains by order."""
    if state.phase != "bid":
        order = (state.to_act, *[seat for seat in state.turn_track if seat])
        if order not in known:
            known[order] = gains(order)
        return [gain + seat.gold for gain, seat in zip(known[order], state.seats, strict=True)]
    best: list[float] = []
    for bid in state.legal:
        if not bid.args[1]:
            payoffs = _payoffs(state.play(bid), gains, known)
            if not best or ahead(payoffs, state.to_act) > ahead(best, state.to_act):
                best = payoffs
    return best or [float(seat.gold) for seat in state.seats]
