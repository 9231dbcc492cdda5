"""The detection of help between bots finds a helper and flags no honest bots, with drawn leans."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from arena.fairness.drawn import BOTS, GAMES, LEANS, drawn_games, error_rates
from arena.fairness.kingmaking import FEWEST, helps, null_scale, pairs
from arena.local import play_local_games
from arena.rules import Ruleset

DOCUMENT = Path(__file__).parents[2] / "docs" / "fairness.md"


@pytest.mark.slow
def test_honest_bots_are_hardly_ever_flagged() -> None:
    """With 56 pairs in each of 60 worlds, a world has a flag by chance once in a hundred."""
    draw = random.Random(1)
    worlds = [pairs(drawn_games(draw, 150)).pairs for _ in range(60)]
    assert all(len(world) == 56 for world in worlds)
    assert sum(any(pair.is_flagged for pair in world) for world in worlds) <= 4


@pytest.mark.slow
def test_a_helper_is_found() -> None:
    draw = random.Random(2)
    found = [[pair for pair in pairs(drawn_games(draw, 250, 0.4)).pairs if pair.is_flagged] for _ in range(20)]
    hits = sum(("B0", "B1") in {(pair.helper, pair.helped) for pair in world} for world in found)
    assert hits >= 18
    assert sum(len(world) for world in found) - hits <= 2
    assert all(world[0].mean > 0.2 for world in found if world)


def test_pairs_that_hardly_met_are_left_out() -> None:
    draw = random.Random(3)
    few = drawn_games(draw, 12)
    assert all(pair.games >= FEWEST for pair in pairs(few).pairs)
    assert pairs([]) == ([], None, 0)


def test_bots_that_scatter_widely_among_themselves_widen_all_p_values() -> None:
    assert null_scale([0.1, -0.2] * 5) == 1.0
    assert null_scale([3.0, -3.0] * 5) == pytest.approx(3.0)
    draw = random.Random(4)
    sample = drawn_games(draw, 200, 0.4)
    plain = {pair[:2]: pair.p for pair in pairs(sample).pairs}
    widened = {pair[:2]: pair.p for pair in pairs(sample, frozenset(BOTS)).pairs}
    assert widened["B0", "B1"] >= plain["B0", "B1"]


def test_a_few_house_bots_are_no_null_distribution() -> None:
    assert null_scale([]) is null_scale([9.0] * 9) is None
    sample = drawn_games(random.Random(5), 150)
    assert pairs(sample, frozenset(BOTS[:3])).scale is None, "6 pairs"
    assert pairs(sample, frozenset(BOTS[:3])).pairs == pairs(sample).pairs
    assert pairs(sample, frozenset(BOTS[:4])).scale is not None, "12 pairs"


def test_who_always_helps_alike_is_found() -> None:
    """Student's t of a pair without any spread is infinite."""
    games = [
        [one._replace(turns=2, lean=2.0 * (one.helped == "B1")) if one.helper == "B0" else one for one in game]
        for game in drawn_games(random.Random(6), 150)
    ]
    first = pairs(games).pairs[0]
    assert (first.helper, first.helped, first.is_flagged) == ("B0", "B1", True)


@pytest.mark.slow
def test_the_table_of_error_rates_is_that_of_the_documentation() -> None:
    """The test plays ten worlds per line, the documentation 200."""
    shown = re.findall(r"^ *(\d+) +([\d.]+) +(–|[\d.]+%) +([\d.]+)%$", DOCUMENT.read_text(), re.MULTILINE)
    assert [(int(games), float(lean)) for games, lean, _, _ in shown] == [(g, lean) for g in GAMES for lean in LEANS]
    for rates in error_rates(10, 1):
        (line,) = [line for line in shown if (int(line[0]), float(line[1])) == (rates.games, rates.lean)]
        # Ten worlds have the share of the table, within 3.3 standard errors and one world.
        for small, percent in ((rates.wrong, line[3]), (rates.detected, line[2].strip("–%") or "0")):
            share = float(percent) / 100
            assert abs(small - share) <= 3.3 * (share * (1 - share) / 10) ** 0.5 + 0.1


def test_tables_of_two_have_nobody_to_help() -> None:
    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    assert helps(game.document()) == []


def test_turns_of_real_games_lean_between_bounds() -> None:
    (game,) = play_local_games(Ruleset(3), bytes(32), ["random", "greedy", "greedy-trader"], 1)
    found = helps(game.document(), sample=8)
    assert found == helps(game.document(), sample=8), "the same record, the same turns"
    assert all(abs(one.lean) <= one.turns <= 8 for one in found)
