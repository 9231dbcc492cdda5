"""The facts of an event and their consequences, worked out by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from json import dumps, loads

import pytest

from arena.events import EventError, FactKind, FactRefused, TermsError, commitment_of, deal_of, parse_fact, parse_terms
from arena.events.facts import parse_data
from arena.events.plan import dry_run
from arena.events.values import TableGame, halves, seats_of_game, without
from arena.events.verify import event_document, prove_facts
from tests.kit.events import SEED, Played, by_chance, by_number

GAUNTLET = {"kind": "gauntlet"}


def test_points_are_the_opponents_that_one_is_placed_above() -> None:
    assert halves((1, 2)) == (2, 0)
    assert halves((1, 1)) == (1, 1)
    assert halves((2, 1, 3, 4)) == (4, 6, 2, 0)
    assert halves((1, 1, 3, 3, 5)) == (7, 7, 3, 3, 0)


def test_in_a_block_everybody_sits_everywhere() -> None:
    seats = [seats_of_game((7, 5, 9), game, "block") for game in range(3)]
    assert seats == [(7, 5, 9), (5, 9, 7), (9, 7, 5)]
    assert seats_of_game((7, 5, 9), 0, "match") == (7, 5, 9)


@pytest.mark.parametrize(("table", "games"), [((7, 5), 2), ((7, 5, 9), 6), ((7, 5, 9, 2), 4), ((7, 5, 9, 2, 4), 10)])
def test_in_a_williams_design_everybody_sits_everywhere_and_after_everybody_equally_often(
    table: tuple[int, ...], games: int
) -> None:
    seats = [seats_of_game(table, game, "williams") for game in range(games)]
    times = games // len(table)
    assert Counter((entrant, seat) for game in seats for seat, entrant in enumerate(game)) == {
        (entrant, seat): times for entrant in table for seat in range(len(table))
    }
    assert Counter(pair for game in seats for pair in pairwise(game)) == dict.fromkeys(permutations(table, 2), times)
    with pytest.raises(IndexError):
        seats_of_game(table, games, "williams")


def test_a_williams_design_by_hand() -> None:
    first = [seats_of_game((7, 5, 9, 2), game, "williams") for game in range(4)]
    assert first == [(7, 5, 2, 9), (5, 9, 7, 2), (9, 2, 5, 7), (2, 7, 9, 5)]
    assert [seats_of_game((7, 5), game, "williams") for game in range(2)] == [(7, 5), (5, 7)]


def test_an_event_of_williams_designs_is_drawn_played_and_proved() -> None:
    """Six bots at tables of five have one bye a round."""
    played = Played({"kind": "swiss", "rounds": 2}, 5, 6, unit="williams").to_the_end(by_chance(1))
    tables = [table for round in played.event.history().rounds for table in round.tables]
    assert [len(table.games) for table in tables] == [10, 10]
    for table in tables:
        after = Counter(pair for game in table.games for pair in pairwise(game.seats))
        assert after == dict.fromkeys(permutations(table.seats, 2), 2)
    rows = played.event.standings(SEED)
    assert sum(row.points for row in rows) == 2 * 10 * 10 + 2 * 40, "ten pairs a game, and byes of four points a game"
    assert sorted(row.games for row in rows) == [10, 10, 20, 20, 20, 20]
    proof = prove_facts(event_document(played.facts))
    assert proof.failure is None and proof.event.standings(SEED) == rows
    found = dry_run(played.event.terms, 6, minutes=6, at_once=1)
    assert (found.tables, found.games, found.hours, found.seat_spread) == (2, 20, 2, 0)


def test_who_is_out_is_below_all_others() -> None:
    game = TableGame((1, 2, 3, 4), (1, 2, 3, 4))
    assert without(game, {1, 3}).placements == (3, 1, 3, 2)
    assert without(game, set()) == game


def test_a_gauntlet_of_three_seats_by_hand() -> None:
    played = Played(GAUNTLET, 3, 4).to_the_end()
    assert [table.seats for round in played.event.rounds for table in round.tables] == [(1, 2, 3), (4, 2, 1), (4, 1, 3)]
    rows = played.event.standings(SEED)
    # Bot 1 wins three times (2 points each); 2 beats 3 and 4; 3 beats 4. Head to head of 2 and 3 is not needed.
    assert [(row.entrant, row.points, row.games) for row in rows] == [(1, 6, 3), (2, 2, 2), (3, 1, 2), (4, 0, 2)]


def test_a_table_whose_opponent_does_not_come_is_decided() -> None:
    played = Played(GAUNTLET, 2, 3, unit="block")
    played.draw()
    assert len(played.event.pairings()) == 2
    played.say(FactKind.ABSENT, round=1, table=1, entrant=2)
    assert played.event.pairings() == []
    played.say(FactKind.ABSENT, round=1, table=1, entrant=1)
    rows = played.event.standings(SEED)
    assert [row.points for row in rows] == [0, 0, 0], "nobody is given points for a table to which nobody came"


def test_one_who_does_not_come_leaves_the_others_a_game() -> None:
    played = Played(GAUNTLET, 3, 3)
    played.draw()
    played.say(FactKind.ABSENT, round=1, table=1, entrant=2)
    assert [pairing.absent for pairing in played.event.pairings()] == [{2}]
    played.say(FactKind.RESULT, round=1, table=1, game=0, placements=[2, 3, 1], out=[2])
    assert {row.entrant: row.points for row in played.event.standings(SEED)} == {3: 2, 1: 1, 2: 0}


def test_a_disqualified_bot_loses_all_its_games_and_stands_last() -> None:
    played = Played(GAUNTLET, 2, 3).to_the_end(by_number)
    assert played.event.standings(SEED)[0].entrant == 1
    played.say(FactKind.DISQUALIFIED, entrant=1)
    rows = played.event.standings(SEED)
    assert {row.entrant: row.points for row in rows} == {2: 1, 3: 1, 1: 0}
    assert rows[-1].entrant == 1 and not rows[-1].is_present


def test_a_ruling_replaces_a_result_and_a_game_can_be_played_again() -> None:
    played = Played(GAUNTLET, 2, 2)
    played.draw()
    played.play()
    played.say(FactKind.RULED, round=1, table=1, game=0, placements=[2, 1])
    assert played.event.standings(SEED)[0].entrant == 2
    played.say(FactKind.AGAIN, games=[[1, 1, 0]])
    assert [(pairing.key, pairing.attempt) for pairing in played.event.pairings()] == [((1, 1, 0), 1)]


def test_shares_of_the_score_and_the_best_game() -> None:
    played = Played(GAUNTLET, 2, 3, tie_breaks=["score_share", "best_game"])
    for scores in ([60, 40], [30, 90]):
        played.draw()
        number = len(played.event.rounds)
        placements = [1, 2] if scores[0] > scores[1] else [2, 1]
        played.say(FactKind.RESULT, round=number, table=1, game=0, placements=placements, scores=scores)
    assert [table.seats for round in played.event.rounds for table in round.tables] == [(1, 2), (3, 1)]
    found = {row.entrant: row.tie_breaks for row in played.event.standings(SEED)}
    assert found[1] == ((Fraction(60, 100) + Fraction(90, 120)) / 2, 90)
    assert found[3] == (Fraction(30, 120), 30)


def test_what_the_house_scores_for_an_absent_entrant_counts_for_nobody() -> None:
    played = Played(GAUNTLET, 3, 3, tie_breaks=["score_share", "best_game"])
    played.draw()
    seats = played.event.rounds[0].tables[0].seats
    absent, one, other = seats
    played.say(FactKind.ABSENT, round=1, table=1, entrant=absent)
    played.say(FactKind.RESULT, round=1, table=1, game=0, placements=[3, 1, 2], scores=[90, 60, 40], out=[absent])
    found = {row.entrant: row.tie_breaks for row in played.event.standings(SEED)}
    assert found[absent] == (0, 0)
    assert found[one] == (Fraction(60, 100), 60) and found[other] == (Fraction(40, 100), 40)


@pytest.mark.parametrize(
    ("terms", "where"),
    [
        ({"name": ""}, "name"),
        ({"colour": 1}, "event"),
        ({"format": {"kind": "chess"}}, "format.kind"),
        ({"format": {"kind": "gauntlet", "cycles": 0}}, "format.cycles"),
        ({"format": {"kind": "gauntlet", "rounds": 3}}, "format"),
        ({"game": {"players": 6}}, "game"),
        ({"unit": "day"}, "unit"),
        ({"tie_breaks": ["lot", "lot"]}, "tie_breaks"),
        ({"entry": {"entrants": 1}}, "entry.entrants"),
        ({"entry": {"entrants": 3}}, "format"),
        ({"entry": {"least_rating": 10, "most_rating": 9}}, "entry.most_rating"),
        ({"entry": {"invited": ["a\0b"]}}, "entry.invited"),
        ({"entry": {"invited": [""]}}, "entry.invited"),
        ({"course": {"no_show_s": 0}}, "course.no_show_s"),
        ({"rated": 1}, "rated"),
    ],
)
def test_terms_that_cannot_be_played_are_refused_where_they_are_wrong(terms: dict[str, object], where: str) -> None:
    good = {"name": "Test", "format": GAUNTLET, "game": {"players": 4}}
    assert parse_terms(good).document() == parse_terms(parse_terms(good).document()).document()
    with pytest.raises(TermsError) as refused:
        parse_terms({**good, **terms})
    assert refused.value.where == where


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (FactKind.CREATED, {}),
        (FactKind.FROZEN, {}),
        (FactKind.DRAWN, {"tables": [[1, 2]]}),
        (FactKind.RESULT, {"round": 1, "table": 1, "game": 0, "placements": [1, 3]}),
        (FactKind.RESULT, {"round": 1, "table": 2, "game": 0, "placements": [1, 2]}),
        (FactKind.RESULT, {"round": 1, "table": 1, "game": 1, "placements": [1, 2]}),
        (FactKind.ABSENT, {"round": 1, "table": 1, "entrant": 3}),
        (FactKind.WITHDRAWN, {"entrant": 9}),
        (FactKind.FINISHED, {"seed": "00" * 32}),
        (FactKind.REVEALED, {"round": 2}),
        (FactKind.TOLD, {"text": " "}),
        (FactKind.TOLD, {"text": "x" * 5000}),
        (FactKind.TOLD, {"text": "Hello", "colour": 1}),
        (FactKind.RESULT, {"round": 1, "table": 1, "game": 0, "placements": [True, 2]}),
    ],
)
def test_facts_that_cannot_follow_are_refused_and_change_nothing(kind: FactKind, data: dict[str, object]) -> None:
    played = Played(GAUNTLET, 2, 3)
    played.draw()
    before = played.event.history(), played.event.length, played.event.state
    with pytest.raises((FactRefused, EventError)):
        played.say(kind, **data)
    assert (played.event.history(), played.event.length, played.event.state) == before


TERMS = parse_terms({"name": "Test", "format": GAUNTLET, "game": {"players": 3}}).document()
HEX = "ab" * 32
STORED: list[tuple[str, dict[str, object]]] = [
    ("created", {"terms": TERMS}),
    ("changed", {"terms": TERMS}),
    ("published", {"commitment": HEX}),
    ("entered", {"name": "ant", "owner": "ann"}),
    ("entered", {"name": "ant", "owner": "ann", "version": "v1", "strength": 0}),
    ("withdrawn", {"entrant": 1}),
    ("checked_in", {"entrant": 1}),
    ("frozen", {"field": [[1, "v1", 1500], [2, "v2", 0]]}),
    ("started", {}),
    ("drawn", {"tables": []}),
    ("drawn", {"tables": [[1, 2]], "byes": [3], "label": "final", "free": [], "versions": [[1, "v2"]]}),
    ("drawn", {"tables": [{"seats": [1, 2], "group": "A"}, [3, 4]]}),
    ("result", {"round": 1, "table": 1, "game": 0, "match": "m", "placements": [1, 2], "scores": [9, 8], "out": [2]}),
    ("absent", {"round": 1, "table": 1, "entrant": 2}),
    ("again", {"games": [[1, 1, 0], [1, 2, 0]]}),
    ("ruled", {"round": 1, "table": 1, "game": 0, "placements": [2, 1]}),
    ("disqualified", {"entrant": 1}),
    ("paused", {}),
    ("resumed", {}),
    ("extended", {"course": TERMS["course"]}),
    ("revealed", {"round": 1}),
    ("told", {"text": "Hello"}),
    ("finished", {"seed": HEX}),
    ("archived", {}),
    ("cancelled", {}),
    ("cancelled", {"seed": HEX}),
]


@pytest.mark.parametrize(("kind", "stored"), STORED)
def test_a_stored_fact_is_written_again_as_it_was(kind: str, stored: dict[str, object]) -> None:
    assert dumps(parse_data(FactKind(kind), stored).document()) == dumps(stored)
    assert {name for name, _ in STORED} == set(FactKind)


@pytest.mark.parametrize("format", [{"kind": "knockout", "consolation": True}, {"kind": "swiss", "rounds": 3}], ids=str)
def test_the_facts_of_an_event_are_written_again_as_they_were(format: dict[str, object]) -> None:
    facts = Played(format, 2, 7, unit="block").to_the_end(by_chance(3)).facts
    texts = [dumps(fact.document()) for fact in facts]
    assert [dumps(parse_fact(loads(text), "fact").document()) for text in texts] == texts


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        (FactKind.WITHDRAWN, {"entrant": True}, "`entrant` must be a whole number"),
        (FactKind.WITHDRAWN, {}, "`withdrawn` needs entrant"),
        (FactKind.PAUSED, {"text": "x"}, "`paused` has no field text"),
        (FactKind.ENTERED, {"name": ""}, "`name` must not be empty"),
        (FactKind.ENTERED, {"name": "ant", "owner": 3}, "`owner` must be a text"),
        (FactKind.PUBLISHED, {"commitment": "00"}, "`commitment` must be 64 hex digits"),
        (FactKind.FROZEN, {"field": [[1, "v1", "strong"]]}, "`field` must be a list of [entrant, version, strength]"),
        (FactKind.DRAWN, {"tables": [{"seats": [1, "2"]}]}, "table 1 must be a list of entrants"),
        (FactKind.DRAWN, {"tables": [[1, 2]], "byes": 3}, "`byes` must be a list"),
        (FactKind.AGAIN, {"games": [[1, 1]]}, "`games` must be a list of [round, table, game]"),
        (FactKind.TOLD, {"text": " "}, "a message needs a text"),
    ],
)
def test_data_that_is_not_of_its_kind_is_refused(kind: FactKind, data: dict[str, object], message: str) -> None:
    with pytest.raises(FactRefused) as refused:
        parse_data(kind, data)
    assert (refused.value.code, str(refused.value)) == ("BAD_FACT", message)


def test_seeds_and_deals_are_those_of_their_formulas() -> None:
    # By `sha256sum`: SHA-256 of 32 zero bytes, and of these followed by `deal` and the numbers 1, 2, 0.
    assert commitment_of(bytes(32)) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert deal_of(bytes(32), (1, 2, 3), 0).hex() == (
        "9b4aec3835560ba59473af5422092e893060b729debad49af103275e9dd6fdb8"
    )


def test_versions_that_were_frozen_do_not_change() -> None:
    played = Played(GAUNTLET, 2, 3)
    with pytest.raises(FactRefused, match="frozen"):
        played.say(FactKind.DRAWN, tables=[[1, 2]], versions=[[1, "v2"]])
    free = Played(GAUNTLET, 2, 3, versions="free")
    free.say(FactKind.DRAWN, tables=[[1, 2]], versions=[[1, "v2"]])
    assert free.event.entrants[0].version == "v2"


def test_a_result_that_comes_after_everybody_has_left_is_refused() -> None:
    played = Played(GAUNTLET, 2, 2)
    played.draw()
    played.say(FactKind.ABSENT, round=1, table=1, entrant=1)
    with pytest.raises(FactRefused, match="nobody is left"):
        played.say(FactKind.RESULT, round=1, table=1, game=0, placements=[1, 2])


def test_bots_that_come_and_go_do_not_make_an_event_slow() -> None:
    played = Played(GAUNTLET, 2, 2)
    for number in range(3, 2 * 1024 + 1):
        played.say(FactKind.ENTERED, name=f"bot {number}")
        played.say(FactKind.WITHDRAWN, entrant=number)
    with pytest.raises(FactRefused, match="closed"):
        played.say(FactKind.ENTERED, name="bot X")
    played.say(FactKind.ENTERED, name="bot 3")


@pytest.mark.parametrize(
    ("format", "draws", "is_admitted"),
    [
        ({"kind": "knockout"}, 0, True),
        ({"kind": "knockout"}, 1, False),
        ({"kind": "swiss", "rounds": 2}, 1, True),
        ({"kind": "swiss", "rounds": 2}, 2, False),
        (GAUNTLET, 1, True),
        ({"kind": "marathon"}, 1, True),
    ],
    ids=str,
)
def test_a_bot_enters_late_only_if_it_can_still_be_drawn(
    format: dict[str, object], draws: int, is_admitted: bool
) -> None:
    played = Played(format, 2, 4)
    for _ in range(draws):
        played.draw(range(1, 5) if format["kind"] == "marathon" else None)
        played.play()
    late = {"name": "late", "owner": "late", "version": "v1", "strength": 1}
    if is_admitted:
        played.say(FactKind.ENTERED, **late)
        while all(5 not in table.seats for draw in played.event.rounds for table in draw.tables):
            assert played.draw(range(1, 6) if format["kind"] == "marathon" else None), "it is never drawn"
            played.play()
    else:
        with pytest.raises(FactRefused) as refused:
            played.say(FactKind.ENTERED, **late)
        assert refused.value.code == "TOO_LATE"


def test_who_leaves_and_comes_back_is_the_same_entrant_and_meets_others() -> None:
    played = Played({"kind": "swiss", "rounds": 5}, 2, 6)
    played.draw()
    played.play()
    played.say(FactKind.WITHDRAWN, entrant=1)
    played.draw()
    played.play()
    played.say(FactKind.ENTERED, name="bot 1", owner="owner 1", version="v2", strength=1234)
    assert [(one.number, one.version, one.strength) for one in played.event.entrants if one.name == "bot 1"] == [
        (1, "v2", 1234)
    ]
    played.to_the_end()
    met = [set(table.seats) - {1} for one in played.event.history().rounds for table in one.tables if 1 in table.seats]
    assert len(met) == 4 and len({number for others in met for number in others}) == 4
    assert [row.entrant for row in played.event.standings(None)].count(1) == 1
    with pytest.raises(FactRefused):
        played.say(FactKind.ENTERED, name="bot 1", owner="owner 1")


def test_a_name_of_another_owner_and_a_disqualified_bot_get_new_numbers() -> None:
    played = Played({"kind": "swiss", "rounds": 5}, 2, 6)
    played.say(FactKind.WITHDRAWN, entrant=1)
    played.say(FactKind.ENTERED, name="bot 1", owner="owner 9")
    played.say(FactKind.DISQUALIFIED, entrant=2)
    played.say(FactKind.ENTERED, name="bot 2", owner="owner 2")
    assert [one.number for one in played.event.entrants if one.name in ("bot 1", "bot 2")] == [1, 2, 7, 8]
