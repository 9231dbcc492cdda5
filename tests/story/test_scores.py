"""The thing that decided a match, in positions whose points are added up by hand."""

from __future__ import annotations

from arena.rules import Ruleset, State, score, start
from arena.rules.components import DJINN_NUMBER
from arena.rules.notation import TILE_NAMES
from arena.story import DecidedBy
from arena.story.scores import decision, lead_changes, leader

JAFAAR, SHAMHAT = DJINN_NUMBER["jafaar"], DJINN_NUMBER["shamhat"]


def position(*seats: dict[str, int]) -> State:
    """Return a position in which the seats have nothing but these."""
    state = start(Ruleset(len(seats)), bytes(32)).copy()
    for number, has in enumerate(seats, 1):
        seat = state.own(number)
        seat.gold = 0
        for name, value in has.items():
            setattr(seat, name, value)
    return state


def give(state: State, number: int, djinn: int) -> State:
    seat = state.own(number)
    seat.djinns, seat.has = (*seat.djinns, djinn), seat.has | 1 << djinn
    return state


def test_the_source_in_which_the_winner_was_ahead_by_the_margin() -> None:
    state = position({"gold": 20, "elders": 3}, {"gold": 28}, {"gold": 1})
    assert [score(state, seat)["total"] for seat in (1, 2, 3)] == [26, 28, 1]
    assert decision(state, [2], []) == (2, DecidedBy.SOURCE, "gold")


def test_nothing_alone_where_it_took_several_sources() -> None:
    state = position({"gold": 5, "elders": 3}, {"gold": 1, "elders": 1})
    assert decision(state, [1], []) == (8, DecidedBy.NOTHING, ""), "4 of gold and 4 of elders"


def test_one_djinn_by_its_own_points() -> None:
    # Without Shamhat's 6 points and 2 more for each of 2 Elders, the first seat would be behind.
    state = give(position({"elders": 2, "gold": 3}, {"gold": 8}), 1, SHAMHAT)
    assert [score(state, seat)["total"] for seat in (1, 2)] == [6 + 8 + 3, 8]
    assert decision(state, [1], []) == (9, DecidedBy.DJINN, "shamhat")


def test_one_djinn_by_what_it_makes_of_viziers() -> None:
    # 5 Viziers give 3 points each and 10 for the majority, and Jafaar itself gives 6: 31 to 30.
    state = give(position({"viziers": 5}, {"gold": 30}), 1, JAFAAR)
    assert score(state, 1)["total"] == 31
    assert decision(state, [1], []) == (1, DecidedBy.DJINN, "jafaar")


def test_viziers_without_a_djinn_are_a_source() -> None:
    state = position({"viziers": 5}, {"gold": 12})
    assert decision(state, [1], []) == (3, DecidedBy.SOURCE, "viziers"), "15 to 12"


def test_one_tile_with_what_stands_on_it() -> None:
    state = position({"gold": 5}, {"gold": 12})
    worth = [state.board.tiles[tile].value for tile in range(len(state.meeples))]
    tile, small = worth.index(max(worth)), worth.index(min(value for value in worth if value))
    state.own(1).owned = 1 << tile | 1 << small
    palms = list(state.palms)
    palms[tile] = 1
    state.palms = tuple(palms)
    margin = 5 + worth[tile] + worth[small] + 3 - 12
    assert worth[tile] + 3 >= margin > 0
    assert decision(state, [1], []) == (margin, DecidedBy.TILE, TILE_NAMES[tile])


def test_ties_and_forfeits() -> None:
    state = position({"gold": 9}, {"gold": 9}, {"gold": 4})
    assert decision(state, [1, 2], []) == (0, DecidedBy.TIE, "")
    assert decision(state, [1], [2]) == (5, DecidedBy.FORFEIT, ""), "the seat that left has as many points"
    assert decision(state, [3], [1, 2]) == (0, DecidedBy.FORFEIT, "")


def test_lead_changes_pass_over_ties() -> None:
    ahead = {1: position({"gold": 2}, {"gold": 1}), 2: position({"gold": 1}, {"gold": 2}), 0: position({}, {})}
    assert [leader(ahead[seat]) for seat in (0, 1, 2)] == [0, 1, 2]
    assert lead_changes([ahead[seat] for seat in (0, 1, 0, 1, 2, 0, 2, 1)]) == 2
    assert lead_changes([ahead[0]]) == 0
