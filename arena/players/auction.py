"""Bidding for the search players: find the bid that leads to the best order of the markers for its seat.

The gains of each seat in a given order are estimated in one of two ways. Either every marker takes its seat's best
offer (outlook.py) whose tile is still free, or the round is played out (rounds.py). All continuations of the bidding
are then searched: each seat chooses the bid with the highest gain above the mean of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.rules import Action, State

SHARE = 0.65
"""Weight of an offer against gold; it is below 1 because other offers are often as good once this one is taken."""
Offers = Sequence[Sequence[tuple[float, int, int]]]
"""Offers of each seat, seat 1 first: VP, tile and tribe, best first."""
Order = tuple[int, ...]
"""Seats of a round's markers, in the order in which they act."""
Gains = Callable[[Order], Sequence[float]]
"""Function from an order of the markers to each seat's gain in VP in that round, seat 1 first."""


def bids(state: State, offers: Offers) -> list[Action]:
    """Return every bid, best for the bidder first. Bids with Fakirs are left out unless there are no others."""
    return ranked(state, lambda order: [SHARE * gain for gain in picks(order, offers)])


def ranked(state: State, gains: Gains) -> list[Action]:
    """Rank the bids as `bids` does, by the gains of the seats in each order of the markers."""
    plain = [bid for bid in state.legal if not bid.args[1]] or list(state.legal)
    known: dict[Order, Sequence[float]] = {}
    return sorted(plain, key=lambda bid: -ahead(_payoffs(state.play(bid), gains, known), state.to_act))


def ahead(payoffs: Sequence[float], seat: int) -> float:
    """Return how far a seat's payoff lies above the mean of the others'."""
    mine = payoffs[seat - 1]
    return mine - (sum(payoffs) - mine) / (len(payoffs) - 1)


def picks(order: Sequence[int], offers: Offers) -> list[float]:
    """Return each seat's gain when the markers, in this order, take the best tile that is free."""
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
    """Return gold plus gains of every seat after the best remaining bids. `known` caches the gains by order."""
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
