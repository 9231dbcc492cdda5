"""A view that is printed, and as a picture in a notebook."""

import re
from xml.etree import ElementTree as ET

import pytest

from arena.bots import View
from arena.rules import Game, Ruleset, parse_position, view
from arena.rules.components import EXPANSIONS
from tests.kit.games import seed_of
from tests.kit.positions import strange_position

COLOUR = re.compile(r"\x1b\[[0-9;]*\b3[0-8]\b")
BASE, ALL = (), EXPANSIONS


def seen(expansions: tuple[str, ...], players: int = 3, phase: str = "bid") -> View:
    return View.of(view(parse_position(strange_position(players, 3, phase, expansions)), 2))


@pytest.mark.parametrize("expansions", [BASE, ALL], ids=["base", "all"])
def test_a_printed_view_shows_every_tile_and_seat(expansions: tuple[str, ...]) -> None:
    shown = seen(expansions)
    text = str(shown)
    assert "\x1b" not in text
    for tile in shown.tiles.values():
        line = f"│{tile.name} {tile.kind.removesuffix('-market')}"
        assert line[:9] in text
        assert (tile.meeples in text) and (tile.whim or "") in text
    assert "you" in text and text.count("? gold") == 2 and f"{shown.me.gold} gold" in text
    for name in (*shown.market, *shown.djinns):
        assert name in text


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_board_of_the_base_game_takes_79_columns(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = str(View.of(view(Game(Ruleset(4), bytes(32)).state, 1))).splitlines()
    assert {len(line) for line in lines if line.startswith(("┌", "├", "└"))} == {79}


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = seen(BASE)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert COLOUR.search(str(shown))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOUR.search(str(shown))


@pytest.mark.parametrize("expansions", [BASE, ALL], ids=["base", "all"])
def test_a_picture_has_every_tile_and_meeple(expansions: tuple[str, ...]) -> None:
    shown = seen(expansions)
    picture = ET.fromstring(shown._repr_svg_())
    space = "{http://www.w3.org/2000/svg}"
    assert len(picture.findall(f"{space}g/{space}g")) == len(shown.tiles)
    for group, tile in zip(picture.findall(f"{space}g/{space}g"), shown.tiles.values(), strict=True):
        texts = [element.text or "" for element in group.findall(f"{space}text")]
        assert texts[0].split()[0] == tile.name
        assert "".join(text for text in texts if len(text) == 1 and text.isalpha()) == tile.meeples
        assert (str(tile.owner) in texts) == (tile.owner is not None)
    below = " ".join(element.text or "" for element in picture.findall(f"{space}text"))
    assert f"Seat 2: {shown.me.gold} gold" in below and "Seat 3: ? gold" in below


def test_it_is_the_view_of_the_rules() -> None:
    plain = view(Game(Ruleset(2), seed_of("drawing")).state, 1)
    ours = View.of(plain)
    assert ours.document == plain.document
    assert ours == View.of(plain)
    assert repr(ours) == repr(plain)
