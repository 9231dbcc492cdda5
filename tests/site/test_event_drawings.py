"""The bracket as a drawing, and the podium: by hand for small events, and for large ones what must hold of any."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from arena.events import FactKind
from tests.kit.events import Played, by_chance, by_number
from webui.bots.values import BotRef
from webui.events.bracket import HeatLine, stages
from webui.events.podium import podium
from webui.events.standings import rows
from webui.events.tree import Drawing, _row, drawing
from webui.events.values import EventGame, EventLine, EventPage

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def page_of(played: Played, **more: Any) -> EventPage:
    """An event as a page shows it, whose bots are named after their numbers."""
    event = played.event
    line = EventLine("cup", "Cup", str(event.state), "", 2, "orga", len(event.present), len(event.rounds), False, NOW)
    bots = {one.number: BotRef(one.number, one.name, one.name, 1, "orga", False) for one in event.entrants}
    known = {
        "line": line, "event": event, "shown": len(event.rounds), "standings": event.standings(event.seed),
        "movement": {}, "bots": bots, "games": {}, "boards": {}, "facts": played.facts, "away": {},
        "is_organiser": False, "asked": "", "helpers": [],
    }  # fmt: skip
    return EventPage(**{**known, **more})


def drawn(format: dict[str, Any], players: int, entrants: int) -> Drawing:
    played = Played({"kind": "knockout", **format}, players, entrants).to_the_end(by_chance(3))
    found = drawing(stages(page_of(played)))
    assert found is not None
    return found


def test_a_bracket_of_four_by_hand() -> None:
    played = Played({"kind": "knockout"}, 2, 4).to_the_end()
    found = drawing(stages(page_of(played)))
    assert found is not None
    # Two boxes of two rows, 14 apart; the final in the middle of them: (34 + 26 + 100 + 26) / 2 - 26 = 67.
    assert [(box.x, box.top, box.height) for box in found.boxes] == [(1, 34, 52), (1, 100, 52), (261, 67, 52)]
    assert [[row.place.entrant for row in box.rows] for box in found.boxes] == [[1, 4], [2, 3], [1, 2]]
    assert [line.partition("H")[0] for line in found.lines] == ["M215 47", "M215 113"], "from the rows of 1 and 2"
    assert [line.rpartition(" ")[2] for line in found.lines] == ["80H261", "106H261"], "to theirs in the final"
    assert (found.width, found.height, found.titles) == (476, 153, [])  # 2 · 214 + 46 + 2


def test_the_mark_of_a_hosted_bot_takes_the_space_of_three_letters() -> None:
    bots = [BotRef(1, "A" * 21, "a", 1, "orga", False), BotRef(2, "A" * 21, "b", 1, "orga", False, is_hosted=True)]
    names = [_row(HeatLine(bot.id, bot, "", 0, True)).name for bot in bots]
    assert names == ["A" * 21, "A" * 18 + "…"]


@pytest.mark.parametrize(
    ("format", "players", "entrants"),
    [({}, 2, 64), ({}, 2, 11), ({"double": True}, 2, 13), ({"advance": 2, "consolation": True}, 4, 16),
     ({"advance": 2}, 5, 23), ({"consolation": True}, 3, 9)],
)  # fmt: skip
def test_brackets_of_all_kinds(format: dict[str, Any], players: int, entrants: int) -> None:
    found = drawn(format, players, entrants)
    for column in range(len(found.heads)):
        boxes = sorted((box for box in found.boxes if box.column == column), key=lambda box: box.top)
        assert all(above.top + above.height < below.top for above, below in pairwise(boxes)), "they do not overlap"
    assert max(box.top + box.height for box in found.boxes) < found.height
    assert max(box.x for box in found.boxes) < found.width
    for box in found.boxes:
        for entrant, source in box.before.items():
            assert source.column < box.column and source.row(entrant).place.goes_on
    going = sum(row.place.goes_on for box in found.boxes for row in box.rows)
    assert len(found.lines) == going - 1, "from everybody who goes on, but for the winner of all"


def test_who_loses_and_has_a_bye_waits_in_the_lower_bracket() -> None:
    found = drawn({"double": True}, 2, 12)
    byes = [box for box in found.boxes if box.is_bye and box.column > 0]
    assert byes and all(box.band == 1 for box in byes)
    assert [title for _, title in found.titles] == ["Lower bracket"]


def test_a_podium_by_hand() -> None:
    played = Played({"kind": "knockout"}, 2, 4)
    assert podium(page_of(played)) is None
    scores = {(1, 1): (120, 90), (1, 2): (80, 81), (2, 1): (200, 150)}
    games = {}
    while played.draw():
        for pairing in played.event.pairings():
            number, table, game = pairing.key
            order = [1, 2] if (number, table) != (1, 2) else [2, 1]
            one = {"placements": order, "scores": list(scores[number, table])}
            played.say(FactKind.RESULT, round=number, table=table, game=game, match="", **one)
            ends = NOW + timedelta(seconds=60 * number + table)
            games[pairing.key] = EventGame(f"match{number}{table}", "FINISHED", NOW, ends)
    played.say(FactKind.FINISHED, seed=bytes(range(32)).hex())
    found = podium(page_of(played, games=games))
    assert found is not None
    assert [step.place for step in found.steps[:2]] == [1, 2] and found.games == 3
    assert found.mean_score == 120  # 721 / 6
    assert found.mean_time == timedelta(seconds=81)  # (61 + 62 + 121) / 3
    assert [(str(game.name), game.value, game.match) for game in found.best[:3]] == [
        ("Highest score", "200", "match21"),
        ("Closest game", "by 1", "match12"),
        ("Longest game", "0:02:01", "match21"),
    ]
    winner = played.event.rounds[0].tables[1].seats[1]
    assert found.best[2].bots[0].id == played.event.rounds[1].tables[0].seats[0]
    assert winner in {bot.id for bot in found.best[1].bots[:1]}
    assert (found.bots, found.games) == (4, 3)
    played.say(FactKind.DISQUALIFIED, entrant=played.event.rounds[1].tables[0].seats[0])
    found = podium(page_of(played, games=games))
    assert found is not None and (found.bots, found.games) == (4, 3), "they were played all the same"
    assert "match21" not in {game.match for game in found.best}, (
        "but none with the disqualified bot is shown as a good one"
    )


def test_a_league_is_shown_by_division() -> None:
    played = Played({"kind": "league", "size": 4, "moves": 1, "seasons": 2}, 2, 8)
    for _ in range(4):
        played.draw()
        played.play(by_number)
    found = rows(page_of(played))
    assert [row.group for row in found] == ["division 1"] * 4 + ["division 2"] * 4
    assert {row.bot.id for row in found[:4]} == {1, 2, 3, 5}, "the first of the second division has come up"
