"""The league: two divisions and two seasons by hand, and properties for every field and every order of results."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.events import FactKind, FactRefused, Pairing, TermsError
from arena.events.exports import standings_rows
from arena.events.formats.league import League, Season
from arena.events.verify import event_document
from tests.kit.events import SEED, Played, by_chance


def league(**fields: int) -> dict[str, Any]:
    return {"kind": "league", **fields}


def higher_wins(pairing: Pairing) -> list[int]:
    return [1 + sum(other > seat for other in pairing.seats) for seat in pairing.seats]


def begun(played: Played) -> list[Season]:
    form = played.event.terms.format
    assert isinstance(form, League)
    return form.begun(played.event.history())


def season(played: Played, results: Any = higher_wins, rounds: int = 3) -> None:
    for _ in range(rounds):
        assert played.draw()
        played.play(results)


def test_two_divisions_and_two_seasons_by_hand() -> None:
    played = Played(league(size=4, moves=1, seasons=2), 2, 8)
    season(played)
    rows = played.event.standings(SEED)
    assert [(row.entrant, row.points) for row in rows] == [
        (4, 3),
        (3, 2),
        (2, 1),
        (1, 0),
        (8, 3),
        (7, 2),
        (6, 1),
        (5, 0),
    ]
    played.draw()
    # Bot 1 was last in division 1, bot 8 first in division 2.
    assert [season.divisions for season in begun(played)] == [
        ((1, 2, 3, 4), (5, 6, 7, 8)),
        ((2, 3, 4, 8), (1, 5, 6, 7)),
    ]
    assert {table.group: set() for table in played.event.rounds[3].tables} == {"division 1": set(), "division 2": set()}
    assert [draw.label for draw in played.event.rounds] == [
        *(f"season 1, round {k}" for k in (1, 2, 3)),
        "season 2, round 1",
    ]
    played.play(higher_wins)
    played.to_the_end(higher_wins)
    assert len(played.event.rounds) == 6
    rows = played.event.standings(SEED)
    # The points are those of the second season.
    assert [(row.entrant, row.points) for row in rows] == [
        (8, 3),
        (4, 2),
        (3, 1),
        (2, 0),
        (7, 3),
        (6, 2),
        (5, 1),
        (1, 0),
    ]
    assert [row.place for row in rows] == list(range(1, 9))


def test_a_free_place_goes_to_who_came_down_and_newcomers_join_from_below() -> None:
    played = Played(league(size=4, moves=1), 2, 8)
    season(played)
    played.say(FactKind.WITHDRAWN, entrant=2)
    played.say(FactKind.ENTERED, name="bot 9", owner="owner 9", version="v1", strength=3000)
    assert [row.entrant for row in played.event.standings(SEED)][-1] == 9, "it is in no division yet"
    played.draw()
    # 4, 3 and 1 of division 1 stay in the event. 1 would go down and 8 comes up; 1 keeps the free fourth place.
    assert begun(played)[1].divisions == ((1, 3, 4, 8), (9, 5, 6, 7))


def test_nobody_enters_once_the_last_season_has_begun() -> None:
    played = Played(league(size=4, moves=1, seasons=2), 2, 8)
    season(played)
    played.draw()
    with pytest.raises(FactRefused) as refused:
        played.say(FactKind.ENTERED, name="late", owner="late", version="v1", strength=3000)
    assert refused.value.code == "TOO_LATE"


def test_the_standings_show_the_tie_breaks_that_decide() -> None:
    """Bots 1 to 3 beat each other in a circle, and all beat bot 4. Head to head, each has one of two."""
    played = Played(league(size=4, moves=1, seasons=1), 2, 4, tie_breaks=["lot"])

    def circle(pairing: Pairing) -> list[int]:
        winner = {(1, 2): 1, (2, 3): 2, (1, 3): 3}.get((min(pairing.seats), max(pairing.seats)), min(pairing.seats))
        return [1 if seat == winner else 2 for seat in pairing.seats]

    season(played, circle)
    rows = played.event.standings(SEED)
    assert [(row.entrant, row.place, row.points) for row in rows] == [(1, 1, 2), (2, 1, 2), (3, 1, 2), (4, 4, 0)]
    # Head to head, Sonneborn-Berger (2 from the beaten bot of the circle, 0 from bot 4), wins.
    assert [row.tie_breaks for row in rows] == [(1, 2, 2)] * 3 + [(0, 0, 0)]
    assert standings_rows(played.event, rows)[0][9:12] == ("head_to_head", "sonneborn_berger", "wins")
    played.to_the_end()
    assert set(event_document(played.facts)["standings"][0]["tie_breaks"]) == {*League.TIE_BREAKS}


def test_a_ruling_on_an_earlier_season_changes_nothing_that_was_drawn() -> None:
    played = Played(league(size=4, moves=1), 2, 8)
    season(played)
    played.draw()
    for number, draw in enumerate(played.event.rounds[:3], start=1):
        for table in draw.tables:
            if 1 in table.seats:
                placements = [1 if seat == 1 else 2 for seat in table.seats]
                played.say(FactKind.RULED, round=number, table=table.number, game=0, placements=placements)
    assert begun(played)[1].divisions == ((2, 3, 4, 8), (1, 5, 6, 7))


@pytest.mark.parametrize(
    ("entrants", "players", "sizes"),
    [(2, 2, [2]), (9, 2, [9]), (10, 2, [8, 2]), (16, 2, [8, 8]), (12, 5, [12]), (13, 5, [8, 5]), (64, 4, [8] * 8)],
)
def test_sizes_of_divisions(entrants: int, players: int, sizes: list[int]) -> None:
    played = Played(league(size=8), players, entrants)
    played.draw()
    assert [len(division) for division in begun(played)[0].divisions] == sizes


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_nobody_is_in_two_divisions_and_sizes_stay_within_their_bounds(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 5))
    size = data.draw(st.integers(players, 7))
    entrants = data.draw(st.integers(players, 24))
    moves = data.draw(st.integers(0, size // 2))
    played = Played(league(size=size, moves=moves, seasons=3), players, entrants)
    results = by_chance(data.draw(st.integers(0, 99)))
    while played.draw():
        played.play(results)
        for _ in range(data.draw(st.sampled_from((0, 0, 0, 1, 2)))):
            if data.draw(st.booleans()) and played.event.present:
                leaver = data.draw(st.sampled_from(sorted(played.event.present)))
                played.say(FactKind.WITHDRAWN, entrant=leaver)
            elif len(begun(played)) < 3:
                name = f"bot {len(played.event.entrants) + 1}"
                played.say(FactKind.ENTERED, name=name, owner=name, version="v1", strength=1990)
    seasons = begun(played)
    for number, one in enumerate(seasons):
        members = [n for division in one.divisions for n in division]
        assert sorted(members) == sorted(one.rounds[0].present), "everybody is in one division"
        *upper, lowest = (len(division) for division in one.divisions)
        assert upper == [size] * len(upper)
        assert players <= lowest < size + players
        for drawn in one.rounds:
            seated = Counter(seat for table in drawn.tables for seat in table.seats)
            assert set(seated.values()) == {1}
            for table in drawn.tables:
                assert set(table.seats) <= set(one.divisions[int(table.group.removeprefix("division ")) - 1])
        if number and set(members) == set(seasons[number - 1].rounds[0].present):
            changed = [len(set(a) - set(b)) for a, b in zip(one.divisions, seasons[number - 1].divisions, strict=True)]
            assert all(count <= 2 * moves for count in changed)
            if len(changed) > 1:
                assert changed[0] == min(moves, lowest // 2) or len(changed) > 2
    assert len({row.entrant for row in played.event.standings(SEED)}) == len(played.event.entrants)


@pytest.mark.parametrize(
    ("fields", "where"),
    [({"size": 3}, "format.size"), ({"size": 8, "moves": 5}, "format.moves")],
)
def test_what_cannot_be_played_is_refused(fields: dict[str, int], where: str) -> None:
    with pytest.raises(TermsError) as refused:
        League(**fields).check(4, 16)
    assert refused.value.where == where
