"""The dry run of terms: its numbers by hand, and its interval against simulated games."""

from __future__ import annotations

from math import log

import pytest

from arena.events import Terms, TermsError, parse_terms
from arena.events.plan import dry_run, half_width
from arena.rules.chance import Stream


def terms(
    kind: str, players: int = 2, unit: str = "match", course: dict[str, int] | None = None, **format: int
) -> Terms:
    game = {"players": players}
    written = {"name": "Test", "format": {"kind": kind, **format}, "game": game, "unit": unit, "course": course or {}}
    return parse_terms({**written, "entry": {"entrants": 64}})


def test_a_gauntlet_by_hand() -> None:
    found = dry_run(terms("gauntlet", cycles=2), 4, minutes=6, at_once=10)
    assert (found.rounds, found.tables, found.games, found.byes, found.hours) == (6, 6, 6, 0, 0.6)
    assert found.games_of == (6, 2, 2, 2)
    assert found.meetings == ((0, 2, 2, 2), (2, 0, 0, 0), (2, 0, 0, 0), (2, 0, 0, 0))
    assert (found.least_meetings, found.most_meetings) == (0, 2)
    # Bot 1 sits at each seat in turn. It plays three others, so each of them does the same against it.
    assert found.seats == ((3, 3), (1, 1), (1, 1), (1, 1)) and found.seat_spread == 0
    assert found.is_complete and not found.hints


def test_byes_hours_and_waves_of_a_knockout_of_blocks() -> None:
    found = dry_run(terms("knockout", unit="block"), 6, minutes=30, at_once=1)
    assert (found.rounds, found.tables, found.games) == (3, 5, 10)
    assert (found.byes, found.most_byes) == (2, 1)
    assert found.hours == 5  # one match after the other
    assert dry_run(terms("knockout", unit="block"), 6, minutes=30, at_once=100).hours == 3, "a block is two matches"
    assert {sum(row) for row in found.meetings} == set(found.games_of)
    late = terms("knockout", unit="block", course={"round_every_s": 7200})
    assert dry_run(late, 6, minutes=30, at_once=100).hours == 5  # two hours, two hours, one hour


def test_single_matches_that_are_uneven_are_said_to_be() -> None:
    found = dry_run(terms("gauntlet", players=4), 9, minutes=1)
    assert found.seat_spread == max(max(row) - min(row) for row in found.seats) > 1
    assert [hint.code for hint in found.hints] == ["BLOCKS"]


def test_more_rounds_are_proposed_where_they_separate_the_first() -> None:
    short, long = (dry_run(terms("swiss", rounds=rounds), 16, minutes=1) for rounds in (4, 6))
    assert short.ties > long.ties, "the example is one"
    hint = next(hint for hint in short.hints if hint.code == "MORE_ROUNDS")
    assert hint.values["rounds"] == 2
    assert (hint.values["before"], hint.values["after"]) == (round(half_width(2, 4)), round(half_width(2, 6)))
    assert (hint.values["ties_before"], hint.values["ties_after"]) == (short.ties, long.ties)


def test_a_marathon_lasts_as_long_as_its_course_says() -> None:
    found = dry_run(terms("marathon", course={"ends_after_s": 3600}), 4, minutes=10)
    assert (found.rounds, found.games, found.hours, found.is_complete) == (6, 12, 1, True)


@pytest.mark.parametrize(("kind", "players"), [("swiss", 4), ("marathon", 3)])
def test_of_a_large_field_a_sample_is_played_and_totals_are_those_of_all(kind: str, players: int) -> None:
    entrants = 20 * players * 10 + players - 1
    found = dry_run(terms(kind, players, "block", course={"ends_after_s": 3600}), entrants, minutes=1, at_once=20)
    assert (found.entrants, found.sample % players) == (entrants, players - 1) and 65 <= found.sample <= 69
    assert len(found.games_of) == len(found.meetings) == len(found.seats) == found.sample
    # 200 tables a round, each with as many games as seats, 20 at a time.
    assert found.tables == found.rounds * 200 and found.games == found.tables * players
    assert found.hours * 60 == pytest.approx(found.rounds * players * 10)
    if kind == "swiss":
        assert (found.rounds, found.byes) == (5, 5 * (players - 1))
        whole = dry_run(terms("swiss", players, "block"), 65, minutes=1)
        assert whole.sample == 65 and found.ties > whole.ties, "the first of more bots are nearer to each other"


def test_equal_terms_give_equal_numbers_and_too_few_are_refused() -> None:
    assert dry_run(terms("knockout"), 8, 1) == dry_run(terms("knockout"), 8, 1)
    with pytest.raises(TermsError):
        dry_run(terms("knockout", players=4), 3, 1)


def test_an_event_that_is_too_long_is_cut_short() -> None:
    found = dry_run(terms("gauntlet", cycles=100), 400, minutes=1)
    assert not found.is_complete and found.rounds == 500


def test_the_interval_of_two_seats_is_that_of_elo() -> None:
    # p (1 - p) = ¼ at equal strength: 1.96 × 400 / ln 10 × 2 / √100.
    assert half_width(2, 100) == pytest.approx(1.96 * 400 / log(10) * 2 / 10)
    assert half_width(4, 100) == pytest.approx(half_width(2, 100) * (0.25 / (1 - 25 / 48)) ** 0.5)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_interval_holds_in_simulated_games(players: int) -> None:
    """The information is the variance of the score function at equal strength, estimated from shuffled orders."""
    chance, games, total = Stream(bytes(32)), 4000, 0.0
    for _ in range(games):
        place = chance.shuffle(range(players)).index(0)
        # d log L / d log strength of bot 0: 1 if it is chosen (unless last), minus its share of every stage it takes
        # part in.
        at = range(players, max(1, players - place - 1), -1)
        score = (place < players - 1) - sum(1 / m for m in at)
        total += score * score
    expected = 1.96 * 400 / log(10) / (total / games * 100) ** 0.5
    assert half_width(players, 100) == pytest.approx(expected, rel=0.05)


def test_a_round_robin_and_a_league_are_tried_out_to_their_end() -> None:
    # With 4 seats, 11 rounds of 3 tables of 12 would be three cycles; one cycle is 4 rounds, nearest to 11 / 3.
    found = dry_run(terms("round_robin", players=4), 12, minutes=6)
    assert (found.rounds, found.tables, found.byes, found.is_complete) == (4, 12, 0, True)
    assert found.most_meetings - found.least_meetings == 2 and found.seat_spread == 0
    found = dry_run(terms("league", size=4, moves=1, seasons=2), 8, minutes=6)
    assert (found.rounds, found.games, found.is_complete) == (6, 24, True)
