"""Estimate the worth of acting early: play out the round that is about to be bid for, in many orders of its markers.

Orders with the same beginning share the turns of that beginning. A seat's gain at a place is the mean over the orders
that have the seat at that place, whichever seats act before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice, permutations
from statistics import fmean
from typing import NamedTuple

from arena.players.auction import Gains, Order
from arena.rules import State
from arena.rules.geometry import NOWHERE

SHARE = 0.75
"""Weight of a gain against gold; it is below 1 because the best of several sowings looks better than it is."""
CIRCLES = 6
"""Maximum number of circular orders that are played; four markers of four seats have no more."""
Turn = Callable[[State], tuple[State, float] | None]
"""Function that plays the sowing that is due: the state after it and the seat's gain in VP; None without a sowing."""


class BidPlace(NamedTuple):
    """A marker's place in an order: the seat, and how many of the seat's own and of all markers come before it."""

    seat: int
    own: int
    all: int


def gains_by_place(state: State, turn: Turn, least: int) -> Gains:
    """Return the gains of the seats as a function of the order of the markers, in a state where a bid is due.

    All orders are played, again and again until there are `least` of them.
    """
    markers = [*[seat for seat in state.turn_track if seat], *state.bid_order]
    orders, gains_at = orders_of(markers), defaultdict[BidPlace, list[float]](list)
    for _ in range(0, least, len(orders)):
        _play(state, orders, (), turn, gains_at)
    mean = {place: fmean(gains) for place, gains in gains_at.items()}

    def gains(order: Order) -> list[float]:
        won = [0.0] * len(state.seats)
        for place in places(order):
            won[place.seat - 1] += SHARE * mean.get(place, 0.0)
        return won

    return gains


def orders_of(markers: Sequence[int]) -> list[Order]:
    """Return some circular orders of the markers, started at every marker.

    Every marker thus stands equally often at every place.
    """
    first, *others = sorted(markers)
    circles = islice(dict.fromkeys(permutations(others)), CIRCLES)
    turned = [(first, *circle) for circle in circles]
    return list(dict.fromkeys((*circle[n:], *circle[:n]) for circle in turned for n in range(len(markers))))


def places(order: Order) -> list[BidPlace]:
    """Return the place of each marker of an order."""
    return [BidPlace(seat, order[:number].count(seat), number) for number, seat in enumerate(order)]


def _play(state: State, orders: list[Order], gone: Order, turn: Turn, gains_at: dict[BidPlace, list[float]]) -> None:
    """Play the orders on from the markers that have `gone`, and collect the gain of each turn in `gains_at`."""
    number = len(gone)
    for seat in sorted({order[number] for order in orders}):
        rest = [order for order in orders if order[number] == seat]
        played = turn(acting(state, seat, rest[0][number + 1 :]))
        if played is None:
            continue
        after, gain = played
        gains_at[BidPlace(seat, gone.count(seat), number)].append(gain)
        if len(rest[0]) > number + 1 and not after.is_over:
            _play(after, rest, (*gone, seat), turn, gains_at)


def acting(state: State, seat: int, behind: Order) -> State:
    """Return the same position with a seat about to move, and the markers `behind` it on the track."""
    draft = state.copy()
    draft.to_act, draft.phase, draft.hand, draft.doubled, draft.agenda = seat, "move", 0, 0, ()
    draft.origin = draft.at = draft.came = NOWHERE
    draft.turn_track = (*behind, *(0,) * (len(state.turn_track) - len(behind)))
    return draft
