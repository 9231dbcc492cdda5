"""Simulated ladders: results follow the documented model, measures are correct, and the table is in the docs."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare, kendalltau
from typer.testing import CliRunner

from arena.cli.simulate import app
from arena.ratings import Book, HeldRating, Rating
from arena.ratings.batch import RatedGame, Ratings
from arena.simulation.ladder import TIE, draw_placements, play
from arena.simulation.matchmakers import MATCHMAKERS, Field
from arena.simulation.measures import games_to, kendall_tau
from arena.simulation.pairing import BEFORE, errors, farthest, most_of_one_rival
from arena.simulation.rivals import RIVALS
from arena.simulation.worlds import WORLDS, World

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "ratings.md"


def test_placements_have_the_probabilities_of_the_model() -> None:
    """Three seats of strengths 4, 1, 1, by hand: groups weigh 4, 1, 1 alone and TIE × 2, 2, 1 in pairs."""
    chance = np.random.default_rng(1)
    many = 6000
    found = Counter(draw_placements([np.log(4), 0, 0], chance) for _ in range(many))
    first, both, half = 6 + 5 * TIE, 2 + TIE, 5 + 2 * TIE  # of all three; of two weak ones; of a strong and a weak one
    expected = {
        (1, 2, 3): 4 / first / both, (1, 3, 2): 4 / first / both, (1, 2, 2): 4 / first * TIE / both,
        (2, 1, 3): 4 / first / half, (3, 1, 2): 1 / first / half, (2, 1, 2): 1 / first * 2 * TIE / half,
        (2, 3, 1): 4 / first / half, (3, 2, 1): 1 / first / half, (2, 2, 1): 1 / first * 2 * TIE / half,
        (1, 1, 3): 2 * TIE / first, (1, 3, 1): 2 * TIE / first, (3, 1, 1): TIE / first,
    }  # fmt: skip
    assert sum(expected.values()) == pytest.approx(1) and set(found) <= set(expected)
    assert chisquare([found[key] for key in expected], [many * value for value in expected.values()]).pvalue > 0.001


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_played_as_it_says(name: str) -> None:
    world = WORLDS[name](24, np.random.default_rng(2))
    played = list(play(world, 3, 12, Book(), np.random.default_rng(3)))
    assert len(played) == 24 * 12 // 3
    for game, time in played:
        assert len(game.bots) == 3 and sorted(game.bidding) == [1, 2, 3]
        assert all(world.arrivals[bot] <= time for bot in game.bots)
        for bot in set(game.bots) & set(world.helps):
            if world.helps[bot] in game.bots:
                assert game.placements[game.bots.index(bot)] >= 2
    assert set(world.groups) and len(world.groups) == len(world.strengths) == 24


@pytest.mark.parametrize("name", MATCHMAKERS)
def test_every_matchmaker_makes_tables_of_different_bots_that_are_there(name: str) -> None:
    world = WORLDS["arrivals"](24, np.random.default_rng(2))
    played = list(play(world, 4, 8, Book(), np.random.default_rng(3), MATCHMAKERS[name]))
    assert len(played) == 24 * 8 // 4
    for game, time in played:
        assert len(set(game.bots)) == 4 and all(world.arrivals[bot] <= time for bot in game.bots)


def test_a_swiss_table_has_those_who_have_not_met() -> None:
    """By hand: bot 1 has the fewest games and has met 2; 3 is nearer to it than 4."""
    book = Book(held={bot: HeldRating(Rating(mu, 3), 1) for bot, mu in {1: 25, 2: 25, 3: 27, 4: 40}.items()})
    field = Field(2, np.random.default_rng(1), book, online=(1, 2, 3, 4), games=Counter({2: 9, 3: 9, 4: 9}))
    field.met[1, 2] = 1
    assert sorted(MATCHMAKERS["Swiss"](field, 1)[0]) == [1, 3]


def test_the_most_informative_table_has_the_least_certain_and_an_equal() -> None:
    held = {1: Rating(25, 8), 2: Rating(26, 3), 3: Rating(45, 3.1), 4: Rating(24, 2)}
    field = Field(
        2, np.random.default_rng(1), Book(held={bot: HeldRating(one, 1) for bot, one in held.items()}), (1, 2, 3, 4)
    )
    assert sorted(MATCHMAKERS["most informative"](field, 1)[0]) == [1, 2]


def test_measures_of_matchmaking_by_hand() -> None:
    def table(*bots: int) -> RatedGame:
        return RatedGame(bots, tuple(range(1, len(bots) + 1)))

    line = [table(1, 2), table(2, 3), table(3, 4)]
    assert (farthest(line), farthest([*line, table(1, 4)]), farthest([*line, table(5, 6)])) == (3, 2, -1)
    assert farthest([table(1, 2, 3)]) == 1
    # Bot 1 has met bot 2 in two of three games; bot 3 has met it in two of two.
    assert most_of_one_rival([table(1, 2), table(1, 2, 3), table(1, 3)]) == 1
    assert most_of_one_rival([table(1, 2), table(1, 2), table(1, 3), table(3, 2)]) == pytest.approx(2 / 3)


def test_what_helpers_gain_is_measured_against_those_before() -> None:
    """By hand: four bots that were present before stand 10 too low, the boosted bot 90 too high: 100 relative to
    them."""
    world = World(np.zeros(6), ("rest",) * 4 + ("boosted", "helper"), np.zeros(6), np.zeros(6), {5: 4})
    ratings = np.array([-10.0, -10, -10, -10, 90, -50])
    found = Ratings(tuple(range(6)), ratings, np.eye(6), (1,) * 6)
    assert errors(found, world) == pytest.approx({"rest": 0, "boosted": 100, "helper": -40})
    assert errors(found, World(np.zeros(6), ("rest",) * 6, np.zeros(6), np.zeros(6))) == {}


def test_the_same_seed_gives_the_same_ladder() -> None:
    def ladder(seed: int) -> list[RatedGame]:
        world = WORLDS["even"](12, np.random.default_rng(seed))
        return [one.game for one in play(world, 4, 6, Book(), np.random.default_rng(seed))]

    assert ladder(4) == ladder(4) != ladder(5)


@pytest.mark.parametrize("name", RIVALS)
def test_every_rating_finds_an_obvious_order(name: str) -> None:
    found = RIVALS[name]([RatedGame((1, 2, 3), (1, 2, 3), (1, 2, 3)), RatedGame((3, 2, 1), (3, 2, 1), (1, 2, 3))] * 30)
    assert found.bots == (1, 2, 3) and list(np.argsort(-found.ratings)) == [0, 1, 2]
    assert found.ratings.mean() == pytest.approx(1500) and found.games == (60, 60, 60)


def test_tau_is_kendalls() -> None:
    chance = np.random.default_rng(6)
    ratings, truth = chance.normal(size=20), chance.normal(size=25)
    bots = tuple(range(2, 22))
    found = Ratings(bots, ratings, np.eye(20), (1,) * 20)
    assert kendall_tau(found, truth) == pytest.approx(kendalltau(ratings, truth[2:22]).statistic)


def test_games_to_a_goal_by_hand() -> None:
    """From .8 at 10 games to 1.0 at 40, the middle is at 20."""
    assert games_to({10: 0.8, 40: 1.0}, 0.9) == pytest.approx(20)
    assert games_to({10: 0.8, 40: 0.85}, 0.9) is None
    assert games_to({5: 0.95, 10: 0.8}, 0.9) == 5


def blocks(kind: str) -> list[tuple[str, list[str]]]:
    """Return every command of the document that compares ratings, or matchmaking, with the lines that it prints."""
    found = re.findall(rf"^```text\n\$ arena simulate ({kind} .+)\n((?:.+\n)+)```$", DOCUMENT.read_text(), re.MULTILINE)
    return [(command, lines.splitlines()) for command, lines in found]


def near(one: str, other: str) -> bool:
    """Return whether words are equal and numbers nearly so: libraries differ in their last digits."""
    try:
        return abs(float(one) - float(other)) <= 0.02 * max(1, abs(float(one)))
    except ValueError:
        return one == other


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ratings", "matchmaking"])
def test_the_documented_table_is_what_the_command_prints(kind: str) -> None:
    """Check the small table; the wide ones take minutes (`make soak`)."""
    ((command, lines),) = [block for block in blocks(kind) if "--minutes" not in block[0]]
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0, result.output
    printed = result.output.splitlines()
    assert len(printed) == len(lines)
    for one, other in zip(printed, lines, strict=True):
        words, due = one.split(), other.split()
        assert len(words) == len(due) and all(map(near, words, due)), f"{one}\n{other}"


def test_json_and_a_world_that_there_is_not() -> None:
    arguments = ["ratings", "--world", "drift", "--players", "2", "--bots", "12", "--games", "5", "--json"]
    document = json.loads(CliRunner().invoke(app, arguments).output)
    assert (document["ladders"], document["of"]) == (1, 1)
    assert [row["rating"] for row in document["rows"]] == list(RIVALS)
    assert document["rows"][0]["tau"].keys() == {"5"}
    document = json.loads(CliRunner().invoke(app, ["matchmaking", *arguments[1:]]).output)
    assert (document["ladders"], document["of"]) == (5, 5)
    assert {row["matchmaker"] for row in document["rows"]} == {*MATCHMAKERS, BEFORE}
    result = CliRunner().invoke(app, ["ratings", "--world", "flat"])
    assert "there is no world 'flat'; there are: even, clusters" in str(result.exception)


@pytest.mark.soak
def test_the_wide_table_keeps_what_it_promises() -> None:
    """Check the goals where the model applies: no drift, no helpers. It takes some ten minutes."""
    arguments = [*("ratings", "--world", "even", "--world", "clusters", "--world", "far", "--world", "arrivals")]
    arguments += ["--bots", "40", "--games", "80", "--repeats", "2", "--minutes", "60", "--seed", "1000", "--json"]
    document = json.loads(CliRunner().invoke(app, arguments).output)
    assert document["ladders"] == document["of"]
    ours = [row for row in document["rows"] if row["rating"] == "batch"]
    assert np.mean([row["coverage"] for row in ours]) == pytest.approx(0.95, abs=0.015)
    # One bot far ahead determines the slope of its world; the slope of one ladder varies by .05.
    assert np.mean([row["slope"] for row in ours if row["world"] != "far"]) == pytest.approx(1, abs=0.05)


@pytest.mark.soak
def test_matchmaking_keeps_what_it_promises() -> None:
    """Tau .9 with at most 60 % of the games that the former ladder needed, no islands; helpers gain little."""
    common = ["--bots", "40", "--minutes", "60", "--seed", "1000", "--json"]
    even = ["matchmaking", "--world", "even", "--games", "160", "--repeats", "4", *common]
    rows = {row["matchmaker"]: row for row in json.loads(CliRunner().invoke(app, even).output)["rows"]}
    assert rows["arena"]["games_to_goal"] <= 0.6 * rows[BEFORE]["games_to_goal"]
    assert 1 <= rows["arena"]["steps"] <= 3 and rows["arena"]["rival"] < 0.35
    helpers = ["matchmaking", "--world", "helpers", "--games", "80", "--repeats", "4", *common]
    rows = {row["matchmaker"]: row for row in json.loads(CliRunner().invoke(app, helpers).output)["rows"]}
    assert rows["arena"]["boosted"] < 100 and abs(rows["arena"]["strong"]) < 50
    assert rows["arena"]["boosted"] < rows["former"]["boosted"]
