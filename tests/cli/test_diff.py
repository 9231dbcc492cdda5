"""`arena diff`: two bots at the same positions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.kit.command import arena, arena_here, complaint, printed

FICKLE = """
from itertools import count
from arena.bots import Bot

asked = count()


class Fickle(Bot):
    def choose(self, view, legal):
        return legal[next(asked) % 2] if view.phase == "bid" else legal[-1]
"""


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("diff") / "games.jsonl.zst"
    printed(arena_here("play", "greedy", "greedy-trader", "--seed", "07" * 32, "--out", file))
    return file


@pytest.mark.slow
def test_two_house_players(replays: Path) -> None:
    words = ("diff", "greedy", "greedy-trader", "--over", replays, "-n", 30, "--twice")
    shown = json.loads(printed(arena_here(*words, "--json", "--site", "https://arena.example")))
    assert shown["bots"] == ["greedy", "greedy-trader"] and shown["not_steady"] == [0, 0]
    assert 20 <= shown["positions"] <= 30 and 0 < shown["differ"] < shown["positions"]
    assert sum(row["positions"] for row in shown["phases"].values()) == shown["positions"]
    assert sum(row["differ"] for row in shown["phases"].values()) == shown["differ"] == len(shown["differences"])
    for found in shown["differences"]:
        greedy, trader = found["actions"]
        assert greedy[: len(trader)] != trader[: len(greedy)] and found["wrong"] == ["", ""]
        assert found["page"] == f"https://arena.example/matches/{found['match']}/?d={found['index']}"


@pytest.mark.slow
def test_what_is_printed_and_a_bot_that_does_not_decide_the_same_twice(replays: Path, tmp_path: Path) -> None:
    """A bot with alternating bids differs from itself in each bid, and from the other bot in its last action."""
    bot = tmp_path / "fickle.py"
    bot.write_text(FICKLE)
    phases = ("--phase", "bid", "--phase", "move", "--phase", "tile", "--seat", 2)
    text = printed(arena_here("diff", "greedy", bot, "--over", replays, "-n", 40, "--twice", "--show", 1, *phases))
    assert "greedy answered everything the same" in text and "requests differently when it was asked again" in text
    assert "│ bid " in text and "│ sow" not in text
    assert f"arena debug {replays} --match local-" in text and f"--seat 2 -- {bot}" in text


@pytest.mark.slow
def test_the_printed_command_works_for_a_bot_that_is_compared_with_a_house_player(
    replays: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "fickle.py"
    bot.write_text(FICKLE)
    text = printed(arena_here("diff", bot, "greedy", "--over", replays, "-n", 20, "--show", 1, "--phase", "bid"))
    (command,) = [line for line in text.splitlines() if "arena debug" in line]
    words = shlex.split(command)[2:]
    assert words[-1] == str(bot)
    assert arena("debug", "--times", 1, *words).code == 0, "as a process, which has a terminal or none"
    of_the_house = printed(arena_here("diff", "random", "greedy", "--over", replays, "-n", 20, "--show", 1))
    assert "arena debug" not in of_the_house


def test_refusals(replays: Path, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("[]\n")
    cases: list[tuple[tuple[object, ...], str]] = [
        (("greedy", "nobody", "--over", replays), "'nobody' is not a competitor"),
        (("greedy", "127.0.0.1:5001", "--over", replays), "is an address"),
        (("greedy", "random", "--over", replays, "--phase", "dance"), "there is no phase 'dance'"),
        (("greedy", "random", "--over", replays, "--seat", 5), "there is no such decision in these replays"),
        (("greedy", "random", "--over", nothing), "`events` must be a list"),
    ]
    for words, message in cases:
        assert message in complaint(arena_here("diff", *words)), words
