"""The meter of help between bots finds a helper and flags no honest bots, with leans that are drawn."""

from __future__ import annotations

import random

import pytest

from arena.fairness.kingmaking import FEWEST, Help, helps, null_scale, pairs
from arena.local import play_local_games
from arena.rules import Ruleset

BOTS = [f"B{number}" for number in range(8)]


def drawn(draw: random.Random, number: int, help_given: float = 0.0) -> list[list[Help]]:
    """Games of four of eight bots, each of which hurts leaders in a measure of its own; B0 helps B1."""
    found = []
    spite = {bot: draw.uniform(0, 0.6) for bot in BOTS}
    for game in range(number):
        table = draw.sample(BOTS, 4)
        leader = draw.choice(table)
        rows = []
        for helper in table:
            for helped in table:
                if helper != helped:
                    turns = draw.randint(1, 6)
                    leads = helped == leader
                    mean = -spite[helper] * leads + help_given * ((helper, helped) == ("B0", "B1"))
                    lean = sum(max(-1.0, min(1.0, draw.gauss(mean, 0.7))) for _ in range(turns))
                    rows.append(Help(f"g{game}", helper, helped, leads, turns, lean))
        found.append(rows)
    return found


def test_honest_bots_are_hardly_ever_flagged() -> None:
    """56 pairs a world, 60 worlds: a world has a flag by chance once in a hundred."""
    draw = random.Random(1)
    worlds = [pairs(drawn(draw, 150)) for _ in range(60)]
    assert all(len(world) == 56 for world in worlds)
    assert sum(any(pair.is_flagged for pair in world) for world in worlds) <= 4


def test_a_helper_is_found() -> None:
    draw = random.Random(2)
    found = [[pair for pair in pairs(drawn(draw, 250, 0.4)) if pair.is_flagged] for _ in range(20)]
    hits = sum(("B0", "B1") in {(pair.helper, pair.helped) for pair in world} for world in found)
    assert hits >= 18
    assert sum(len(world) for world in found) - hits <= 2
    assert all(world[0].mean > 0.2 for world in found if world)


def test_pairs_that_hardly_met_are_left_out() -> None:
    draw = random.Random(3)
    few = drawn(draw, 12)
    assert all(pair.games >= FEWEST for pair in pairs(few))
    assert pairs([]) == []


def test_bots_that_scatter_widely_among_themselves_widen_all_p_values() -> None:
    assert null_scale([]) == null_scale([0.1, -0.2]) == 1.0
    assert null_scale([3.0, -3.0]) == pytest.approx(3.0)
    draw = random.Random(4)
    sample = drawn(draw, 200, 0.4)
    plain = {pair[:2]: pair.p for pair in pairs(sample)}
    widened = {pair[:2]: pair.p for pair in pairs(sample, frozenset(BOTS))}
    assert widened["B0", "B1"] >= plain["B0", "B1"]


def test_tables_of_two_have_nobody_to_help() -> None:
    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    assert helps(game.document()) == []


def test_turns_of_real_games_lean_between_bounds() -> None:
    (game,) = play_local_games(Ruleset(3), bytes(32), ["random", "greedy", "greedy-trader"], 1)
    found = helps(game.document(), sample=8)
    assert found == helps(game.document(), sample=8), "the same record, the same turns"
    assert all(abs(one.lean) <= one.turns <= 8 for one in found)
