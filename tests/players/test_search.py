"""The search players are stronger than greedy, each is stronger than the previous one, and their play never changes."""

from __future__ import annotations

import os
from hashlib import sha256
from itertools import pairwise

import pytest

from arena.local.blocks import block_share, play_block
from arena.local.house_series import local_game
from arena.players import GRADED, PLAYERS
from arena.players.auction import bids, picks
from arena.players.outlook import LEAD, MOST, margin, offers
from arena.players.search import BUDGETS, Search, SowingTrial, Target
from arena.rules import Game, Ruleset, State, view
from arena.rules.components import ELDER, VIZIER
from arena.rules.notation import TILE_NAMES
from tests.kit.builder import position
from tests.kit.games import random_states, seed_of

BLOCKS = int(os.environ.get("ARENA_CONTESTS", "0"))
"""Number of deal blocks of each contest; `make soak` plays 100."""
STRONGER = [("search-1", "greedy", 0.70), ("search-2", "search-1", 0.65), ("search-3", "search-2", 0.65)]


def share(one: str, other: str, players: int, blocks: int) -> float:
    """Return the share of deal blocks that one player wins against the other, each at half of the seats."""
    half = players // 2
    played = [
        play_block(Ruleset(players), seed_of("grades", number), [one] * half + [other] * half, number)
        for number in range(blocks)
    ]
    found = block_share(played, one, other)
    assert found is not None
    return found.share


@pytest.mark.slow
def test_search_beats_greedy_and_the_players_are_graded() -> None:
    """A few fixed blocks are enough to notice a player that has become much weaker."""
    assert share("search-1", "greedy", 2, 3) > 0.5
    assert share("search-3", "search-1", 2, 2) > 0.5


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize(("one", "other", "least"), STRONGER)
def test_each_grade_beats_the_one_below(one: str, other: str, least: float, players: int) -> None:
    assert share(one, other, players, BLOCKS or 100) >= least


UNCHANGED = {
    "random": "86dadc01e27b8919",
    "greedy": "2bed0917631ba397",
    "greedy-vizier": "851e932b7faac0c0",
    "greedy-mystic": "cf0586f4edeaf6ba",
    "greedy-trader": "9281fde4aef19861",
    "greedy-settler": "0ccc2089612726c9",
    "greedy-builder": "9fb2ab44c290c404",
    "greedy-rival": "a2678c2f45af6edc",
    "search-1": "c361a1fdf1dbe598",
    "search-2": "048df75479621767",
    "search-3": "84b4b3d1e9c9a7b6",
}
"""First 16 digits of the SHA-256 of the events of a game that each player plays at two seats of three."""
SECOND = {
    "greedy-vizier": "59c34dd741c70f51",
    "greedy-mystic": "ab4a76a830fae97b",
    "greedy-trader": "302db2ae4d611623",
    "greedy-settler": "266ca25e9f101df1",
    "greedy-builder": "9578a88a9f9fcaac",
    "greedy-rival": "d74e2db2984e3d80",
    "search-1": "40a6e430e5aa2833",
    "search-2": "e2655addc355bc87",
    "search-3": "e1cc1e7de1671aed",
}
"""Such digits of a second game, which each player plays at one seat of four."""


def fingerprint(game: Game) -> str:
    """Return the fingerprint of a game's events, as in the tables above."""
    return sha256("\n".join(event.text for event in game.events).encode()).hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_no_house_player_has_changed_its_play(name: str) -> None:
    """A house player's play never changes, whatever it has played before.

    Records are proved by asking a house player again, and ratings depend on its strength. A player that would choose
    otherwise is a new player with a new name.
    """
    game = local_game(Ruleset(3, ("artisans", "whims")), seed_of("unchanged"), [name, "random", name])
    assert fingerprint(game) == UNCHANGED[name]
    if name in SECOND:  # tests/players/test_players.py plays more games of the others, each twice
        ruleset = Ruleset(4, ("artisans", "whims"))
        game = local_game(ruleset, seed_of(name, *ruleset), [name, *["random"] * 3])
        assert game.state.is_over and fingerprint(game) == SECOND[name]


@pytest.mark.slow
def test_search_3_has_not_changed_its_play_with_two_players() -> None:
    """With two players, it also plays rounds out after a sowing."""
    game = local_game(Ruleset(2), seed_of("unchanged"), ["search-3", "random"])
    assert fingerprint(game) == "b022c434e072b1a4"


def test_the_games_of_all_players_are_recorded() -> None:
    assert set(UNCHANGED) == set(PLAYERS) == {"random", "greedy", *SECOND}


def test_the_graded_players_are_house_players() -> None:
    assert set(GRADED) <= set(PLAYERS) and len(GRADED) == 8


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize(("name", "each", "lines"), [("search-1", 5, 0), ("search-2", 32, 0), ("search-3", 72, 12)])
def test_a_decision_has_so_many_sowings(name: str, each: int, lines: int, players: int) -> None:
    """A decision examines `each` sowings per seat; with two players, also 10 for each of the next three turns."""
    state = next(state for state in random_states(Ruleset(players), seed_of("nodes")) if state.phase == "move")
    tried: list[int] = []

    class Counted(Search):
        def _try(self, state: State, target: Target) -> SowingTrial:
            tried.append(state.to_act)
            return super()._try(state, target)

    Counted(seed_of("nodes"), BUDGETS[name]).choose(view(state, state.to_act), [action.text for action in state.legal])
    following = [seat for seat in state.turn_track if seat]
    assert len(following) == 3
    then = [seat for seat in following for _ in range(10)] * lines if players == 2 else []
    assert tried == [state.to_act] * each * players + then


@pytest.mark.parametrize(("players", "turns"), [(2, 5 * (2 + 4 + 6 + 6)), (4, 2 * (4 + 12 + 24 + 24))])
def test_the_strongest_plays_the_round_in_30_orders_before_a_bid(players: int, turns: int) -> None:
    """Two seats of two markers have 6 orders, four seats have 24. Orders with the same beginning share its turns."""
    state = next(random_states(Ruleset(players), seed_of("rounds")))
    played: list[int] = []

    class Counted(Search):
        def _turn(self, state: State) -> tuple[State, float] | None:
            played.append(state.to_act)
            return super()._turn(state)

    for name, least in (("search-2", 0), ("search-3", turns)):
        player = Counted(seed_of("rounds"), BUDGETS[name])
        player.choose(view(state, state.to_act), [action.text for action in state.legal])
        assert len(played) == least


def test_margins_of_all_seats_add_up_to_nothing() -> None:
    for ruleset in (Ruleset(2), Ruleset(4, ("artisans", "whims"))):
        for state in random_states(ruleset, seed_of("margins")):
            total = sum(margin(state, seat) for seat in range(1, ruleset.players + 1))
            assert total == pytest.approx(0, abs=1e-6)


def test_a_lead_in_viziers_is_worth_more_the_safer_it_is() -> None:
    assert LEAD[MOST] == 5.0
    assert all(one <= other for one, other in pairwise(LEAD))
    assert LEAD[MOST + 1] - LEAD[MOST] > LEAD[MOST + 5] - LEAD[MOST + 4]


def test_offers_by_hand() -> None:
    """One Elder on A1 may be sown to the Elder on A2, next to it: it lifts two."""
    state = position(players=2, tiles={"A1": "w", "A2": "w", "F5": "y"})
    found = {(TILE_NAMES[tile], tribe) for _, tile, tribe in offers(state, 1)}
    assert found == {("A1", ELDER), ("A2", ELDER)}


def test_the_best_offer_of_the_last_marker_counts_against_the_others() -> None:
    """In the last turn but one of a round, the last marker's best offer counts against the others or for its seat."""
    player, seen = Search(seed_of("worth"), BUDGETS["search-1"]), set()
    for state in random_states(Ruleset(2), seed_of("last")):
        order = [seat for seat in state.turn_track if seat]
        if state.phase in ("tile", "sell") and len(order) == 1 and offers(state, order[0]):
            sign = 1 if order[0] == state.to_act else -1
            best = max(gain for gain, _, _ in offers(state, order[0]))
            assert player.worth(state, state.to_act) == pytest.approx(margin(state, state.to_act) + sign * best)
            seen.add(sign)
    assert seen == {1, -1}


def test_markers_take_the_best_tile_that_is_free() -> None:
    ours, theirs = [(9.0, 1, VIZIER), (4.0, 2, VIZIER)], [(8.0, 1, VIZIER), (7.0, 2, VIZIER)]
    assert picks([1, 2], [ours, theirs]) == [9.0, 7.0]
    assert picks([2, 1, 1], [ours, theirs]) == [4.0, 8.0]


def test_going_first_is_paid_for_as_far_as_it_pays() -> None:
    """Two seats want the same tile, and the other markers stand on spots that cost nothing: 1 GC is enough."""
    state = last_to_bid()
    nothing = [[(0.0, 1, VIZIER)]] * 2
    assert bids(state, nothing)[0].args[0] == max(bid.args[0] for bid in state.legal)
    rich = [[(60.0, 1, VIZIER), (0.0, 2, VIZIER)]] * 2
    assert bids(state, rich)[0].args[0] == 5


def last_to_bid() -> State:
    """Return a position of two seats in which one marker is still to bid."""
    state = next(random_states(Ruleset(2), seed_of("bids"), eager=False))
    for _ in range(3):
        state = state.play(state.legal[-1])
    return state
