"""Rounds played out before a bid: the orders, and the gains computed from them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from arena.players.auction import Order, ranked
from arena.players.rounds import SHARE, BidPlace, acting, gains_by_place, orders_of, places
from arena.rules import Ruleset, State
from tests.kit.games import random_states, seed_of


def bidding(players: int) -> State:
    """Return the first position of a game."""
    return next(random_states(Ruleset(players, ("whims",) if players == 5 else ()), seed_of("rounds")))


@pytest.mark.parametrize("markers", [(1, 1, 2, 2), (1, 2, 3), (1, 2, 3, 4)])
def test_every_order_of_up_to_four_markers_is_played(markers: Order) -> None:
    assert sorted(orders_of(markers)) == sorted(set(permutations(markers)))


def test_five_markers_stand_equally_often_at_every_place() -> None:
    orders = orders_of((3, 1, 5, 2, 4))
    assert len(set(orders)) == len(orders) == 30
    for place in range(5):
        assert sorted(order[place] for order in orders) == sorted([1, 2, 3, 4, 5] * 6)


def test_the_places_of_an_order_of_two_seats() -> None:
    assert places((2, 1, 2, 1)) == [BidPlace(2, 0, 0), BidPlace(1, 0, 1), BidPlace(2, 1, 2), BidPlace(1, 1, 3)]


def test_what_a_seat_wins_at_a_place_is_the_mean_whoever_stands_before_it() -> None:
    """Each turn takes as many palms as its seat number, and seat 1 wins the number left: 12, 10 or 9, and 7."""
    behind: list[int] = []

    def turn(state: State) -> tuple[State, float]:
        behind.append(sum(1 for marker in state.turn_track if marker))
        after = state.copy()
        after.palms_left -= state.to_act
        return after, float(state.palms_left if state.to_act == 1 else 0)

    won = gains_by_place(bidding(3), turn, 6)
    assert [won(order)[0] for order in ((1, 2, 3), (2, 1, 3), (3, 2, 1))] == [SHARE * 12, SHARE * 9.5, SHARE * 7]
    # Orders with the same beginning share its turns.
    assert Counter(behind) == {2: 3, 1: 6, 0: 6}
    gains_by_place(bidding(3), turn, 7)
    assert len(behind) == 3 * (3 + 6 + 6)


def test_a_seat_wins_with_each_of_its_markers() -> None:
    won = gains_by_place(bidding(2), lambda state: (state.copy(), 1.0), 1)
    assert won((1, 2, 1, 2)) == won((2, 2, 1, 1)) == [2 * SHARE, 2 * SHARE]


def test_who_cannot_move_wins_nothing() -> None:
    assert gains_by_place(bidding(2), lambda state: None, 1)((1, 2, 1, 2)) == [0.0, 0.0]


@pytest.mark.parametrize("players", [2, 5])
def test_a_seat_acts_with_the_others_behind_it(players: int) -> None:
    state = bidding(players)
    moving = acting(state, 2, (1, 2))
    assert (moving.phase, moving.to_act, moving.turn_track[:3]) == ("move", 2, (1, 2, 0))
    assert len(moving.turn_track) == len(state.turn_track) and state.phase == "bid"
    assert moving.play(moving.legal[0]).phase == "sow"


def test_the_first_place_is_paid_for_as_far_as_it_pays() -> None:
    """One marker of two seats is still to bid; the others stand on spots that cost nothing. 1 GC buys the first
    place.
    """
    state = bidding(2)
    for _ in range(3):
        state = state.play(state.legal[-1])
    last = state.to_act
    assert ranked(state, lambda order: [0.0, 0.0])[0] == state.legal[-1]

    def first(order: Order) -> list[float]:
        return [20.0 * (seat == order[0] == last) for seat in (1, 2)]

    assert str(ranked(state, first)[0].args[0]) == "5"
