"""The marathon: free entrants are paired again, and nobody waits while a table can be filled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from arena.events import FactKind, TermsError
from arena.events.formats.marathon import Marathon
from arena.events.values import Draw, EventTable, History
from tests.kit.events import Played
from tests.kit.histories import changed, field, played, stream


def drawn(history: History, *names: object) -> Draw:
    draw = Marathon().draw(history, stream(*names))
    assert draw is not None and not draw.byes
    return draw


def pairs(draw: Draw) -> set[tuple[int, ...]]:
    return {tuple(sorted(table.seats)) for table in draw.tables}


def test_partners_met_least_often_then_the_nearest_in_points() -> None:
    history = field(4, 2)
    first = drawn(history, 1)
    history = played(history, first)
    (strong,) = [pair for pair in pairs(first) if 1 in pair]
    (weak,) = [pair for pair in pairs(first) if 1 not in pair]
    second = drawn(history, 2)
    # Both winners have 1 point from 1 game, both losers none. Nobody meets an earlier opponent.
    assert pairs(second) == {tuple(sorted((strong[0], weak[0]))), tuple(sorted((strong[1], weak[1])))}
    third = drawn(played(history, second), 3)
    assert not pairs(third) & (pairs(first) | pairs(second)), "the only partners left who have not met"


def test_who_has_waited_longest_plays() -> None:
    history = field(5, 2)
    first = drawn(history, 1)
    (waits,) = history.present - {number for table in first.tables for number in table.seats}
    second = drawn(played(history, first), 2)
    assert any(waits in table.seats for table in second.tables)
    assert Counter(number for draw in (first, second) for table in draw.tables for number in table.seats)[waits] == 1


def test_the_partner_of_the_last_table_only_where_there_is_no_other() -> None:
    history = field(4, 2)
    for left, right in 2 * [((1, 3), (2, 4))] + 2 * [((1, 4), (2, 3))] + [((1, 2), (3, 4))]:
        history = played(history, Draw((EventTable(1, left), EventTable(2, right))))
    # Everybody has met the partner of the last table once, and both others twice.
    assert not pairs(drawn(history, 1)) & {(1, 2), (3, 4)}
    assert pairs(drawn(replace(history, present=frozenset({1, 2})), 1)) == {(1, 2)}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_fewer_than_a_table_wait_whoever_is_free(players: int) -> None:
    history, random = field(23, players), Random(players)
    for number in range(40):
        free = frozenset(random.sample(sorted(history.present), random.randrange(len(history.present) + 1)))
        now = replace(history, present=free)
        draw = Marathon().draw(now, stream(number))
        assert draw == Marathon().draw(now, stream(number))
        if draw is None:
            assert len(free) < players
            continue
        seated = Counter(number for table in draw.tables for number in table.seats)
        assert set(seated) <= free and set(seated.values()) == {1}
        assert len(free) - len(seated) < players
        history = replace(played(now, draw, random), present=history.present)
        if number % 10 == 9:
            history = changed(history, leave=random.sample(sorted(history.present), 2), enter=1)


def test_everybody_plays_as_often_when_all_are_free() -> None:
    for players in (2, 3, 4):
        history = field(11, players)
        for number in range(22):
            history = played(history, drawn(history, number), Random(number))
        games = Counter(number for r in history.rounds for table in r.tables for number in table.seats)
        assert max(games.values()) - min(games.values()) <= 1
        met = Counter(pair for r in history.rounds for table in r.tables for pair in table.pairs)
        assert len(met) == 11 * 10 // 2, "everybody has met everybody"


def test_a_marathon_draws_while_tables_are_still_in_play() -> None:
    event = Played({"kind": "marathon"}, 2, 5)
    assert event.draw(range(1, 6))
    busy = set(event.event.rounds[0].tables[0].seats)
    number, table, game = event.event.pairings()[1].key
    event.say(FactKind.RESULT, round=number, table=table, game=game, placements=[1, 2])
    assert event.draw(sorted(event.event.present - busy))
    assert not busy & set(event.event.rounds[1].tables[0].seats)
    assert not event.draw([1])
    with pytest.raises(TermsError):
        Marathon().check(3, 2)
