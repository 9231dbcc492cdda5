"""The page for organisers says what there is: its example can be played, its tables are complete."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest

from arena.events import parse_terms
from arena.events.formats import FORMATS
from arena.events.formats.round_robin import RoundRobin
from arena.events.formats.seating import meetings
from arena.events.plan import SEED
from arena.events.tiebreaks import TIE_BREAKS
from arena.events.values import round_stream
from webui.site.docs import draws
from webui.site.docs.pages import SOURCES, read


@pytest.mark.parametrize("language", ["en", "es", "fr", "ru"])
def test_the_page_for_organisers(language: str) -> None:
    text = (SOURCES / language / "events.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example and parse_terms(tomllib.loads(example[1])).ruleset.players == 4
    rows = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) - {"kind", "tie_breaks"}
    assert rows == {*FORMATS, *TIE_BREAKS}


@pytest.mark.parametrize("language", ["en", "es", "fr", "ru"])
def test_its_pictures_are_the_draws_of_the_formats(language: str) -> None:
    """The tables of each picture, one after the other, are those that the format draws again from what came before."""
    pictures = re.findall(r'<svg class="draws".*?</svg>', read("events", language).html)
    swiss, robin, knockout, league = pictures
    for picture, example in ((swiss, draws.SWISS), (knockout, draws.KNOCKOUT)):
        terms, history = draws.terms(example), draws.history(example)
        again = replace(history, rounds=())
        due = []
        for number, round in enumerate(history.rounds, start=1):
            drawn = terms.format.draw(again, round_stream(SEED, number))
            assert drawn is not None
            due += [seat for table in drawn.tables for seat in table.seats]
            again = replace(again, rounds=(*again.rounds, round))
        assert [int(bot) for bot in re.findall(r'data-bot="(\d+)"', picture)] == due and len(due) >= 12
    met = RoundRobin().schedule(*draws.ROBIN).meetings
    cells = [int(count) for count in re.findall(r'class="draw-middle"[^>]*>(\d+)<', robin)]
    assert cells == [count for at, row in enumerate(met) for k, count in enumerate(row) if k != at]
    listed = [int(bot) for bot in re.findall(r'data-bot="(\d+)"', league)]
    assert [sorted(listed[at : at + 8]) for at in (0, 8)] == [[*range(1, 9)]] * 2
    tables = draws.history(draws.LEAGUE).rounds[3].tables
    upper = {seat for table in tables if table.group == "division 1" for seat in table.seats}
    assert set(listed[8:12]) == upper and league.count("▲") == league.count("▼") == 1


def test_no_pair_of_the_picture_meets_twice() -> None:
    history = draws.history(draws.SWISS)
    assert max(meetings(history).values()) == 1
