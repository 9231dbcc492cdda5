"""The fairness report: counts by hand, sums of days, and intervals and tests checked by tables and by simulation."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.fairness import add, fold_end, fold_record, fold_round_trips, new_tallies, win_chances
from arena.fairness.figures import FarBot, wilson
from arena.fairness.report import p_uniform, summary


def record(ranks: list[int], totals: list[int], bid_order: list[int], *names: str, **more: Any) -> dict[str, Any]:
    """Return the parts of a record that are counted."""
    return {
        "seats": [{"name": name, "version": "1"} for name in names or "ABCDE"[: len(ranks)]],
        "setup": {"bid_order": bid_order},
        "events": [],
        "verdict": {"kind": "completed"},
        "result": {"ranks": ranks, "scores": [{"total": total} for total in totals]},
        **more,
    }


def test_three_games_by_hand() -> None:
    tallies = new_tallies()
    events = [
        [1, "bid 2", {"ms": 5}],
        [2, "bid 0", {"forced": True}],
        [0, "!bag w"],
        [1, "go"],
        [2, "x", {"house": "h"}],
    ]
    incidents = [
        {"kind": "fault", "reason": "LATE"},
        {"kind": "absence", "ms": 3},
        {"kind": "forfeit", "reason": "LATE"},
    ]
    fold_record(tallies, record([1, 2], [100, 90], [2, 1], events=events), [0.64, 0.36])
    fold_record(tallies, record([1, 1], [80, 80], [1, 2]), [0.3, 0.7])
    forfeit = {"kind": "forfeit"}
    fold_record(tallies, record([1, 2], [80, 70], [1, 2], "B", "A", verdict=forfeit, incidents=incidents), [0.9, 0.1])
    fold_end(tallies, "finished")
    fold_end(tallies, "aborted", "NO_ANSWER")
    assert tallies["games"] == 3
    assert tallies["seats"] == {"2": [[2, 1.5, 180, 16400], [2, 0.5, 170, 14500]]}
    assert tallies["places"] == {"2": [[2, 0.5, 170, 14500], [2, 1.5, 180, 16400]]}
    assert tallies["bots"] == {"2": {"A\t1": [2, 1], "B\t1": [1, 2]}}
    assert tallies["favourites"]["2"]["6"] == pytest.approx([1, 0.64, 1, 0.64 * 0.36])
    assert tallies["favourites"]["2"]["7"] == pytest.approx([1, 0.7, 0.5, 0.21])
    assert (tallies["faults"], tallies["forfeits"]) == ({"LATE": 1}, {"LATE": 1})
    assert (tallies["decisions"], tallies["charged"]) == (2, 1)
    assert (tallies["ended"], tallies["aborted"]) == ({"finished": 1, "aborted": 1}, {"NO_ANSWER": 1})
    found = summary(tallies)
    line = found.seats["2"].lines[0]
    assert (line.share, line.score) == (0.75, 90)
    assert line.score_error == pytest.approx(1.96 * 10)  # 100 and 80: standard deviation 14.1, error of the mean 10
    given = found.calibration["2"].all
    assert (given.games, given.given, given.won) == pytest.approx((2, 0.67, 0.75))
    assert given.error == pytest.approx(1.96 * (0.64 * 0.36 + 0.21) ** 0.5 / 2)


def test_without_a_favourite_a_game_says_nothing() -> None:
    tallies = new_tallies()
    fold_record(tallies, record([1, 2], [9, 8], [1, 2]), [0.5, 0.5])
    assert tallies["favourites"] == summary(tallies).calibration == {}


def test_two_players_have_two_places_in_the_first_bidding() -> None:
    """Each of the two has two markers; the first one decides the place."""
    tallies = new_tallies()
    fold_record(tallies, record([1, 2], [9, 8], [2, 1, 1, 2]))
    fold_record(tallies, record([1, 2], [7, 6], [1, 2, 2, 1]))
    fold_record(tallies, record([2, 1], [4, 5], [1, 1, 2, 2]))
    assert tallies["places"] == {"2": [[3, 1, 19, 64 + 49 + 16], [3, 2, 20, 81 + 36 + 25]]}


def test_games_of_a_block_are_not_independent_and_are_in_no_table() -> None:
    tallies = new_tallies()
    fold_record(tallies, record([1, 2], [9, 8], [2, 1], deal="00" * 32), [0.6, 0.4])
    assert tallies["games"] == 1
    assert tallies["seats"] == tallies["places"] == tallies["bots"] == tallies["favourites"] == {}


def test_a_few_games_have_no_p_value() -> None:
    tallies = new_tallies()
    for _ in range(14):
        fold_record(tallies, record([1, 2, 3], [9, 8, 7], [2, 1, 3]))
    assert summary(tallies).seats["3"].p is None
    fold_record(tallies, record([1, 2, 3], [9, 8, 7], [2, 1, 3]))
    assert summary(tallies).seats["3"].p < 0.001


def test_a_month_is_the_sum_of_its_days() -> None:
    draw = random.Random(1)
    days, whole = [new_tallies() for _ in range(3)], new_tallies()
    for number in range(60):
        players = draw.choice([2, 3, 4])
        order = draw.sample(range(1, players + 1), players)
        game = record(order, [50 - rank for rank in order], order, *draw.sample("ABCDEFG", players))
        for tallies in (days[number % 3], whole):
            fold_record(tallies, game, [1 / (seat + 2) for seat in range(players)])
            fold_end(tallies, "void", f"reason {number % 5}")
    total = add(add(days[0], days[1]), days[2])
    for part in ("seats", "places", "bots", "void", "games"):
        assert total[part] == whole[part]
    assert summary(total).calibration == summary(whole).calibration


def test_a_bot_that_is_always_far_away_is_named() -> None:
    """A: 210 ms in every answer, until its credit is used up. B: near once. C: without credit. D: too few answers."""
    tallies = new_tallies()
    for seats, answers in (("AB", 12), ("AC", 12), ("AB", 12), ("DB", 3)):
        log: list[tuple[int, str, dict[str, Any]]] = []
        left = dict.fromkeys(seats, 2_000)
        for number in range(answers):
            for seat, bot in enumerate(seats, 1):
                is_near = bot == "C" or (bot == "B" and number == 1)
                if ms := min(5 if is_near else 210, left[bot]):
                    log.append((seat, "note", {"index": number, "network_ms": ms}))
                    left[bot] -= ms
                log.append((seat, "decision", {"ms": 10}))
                log.append((seat, "decision", {}))
        fold_round_trips(tallies, record([1, 2], [2, 1], [1, 2], *seats), log)
    assert tallies["round_trips"] == {"A\t1": [27, 27], "B\t1": [23, 20], "C\t1": [12, 0], "D\t1": [3, 3]}
    assert summary({**new_tallies(), "round_trips": tallies["round_trips"]}).far == (FarBot("A 1", 27),)


def test_intervals_and_p_values_of_textbooks() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I: 81 of 263.
    assert wilson(81, 263)[1:] == pytest.approx((0.2553, 0.3662), abs=2e-4)
    # Pearson: one die thrown 60 times; 13.4 with 5 degrees of freedom is p = .020.
    assert p_uniform([5, 8, 9, 8, 10, 20]) == pytest.approx(0.0199, abs=2e-4)


def test_a_bot_with_uneven_seats_is_named_and_chance_is_not() -> None:
    draw = random.Random(3)
    tallies = new_tallies()
    for _ in range(4000):
        names = draw.sample([f"B{bot}" for bot in range(60)], 3)
        if "B7" in names and draw.random() < 0.5:
            names.sort(key=lambda name: name != "B7")
        order = draw.sample([1, 2, 3], 3)
        fold_record(tallies, record(order, [0, 0, 0], [1, 2, 3], *names))
    turns = summary(tallies).turns
    assert (turns.tested, turns.uneven) == (60, 1)
    assert turns.named[0].bot == "B7 1" and turns.named[0].p < 0.001


@pytest.mark.slow
def test_equal_seats_have_uniform_p_values() -> None:
    draw = random.Random(5)
    low = 0
    for _ in range(300):
        tallies = new_tallies()
        for _ in range(60):
            order = draw.sample([1, 2, 3, 4], 4)
            fold_record(tallies, record(order, [0] * 4, [1, 2, 3, 4]))
        low += summary(tallies).seats["4"].p < 0.1
    assert 17 <= low <= 45, "a tenth of 300, give or take three standard deviations"


def test_a_report_of_nothing() -> None:
    found = summary(new_tallies())
    assert (found.games, found.seats, found.turns.tested, found.calibration) == (0, {}, 0, {})


def test_chances_of_points() -> None:
    assert win_chances([1900, 1500]) == pytest.approx([10 / 11, 1 / 11])
    assert win_chances([1500, 1100, 1500]) == pytest.approx([10 / 21, 1 / 21, 10 / 21])


@pytest.mark.parametrize(("stretch", "is_calibrated"), [(1.0, True), (1.5, False)])
def test_ratings_are_calibrated_or_are_not(stretch: float, is_calibrated: bool) -> None:
    """Simulate bots of known strength. Ratings stretched apart give favourites too much chance."""
    draw = random.Random(11)
    tallies = new_tallies()
    for _ in range(4000):
        truth = [draw.gauss(1500, 150) for _ in range(3)]
        order, left = [], list(range(3))
        while left:
            order.append(draw.choices(left, [10 ** (truth[seat] / 400) for seat in left])[0])
            left.remove(order[-1])
        told = [1500 + stretch * (points - 1500) for points in truth]
        ranks = [1 + order.index(seat) for seat in range(3)]
        fold_record(tallies, record(ranks, [0, 0, 0], [1, 2, 3]), win_chances(told))
    found = summary(tallies).calibration["3"].all
    assert (abs(found.won - found.given) < 1.5 * found.error) is is_calibrated
