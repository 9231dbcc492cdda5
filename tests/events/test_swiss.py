"""The Swiss system: small events by hand, the best round by trying all, and properties for every event."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from random import Random
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.events import TermsError
from arena.events.formats import swiss_search
from arena.events.formats.swiss import Swiss
from arena.events.formats.swiss_ahead import SwissOutlook
from arena.events.tiebreaks import scores
from arena.events.values import Draw, EventTable, History
from tests.kit.events import Played
from tests.kit.fide import fide_draw
from tests.kit.histories import changed, field, fingerprint, played, stream

Rows = list[tuple[int, ...]]


def rows(draw: Draw | None) -> Rows:
    assert draw is not None
    return [tuple(sorted(table.seats)) for table in draw.tables]


def met(history: History) -> Counter[tuple[int, int]]:
    return Counter(pair for round in history.rounds for table in round.tables for pair in table.pairs)


def repeats(history: History) -> int:
    return sum(times - 1 for times in met(history).values())


def taken(history: History, number: int) -> list[int]:
    seats = [table.seats.index(number) for r in history.rounds for table in r.tables if number in table.seats]
    return [seats.count(seat) for seat in range(history.players)]


def play_out(entrants: int, players: int, rounds: int, seed: int) -> History:
    """Play a whole event with random results, and check every draw."""
    history, random = field(entrants, players), Random(seed)
    while (draw := Swiss(rounds).draw(history, stream(seed, len(history.rounds)))) is not None:
        check(history, draw)
        history = played(history, draw, random, draws=True)
    assert len(history.rounds) == rounds
    return history


def check(history: History, draw: Draw) -> None:
    """Assert the properties of every draw."""
    seated = [number for table in draw.tables for number in table.seats]
    assert Counter([*seated, *draw.byes]) == Counter(history.present), "everybody present sits or has a bye, once"
    assert len(draw.byes) == len(history.present) % history.players
    assert all(len(table.seats) == history.players for table in draw.tables)
    assert [table.number for table in draw.tables] == list(range(1, len(draw.tables) + 1))
    had = Counter(number for round in history.rounds for number in round.byes)
    fewest = sorted(had[number] for number in history.present)[: len(draw.byes)]
    assert sorted(had[number] for number in draw.byes) == fewest, "no second bye while somebody has had none"
    if history.unit == "match":
        for table in draw.tables:
            counts = {number: taken(history, number) for number in table.seats}
            costs = [sum(counts[n][seat] for seat, n in enumerate(order)) for order in permutations(table.seats)]
            assert costs[0] == min(costs), "the seats of a table are the best for its entrants"


# By hand


def test_the_upper_half_meets_the_lower_half() -> None:
    first = Swiss(3).draw(field(8, 2), stream(1))
    assert rows(first) == [(1, 5), (2, 6), (3, 7), (4, 8)]
    assert first is not None
    after_one = played(field(8, 2), first)
    second = Swiss(3).draw(after_one, stream(2))
    assert rows(second) == [(1, 3), (2, 4), (5, 7), (6, 8)]
    assert second is not None
    # 1 and 2 have 2 points, 3 to 6 have 1, 7 and 8 none. 3-5 and 4-6 pair the upper with the lower half.
    assert rows(Swiss(3).draw(played(after_one, second), stream(3))) == [(1, 2), (3, 5), (4, 6), (7, 8)]


def test_a_table_of_four_has_one_of_each_quarter() -> None:
    assert rows(Swiss(3).draw(field(12, 4), stream(1))) == [(1, 4, 7, 10), (2, 5, 8, 11), (3, 6, 9, 12)]


def test_who_has_a_bye_and_who_meets_the_next_group() -> None:
    history = field(5, 2)
    first = Swiss(2).draw(history, stream(1))
    assert rows(first) == [(1, 3), (2, 4)] and first is not None and first.byes == (5,)
    # 1, 2 and 5 have a point. 4 is the last one without a bye. 5 is the lowest of three and meets 3.
    second = Swiss(2).draw(played(history, first), stream(2))
    assert rows(second) == [(1, 2), (3, 5)] and second is not None and second.byes == (4,)


def test_those_who_have_met_meet_others_even_with_fewer_points() -> None:
    history = field(4, 2)
    for pairs in ([(1, 2), (3, 4)], [(1, 3), (2, 4)]):
        draw = Draw(tuple(EventTable(number, pair) for number, pair in enumerate(pairs, start=1)))
        history = played(history, draw)
    # 1 has 2 points, 2 and 3 have 1, 4 has none; 1-4 and 2-3 are left.
    assert rows(Swiss(3).draw(history, stream(1))) == [(1, 4), (2, 3)]


def all_drawn(*pairs: tuple[int, int]) -> History:
    """Return eight entrants with equal points after a round of these pairs, in blocks, in which seats do not matter."""
    draw = Draw(tuple(EventTable(number, pair) for number, pair in enumerate(pairs, start=1)))
    history = played(field(8, 2, "block"), draw)
    tables = [
        replace(table, games=tuple(replace(game, placements=(1, 1)) for game in table.games))
        for table in history.rounds[0].tables
    ]
    return replace(history, rounds=(replace(history.rounds[0], tables=tuple(tables)),))


@pytest.mark.parametrize("section", [64, 2])
def test_who_has_met_the_partner_meets_the_next_one(section: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swiss_search, "SECTION", section)  # 2: each table is a section, joined with another one
    for number in range(10):  # the lot has no effect
        history = all_drawn((1, 5), (2, 8), (3, 6), (4, 7))
        assert rows(Swiss(3).draw(history, stream(number))) == [(1, 6), (2, 5), (3, 7), (4, 8)]
        history = all_drawn((1, 7), (2, 5), (3, 6), (4, 8))
        assert rows(Swiss(3).draw(history, stream(number))) == [(1, 5), (2, 6), (3, 8), (4, 7)]


def test_the_second_bye_is_for_those_whose_first_is_longest_ago() -> None:
    history = play_out(3, 2, 9, seed=1)
    byes = [round.byes for round in history.rounds]
    assert sorted(byes[:3]) == [(1,), (2,), (3,)]
    assert byes[:3] == byes[3:6] == byes[6:]


def test_lots_decide_between_equal_strengths() -> None:
    history = field(8, 2)
    unrated = replace(history, entrants=tuple(replace(entrant, strength=0) for entrant in history.entrants))
    assert len({tuple(rows(Swiss(3).draw(unrated, stream(n)))) for n in range(20)}) > 10
    assert len({tuple(rows(Swiss(3).draw(history, stream(n)))) for n in range(20)}) == 1


def test_an_event_is_over_after_its_rounds_or_when_a_table_cannot_be_filled() -> None:
    event = Played({"kind": "swiss", "rounds": 3}, 4, 9).to_the_end().event
    assert len(event.rounds) == 3
    history = field(5, 4)
    assert Swiss(3).draw(history, stream(1)) is not None
    assert Swiss(3).draw(changed(history, leave=[1, 2]), stream(1)) is None
    with pytest.raises(TermsError):
        Swiss(3).check(4, 3)


# Compared with all possible rounds


def pairings(numbers: tuple[int, ...], players: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all ways to seat these at full tables."""
    if not numbers:
        yield ()
        return
    first, *others = numbers
    for partners in combinations(others, players - 1):
        rest = tuple(number for number in others if number not in partners)
        for tables in pairings(rest, players):
            yield ((first, *partners), *tables)


def all_draws(history: History) -> Iterator[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]]:
    """Yield all rounds whose byes go to entrants with the fewest byes, and among these to those whose last bye is
    oldest."""
    numbers = sorted(history.present)
    count = len(numbers) % history.players
    turns = {number: [r.number for r in history.rounds if number in r.byes] for number in numbers}
    turn = {number: (len(had), max(had, default=0)) for number, had in turns.items()}
    first = sorted(turn.values())[:count]
    for byes in combinations(numbers, count):
        if sorted(turn[number] for number in byes) == first:
            for tables in pairings(tuple(n for n in numbers if n not in byes), history.players):
                yield tables, byes


def quality(history: History, tables: Rows, byes: tuple[int, ...]) -> tuple[int, int, int, int, int]:
    """Return repeats, points of byes, differences of points, their squares, seats: all criteria before strength."""
    points = {number: score.halves for number, score in scores(history).items()}
    pairs = [pair for table in tables for pair in combinations(sorted(table), 2)]
    gaps = [abs(points[a] - points[b]) for a, b in pairs]
    times = met(history)
    seats = 0
    for table in tables:
        counts = [taken(history, number) for number in table]
        seats += min(
            sum(count[seat] for count, seat in zip(counts, order, strict=True))
            for order in permutations(range(history.players))
        )
    return (
        sum(times[pair] for pair in pairs),
        sum(points[number] for number in byes),
        sum(gaps),
        sum(gap * gap for gap in gaps),
        seats,
    )


@pytest.mark.parametrize(("entrants", "seed"), [(4, 1), (5, 2), (6, 3), (7, 4), (8, 5)])
def test_for_two_seats_no_other_round_is_better(entrants: int, seed: int) -> None:
    history, random = field(entrants, 2), Random(seed)
    for number in range(1, 8):
        draw = Swiss(number).draw(history, stream(seed, number))  # the last round: none ahead
        assert draw is not None
        best = min(quality(history, list(tables), byes) for tables, byes in all_draws(history))
        assert quality(history, rows(draw), draw.byes) == best
        history = played(history, draw, random, draws=True)


@pytest.mark.parametrize(("entrants", "players", "seed"), [(9, 3, 1), (7, 3, 2), (8, 4, 3), (9, 4, 4), (10, 5, 5)])
def test_for_more_seats_nobody_meets_again_where_a_round_without_it_exists(
    entrants: int, players: int, seed: int
) -> None:
    history, random = field(entrants, players), Random(seed)
    for number in range(1, 6):
        draw = Swiss(number).draw(history, stream(seed, number))
        assert draw is not None
        least = min(quality(history, list(tables), byes)[0] for tables, byes in all_draws(history))
        again = quality(history, rows(draw), draw.byes)[0]
        assert again == least
        history = played(history, draw, random)


def test_every_solver_finds_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    history = field(23, 2)
    for number in range(4):
        first = Swiss(9).draw(history, stream(number))
        assert first is not None
        solve = nx.max_weight_matching

        def another(graph: Any, maxcardinality: bool) -> Any:
            other = nx.Graph()
            other.add_edges_from(reversed(list(graph.edges(data=True))))
            return solve(other, maxcardinality=maxcardinality)  # noqa: B023  # called at once

        with monkeypatch.context() as patch:
            patch.setattr(nx, "max_weight_matching", another)
            assert Swiss(9).draw(history, stream(number)) == first
        history = played(history, first, Random(number))


# Rounds ahead


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entrants", "players", "rounds"),
    [(24, 4, 5), (16, 4, 5), (9, 3, 4), (15, 3, 7), (25, 5, 6), (6, 2, 5), (10, 2, 9), (26, 4, 5)],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_pair_meets_twice_as_long_as_that_can_be_avoided(
    entrants: int, players: int, rounds: int, seed: int
) -> None:
    assert repeats(play_out(entrants, players, rounds, seed)) == 0


def test_five_rounds_ahead_are_found_before_the_first_of_24_entrants() -> None:
    """No results can therefore lead to a repeat if nobody leaves: the search finds the same rounds again each time."""
    others = [((1 << 24) - 1) & ~(1 << number) for number in range(24)]
    rounds = SwissOutlook(4, 0, tuple(others), (1 << 24) - 1).rounds(5)
    tables = [[at for at in range(24) if table >> at & 1] for tables, _ in rounds for table in tables]
    assert len(tables) == 5 * 6 and {len(table) for table in tables} == {4}
    assert len({pair for table in tables for pair in combinations(table, 2)}) == 5 * 6 * 6, "all pairs are different"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_24_entrants_at_four_seats_never_meet_twice_in_five_rounds(seed: int) -> None:
    assert repeats(play_out(24, 4, 5, seed)) == 0


# Always


@pytest.mark.slow
@settings(max_examples=12)
@given(
    entrants=st.integers(2, 64),
    players=st.integers(2, 5),
    unit=st.sampled_from(["match", "block"]),
    rounds=st.integers(1, 5),
    seed=st.integers(0, 1 << 20),
)
def test_every_draw_is_complete_whoever_leaves_and_enters(
    entrants: int, players: int, unit: Any, rounds: int, seed: int
) -> None:
    history, random = field(entrants, players, unit), Random(seed)
    for number in range(rounds):
        draw = Swiss(rounds).draw(history, stream(seed, number))
        if len(history.present) < players:
            assert draw is None
            return
        assert draw is not None
        check(history, draw)
        assert draw == Swiss(rounds).draw(history, stream(seed, number))
        history = played(history, draw, random)
        leave = random.sample(sorted(history.present), random.choice((0, 0, 1, len(history.present) // 4)))
        history = changed(history, leave, enter=random.choice((0, 0, 1, 5)))
    assert Swiss(rounds).draw(history, stream(seed)) is None


@pytest.mark.slow
def test_two_hundred_entrants_in_sections() -> None:
    for players in (2, 4):
        history = field(199, players)
        for number in range(2):
            draw = Swiss(9).draw(history, stream(number))
            assert draw is not None
            check(history, draw)
            history = played(history, draw, Random(number))
        assert repeats(history) == 0


FINGERPRINTS = {
    2: "86f743688a38ddad2db42d198f20bc33d9f36ff1c026dcdf8f4b3782ec4026f2",
    3: "cfdc91fb1a5e29c60b47bf86ecefa7e0e1ff00912188a01d73354da00db3c093",
    4: "c713ca53af650142d317209ecb1f69f173d206d6bfc9f71c252c99d64bf3434d",
    5: "01a2d5d5fb4f9542db8d116b0c7783d838c46222b7888520c26dd5a4212c97a4",
}
"""SHA-256 of some draws, by seats. A change here changes draws that anybody may verify, so it needs a new `kind`."""


@pytest.mark.slow
def test_draws_stay_the_same_for_good() -> None:
    assert {players: fingerprint(players) for players in FINGERPRINTS} == FINGERPRINTS


def test_draws_are_the_same_in_another_process() -> None:
    code = "from tests.kit.histories import fingerprint; print(fingerprint(2), fingerprint(4))"
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True)
    assert said.stdout.split() == [FINGERPRINTS[2], FINGERPRINTS[4]]


# Compared with the Dutch system


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(200), marks=pytest.mark.soak)])
def test_no_draw_is_worse_than_that_of_the_dutch_system(seeds: range) -> None:
    """Compare repeats, then points of byes, then differences of points. Our draws and theirs are played in turn."""
    pairs = same = rounds_drawn = identical = 0
    for seed in seeds:
        random = Random(seed)
        entrants = random.randrange(10, 41)
        rounds = random.randrange(5, min(10, entrants // 2 + 1))
        history = field(entrants, 2)
        for number in range(rounds):
            ours, theirs = Swiss(rounds).draw(history, stream(seed, number)), fide_draw(history, rounds)
            assert ours is not None
            if theirs is not None:
                assert quality(history, rows(ours), ours.byes)[:4] <= quality(history, rows(theirs), theirs.byes)[:4]
                found, expected = set(rows(ours)), set(rows(theirs))
                pairs, same = pairs + len(found), same + len(found & expected)
                rounds_drawn, identical = rounds_drawn + 1, identical + (found == expected)
            history = played(history, theirs if theirs is not None and seed % 2 else ours, random, draws=True)
    print(f"{same} of {pairs} pairs and {identical} of {rounds_drawn} rounds are those of the Dutch system")
    assert 2 * same > pairs
