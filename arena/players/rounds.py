"""What it is worth to act early: a round that is about to be bid for, played out in many orders of its markers.

Orders that begin alike share the turns of their beginning. What a seat wins at a place is the mean over the orders in
which it stands there, whoever stands before it.
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
"""How much of what is won counts against gold: the best of several sowings looks better than it is."""
CIRCLES = 6
"""Circular orders of the markers that are played; four markers of four seats have no more."""
Turn = Callable[[State], tuple[State, float] | None]
"""Plays the sowing that is due: the state after it, and the VP that the seat has won. None where there is none."""


class Place(NamedTuple):
    """A marker of a seat in an order: how many of the seat's come before it, and how many of all."""

    seat: int
    own: int
    all: int


def gains_by_place(state: State, turn: Turn, least: int) -> Gains:
    """What each seat wins in an order of the markers, from a bid on; all orders are played until there are enough."""
    markers = [*[seat for seat in state.turn_track if seat], *state.bid_order]
    orders, found = orders_of(markers), defaultdict[Place, list[float]](list)
    for _ in range(0, least, len(orders)):
        _play(state, orders, (), turn, found)
    mean = {place: fmean(gains) for place, gains in found.items()}

    def gains(order: Order) -> list[float]:
        won = [0.0] * len(state.seats)
        for place in places(order):
            won[place.seat - 1] += SHARE * mean.get(place, 0.0)
        return won

    return gains


def orders_of(markers: Sequence[int]) -> list[Order]:
    """Some circular orders of the markers, each begun at every marker, so that all stand equally often everywhere."""
    first, *others = sorted(markers)
    circles = islice(dict.fromkeys(permutations(others)), CIRCLES)
    turned = [(first, *circle) for circle in circles]
    return list(dict.fromkeys((*circle[n:], *circle[:n]) for circle in turned for n in range(len(markers))))


def places(order: Order) -> list[Place]:
    """The place of each marker of an order."""
    return [Place(seat, order[:number].count(seat), number) for number, seat in enumerate(order)]


def _play(state: State, orders: list[Order], gone: Order, turn: Turn, found: dict[Place, list[float]]) -> None:
    """Play the orders on from those that have `gone`, and note what each turn has won."""
    number = len(gone)
    for seat in sorted({order[number] for order in orders}):
        rest = [order for order in orders if order[number] == seat]
        played = turn(acting(state, seat, rest[0][number + 1 :]))
        if played is None:
            continue
        after, gain = played
        found[Place(seat, gone.count(seat), number)].append(gain)
        if len(rest[0]) > number + 1 and not after.is_over:
            _play(after, rest, (*gone, seat), turn, found)


def acting(state: State, seat: int, behind: Order) -> State:
    """The same position with a seat about to move, and the markers behind it on the track."""
    draft = state.copy()
    draft.to_act, draft.phase, draft.hand, draft.doubled, draft.agenda = seat, "move", 0, 0, ()
    draft.origin = draft.at = draft.came = NOWHERE
    draft.turn_track = (*behind, *(0,) * (len(state.turn_track) - len(behind)))
    return draft
