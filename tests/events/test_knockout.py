"""The knockout: brackets worked out by hand, and properties for every field, table and order of results."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.events import FactKind, TermsError, parse_terms
from arena.events.event import Event
from arena.events.formats.bracket import bracket
from arena.events.formats.heats import plan, snake
from arena.events.formats.knockout import Knockout
from tests.kit.events import SEED, Played, by_chance, by_number


def knockout(advance: int = 1, **flags: bool) -> dict[str, Any]:
    return {"kind": "knockout", "advance": advance, **flags}


def heats(event: Event, number: int, group: str = "") -> list[list[int]]:
    """Return the heats of a round, each in ascending order, which is by strength in these events."""
    return [sorted(table.seats) for table in event.rounds[number - 1].tables if table.group == group]


def places(played: Played) -> list[int]:
    return [row.entrant for row in played.event.standings(SEED)]


def test_eight_of_two_seats_by_hand() -> None:
    event = Played(knockout(), 2, 8).to_the_end().event
    assert heats(event, 1) == [[1, 8], [4, 5], [2, 7], [3, 6]]
    assert heats(event, 2) == [[1, 4], [2, 3]]
    assert heats(event, 3) == [[1, 2]]
    assert [draw.label for draw in event.rounds] == ["round of 8", "semi-final", "final"]


def test_sixteen_in_the_standard_order() -> None:
    event = Played(knockout(), 2, 16).to_the_end().event
    assert heats(event, 1) == [[1, 16], [8, 9], [4, 13], [5, 12], [2, 15], [7, 10], [3, 14], [6, 11]]


def test_who_wins_takes_the_place_of_whom_it_has_beaten() -> None:
    played = Played(knockout(), 2, 8)
    played.draw()
    played.play(lambda pairing: by_number(pairing)[::-1] if {1, 4} & {*pairing.seats} else by_number(pairing))
    played.draw()
    assert heats(played.event, 2) == [[5, 8], [2, 3]]


def test_six_of_two_seats_two_have_a_bye() -> None:
    event = Played(knockout(), 2, 6).to_the_end().event
    assert (event.rounds[0].byes, heats(event, 1)) == ((1, 2), [[4, 5], [3, 6]])
    assert heats(event, 2) == [[1, 4], [2, 3]]


def test_nine_of_three_seats_by_hand() -> None:
    played = Played(knockout(), 3, 9).to_the_end()
    assert sorted(heats(played.event, 1)) == [[1, 6, 7], [2, 5, 8], [3, 4, 9]]
    assert heats(played.event, 2) == [[1, 2, 3]]
    # Out of one round: second places of heats before third places, 1 point before 0.
    assert (
        places(played)[:3] == [1, 2, 3] and {*places(played)[3:6]} == {4, 5, 6} and {*places(played)[6:]} == {7, 8, 9}
    )


@pytest.mark.parametrize(
    ("players", "advance", "sizes"),
    [
        # Round by round: how many entrants are in, and how many of them have a bye.
        (2, 1, [(5, 3), (4, 0), (2, 0)]),
        (3, 1, [(27, 0), (9, 0), (3, 0)]),
        (3, 1, [(10, 7), (9, 0), (3, 0)]),  # one heat: either two of it go on, or the others do not fit
        (3, 1, [(4, 1), (3, 0)]),
        (3, 2, [(9, 0), (6, 0), (4, 1), (3, 0)]),
        (4, 2, [(16, 0), (8, 0), (4, 0)]),
        (4, 2, [(5, 1), (4, 0)]),  # three of the heat go on
        (4, 2, [(6, 2), (4, 0)]),
        (5, 1, [(25, 0), (5, 0)]),
        (5, 2, [(11, 1), (5, 0)]),
        (5, 4, [(7, 2), (6, 1), (5, 0)]),
    ],
)
def test_rounds_that_are_planned(players: int, advance: int, sizes: list[tuple[int, int]]) -> None:
    event = Played(knockout(advance), players, sizes[0][0]).to_the_end().event
    found = [(len(draw.byes) + players * len(draw.tables), len(draw.byes)) for draw in event.rounds]
    assert found == sizes


def test_two_of_a_heat_go_on_apart() -> None:
    event = Played(knockout(2), 4, 16).to_the_end().event
    assert sorted(heats(event, 1)) == [[1, 8, 9, 16], [2, 7, 10, 15], [3, 6, 11, 14], [4, 5, 12, 13]]
    # 1 and 8, 2 and 7, … met in the first round: no pair meets again before the final.
    assert sorted(heats(event, 2)) == [[1, 4, 6, 7], [2, 3, 5, 8]]


def test_a_row_in_which_somebody_has_met_everybody_stays_a_row() -> None:
    assert snake([1, 2, 3, 4], 2, {(2, 3)}) == [[1, 3], [2, 4]]
    assert snake([1, 2, 3, 4], 2, {(2, 3), (2, 4)}) == [[1, 4], [2, 3]]


def test_a_heat_without_a_winner_goes_to_the_better_score_then_to_the_better_seed() -> None:
    played = Played(knockout(), 2, 4)
    played.draw()
    for table in played.event.rounds[0].tables:
        scores = [50 + seat if 4 in table.seats else 50 for seat in table.seats]
        data = {"round": 1, "table": table.number, "game": 0, "placements": [1, 1]}
        played.say(FactKind.RESULT, **data, scores=scores)
    played.draw()
    assert heats(played.event, 2) == [[2, 4]]


def test_who_leaves_is_replaced_by_the_next_of_its_heat() -> None:
    played = Played(knockout(), 2, 8)
    played.draw()
    played.play()
    played.say(FactKind.WITHDRAWN, entrant=2)
    played.draw()
    assert heats(played.event, 2) == [[1, 4], [3, 7]]


def test_double_elimination_of_four_with_a_reset() -> None:
    played = Played(knockout(double=True), 2, 4)

    def two_wins_in_the_end(pairing: Any) -> list[int]:
        best = 2 if pairing.key[0] >= 4 else min(pairing.seats)
        return [1 if seat == best else 2 for seat in pairing.seats]

    event = played.to_the_end(two_wins_in_the_end).event
    assert (heats(event, 1), heats(event, 2), heats(event, 2, "lower")) == ([[1, 4], [2, 3]], [[1, 2]], [[3, 4]])
    assert heats(event, 3, "lower") == [[2, 3]]
    assert (heats(event, 4, "final"), heats(event, 5, "final")) == ([[1, 2]], [[1, 2]])
    assert [draw.label for draw in event.rounds] == ["", "", "", "final", "reset final"]
    assert places(played) == [2, 1, 3, 4]


def test_double_elimination_of_four_without_one() -> None:
    played = Played(knockout(double=True), 2, 4).to_the_end()
    assert [draw.label for draw in played.event.rounds] == ["", "", "", "final"]
    assert places(played) == [1, 2, 3, 4]


def test_the_places_behind_are_played_for_in_the_consolation() -> None:
    played = Played(knockout(consolation=True), 2, 8).to_the_end()
    assert heats(played.event, 2, "consolation") == [[5, 8], [6, 7]]
    assert heats(played.event, 3, "consolation") == [[3, 4], [5, 6], [7, 8]]
    assert places(played) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_a_bracket_page_shows() -> None:
    played = Played(knockout(consolation=True), 2, 4)
    played.draw()
    (stage,) = bracket(Knockout(consolation=True), played.event.history())
    assert [heat.is_over for heat in stage.heats] == [False, False]
    played.play()
    (stage,) = bracket(Knockout(consolation=True), played.event.history())
    assert [[(place.entrant, place.goes_on) for place in heat.places] for heat in stage.heats] == [
        [(1, True), (4, False)],
        [(2, True), (3, False)],
    ]
    played.draw()
    final = bracket(Knockout(consolation=True), played.event.history())[1]
    assert (final.round, final.label) == (2, "final")
    assert [(heat.group, [(place.entrant, place.comes_from) for place in heat.places]) for heat in final.heats] == [
        ("", [(1, (1, 1)), (2, (1, 2))]),
        ("consolation", [(3, (1, 2)), (4, (1, 1))]),
    ]


@pytest.mark.parametrize(
    ("players", "change", "where"),
    [
        (3, {"double": True}, "format.double"),
        (3, {"advance": 3}, "format.advance"),
        (2, {"double": True, "consolation": True}, "format.consolation"),
        (4, {"advance": 0}, "format.advance"),
    ],
)
def test_what_cannot_be_played_is_refused(players: int, change: dict[str, Any], where: str) -> None:
    with pytest.raises(TermsError) as refused:
        parse_terms({"name": "Test", "format": {"kind": "knockout", **change}, "game": {"players": players}})
    assert refused.value.where == where


SHAPES = [(players, advance) for players in range(2, 6) for advance in range(1, players)]


@pytest.mark.parametrize(("players", "advance"), SHAPES)
def test_every_plan_comes_down_to_one_final(players: int, advance: int) -> None:
    for entrants in range(players, 200):
        alive, first = entrants, True
        while alive != players:
            now = plan(alive, players, advance)
            assert now.heats >= 1 and now.byes == alive - players * now.heats >= 0
            more = now.goes_on - now.byes - now.heats * advance
            assert 0 <= more < players - advance and (first or not more), "losers go on in the first round alone"
            assert players <= now.goes_on < alive
            alive, first = now.goes_on, False


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_everybody_leaves_by_results(data: st.DataObject) -> None:
    players, advance = data.draw(st.sampled_from(SHAPES))
    entrants = data.draw(st.integers(players, 64))
    double = players == 2 and data.draw(st.booleans())
    format = Knockout(advance, double, not double and data.draw(st.booleans()))
    terms = knockout(advance, double=double, consolation=format.consolation)
    unit = data.draw(st.sampled_from(["match", "block"])) if entrants <= 20 else "match"
    played = Played(terms, players, entrants, unit=unit)
    leaving = data.draw(st.lists(st.tuples(st.integers(1, 8), st.integers(1, entrants)), max_size=6))
    results, lost = by_chance(data.draw(st.integers(0, 999))), dict.fromkeys(range(1, entrants + 1), 0)
    while played.draw():
        draw = played.event.rounds[-1]
        number = len(played.event.rounds)
        mains = [table for table in draw.tables if table.group != "consolation"]
        seated = list(chain(*(table.seats for table in draw.tables)))
        assert len(set(seated) | set(draw.byes)) == len(seated) + len(draw.byes), "nobody is in two places"
        if number == 1:
            assert set(draw.byes) == set(range(1, len(draw.byes) + 1)), "byes are for the best seeded"
        for kind, who in leaving:
            if kind == number and who in played.event.present and len(played.event.present) > 1:
                played.say(FactKind.DISQUALIFIED if who % 2 else FactKind.WITHDRAWN, entrant=who)
        everybody = list(range(1, entrants + 1))
        assert sorted(chain(*format.order(played.event.history()))) == everybody, "also in the middle of a round"
        played.play(results)
        history = played.event.history()
        on = format.goes_on(history, number)
        for table in mains:
            for seat in table.seats:
                lost[seat] += seat not in on
        assert sorted(chain(*format.order(history))) == everybody
    ended = format.number_of_rounds(players, entrants)
    rounds = len(played.event.rounds)
    stayed = played.event.present
    if not leaving:
        assert rounds == ended or (double and rounds == ended - 1)
    order = [number for group in format.order(played.event.history()) for number in group if number in stayed]
    if len(stayed) >= players:
        champion = order[0]
        losses = 2 if double else 1
        assert all(lost[number] >= losses for number in stayed - {champion}), "who stays leaves by results alone"
    assert len(bracket(format, played.event.history())) == rounds
