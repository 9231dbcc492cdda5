"""Deal blocks of house players: the seating, the shared deal, and the counting."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.simulate import app
from arena.fairness.figures import wilson
from arena.local.blocks import BlockGame, block_points, block_share, play_block, play_cross, tables
from arena.rules import Ruleset
from tests.kit.games import seed_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "players.md"
PLACES = (1, 2, 3, 4)


@pytest.mark.slow
def test_everybody_sits_once_at_every_seat() -> None:
    games = play_block(Ruleset(3), seed_of("turns"), ["random", "greedy", "search-1"])
    assert [game.names for game in games] == [
        ("random", "greedy", "search-1"),
        ("greedy", "search-1", "random"),
        ("search-1", "random", "greedy"),
    ]
    # One deal has one order of markers.
    assert len({game.bidding for game in games}) == 1
    assert sorted(games[0].bidding) == [1, 2, 3]


def test_a_block_is_won_by_who_was_ahead_more_often() -> None:
    games = [
        BlockGame(("a", "b", "a", "b"), (1, 2, 3, 4), PLACES),
        BlockGame(("b", "a", "b", "a"), (2, 1, 4, 3), PLACES),
    ]
    assert block_points(games, "a", "b") == 1.0
    assert block_points(games, "b", "a") == 0.0
    assert block_points([BlockGame(("a", "b"), (1, 1), (1, 2))], "a", "b") == 0.5
    share = block_share([games, [BlockGame(("a", "b"), (1, 1), (1, 2))]], "a", "b")
    assert share is not None and share.share == 0.75
    assert block_share([games], "a", "c") is None


def test_wilsons_interval_by_hand() -> None:
    """For 7 of 10, Wilson (1927) gives .397 to .892."""
    assert wilson(7, 10) == pytest.approx((0.7, 0.3968, 0.8922), abs=1e-3)
    assert wilson(0, 4)[:2] == (0.0, 0.0)


@pytest.mark.slow
def test_every_table_is_played_once_a_round() -> None:
    names = ["random", "random-", "greedy"]
    assert {frozenset(table) for table in tables(names, 2, bytes(32))} == {
        frozenset(pair) for pair in (("random", "random-"), ("random", "greedy"), ("random-", "greedy"))
    }
    blocks = list(play_cross(Ruleset(2), seed_of("cross"), ["random", "greedy"], 2))
    assert len(blocks) == 2 and blocks[0] != blocks[1]


@pytest.mark.slow
def test_the_command_repeats_itself_and_refuses_strangers() -> None:
    arguments = ["players", "random", "search-1", "--rounds", "2", "--json"]
    one, two = (CliRunner().invoke(app, arguments).output for _ in range(2))
    found = json.loads(one)
    assert one == two and (found["blocks"], found["of"]) == (2, 2)
    assert [player["name"] for player in found["players"]] == ["search-1", "random"]
    assert found["players"][0]["against"]["random"]["share"] == 1.0
    assert found["players"][0]["rating"] > found["players"][1]["rating"]
    for names, said in ((["random", "ghost"], "no house player 'ghost'"), (["random"], "as many different players")):
        assert said in str(CliRunner().invoke(app, ["players", *names]).exception)


@pytest.mark.slow
def test_the_documented_small_table_is_what_the_command_prints() -> None:
    """The large tables of docs/players.md take minutes."""
    blocks = re.findall(r"^```text\n\$ arena simulate (.+)\n((?:.+\n)+)```$", DOCUMENT.read_text(), re.MULTILINE)
    command, lines = min(blocks, key=lambda block: len(block[1]))
    assert CliRunner().invoke(app, shlex.split(command)).output == lines
