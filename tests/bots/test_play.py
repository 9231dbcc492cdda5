"""`python -m arena.bots.play`: a person at one seat, on a terminal or a pipe."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.play import main
from arena.bots.prompt import VERBS, listing, matching
from arena.rules.notation import VERBS as KNOWN

SEED = "00" * 32
FAULTY = """
from arena.bots import Bot

class Faulty(Bot):
    async def match_started(self):
        self.asked = 0

    async def choose(self, view, legal):
        self.asked += 1
        if self.asked == 1:
            raise RuntimeError("a bug")
        return "fly to the moon" if self.asked == 2 else legal[0]
"""


def play(typed: str, *words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return main([*words, "--seed", SEED])


@pytest.mark.slow
def test_a_whole_game_through_pipes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arena.bots.play", "random", "--seed", SEED],
        input="1\n" * 400,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    assert "\x1b" not in done.stdout and done.stderr == ""
    assert re.search(r"^1\. (you|random): \d+ points\n2\. (you|random): \d+ points$", done.stdout, re.MULTILINE)
    assert "2 random: bid" in done.stdout
    assert "view of seat 2" not in done.stdout


def test_what_is_typed_chooses_filters_helps_and_leaves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = play("bid 3\n?\nTake c\n0\n99\nwings\n\n", "greedy", "random", "--seat", "3", monkeypatch=monkeypatch)
    out = capsys.readouterr().out
    assert code == 130
    assert "3 you: bid 3" in out
    assert f"take    {VERBS['take']}" in out
    assert re.search(r"^.*> take +\d+: C1   \d+: C2   \d+: C3   \d+: C4   \d+: C5$", out, re.MULTILINE)
    assert out.count("The numbers go from 1 to ") == 2
    assert "No legal action contains 'wings'." in out
    assert out.count("view of seat 3") == 3, "for the bid, for the move, and once more"
    assert f"You have left the game. To play the same deal again: --seed {SEED}" in out


def test_ctrl_c_leaves(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert main(["greedy"]) == 130
    assert "You have left the game." in capsys.readouterr().out


def test_a_bot_of_a_file_plays_and_its_faults_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    assert play("1\n" * 400, str(file), monkeypatch=monkeypatch) == 0
    told = capsys.readouterr()
    assert re.search(r"seat 2: a bug; played instead: bid \d$", told.out, re.MULTILINE)
    assert re.search(r"seat 2: .*fly to the moon.*; played instead: ", told.out, re.MULTILINE)
    assert told.out.count("played instead") == 2
    assert 'raise RuntimeError("a bug")' in told.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nobody.py"], "there is no file nobody.py"),
        (["greedy", "--seat", "3"], "the number of a seat"),
        (["greedy", "--seed", "00"], "64 hex digits"),
        (["greedy"] * 4, "five"),
        (["{file}", "-x", "whims"], "does not play whims"),
    ],
)
def test_what_cannot_be_played(words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY)
    with pytest.raises(SystemExit) as left:
        main([word.format(file=file) for word in words])
    assert left.value.code == 2
    assert why in capsys.readouterr().err


def test_actions_are_numbered_as_they_stand_and_long_lists_are_cut() -> None:
    legal = ("buy 1", "buy 1 4", "pass", *(f"kill A1 {number}" for number in range(200)))
    assert matching(legal, "1 BUY") == ["buy 1", "buy 1 4"]
    assert listing(legal, ["buy 1 4", "pass"]) == "buy     2: 1 4\npass    3"
    shown = listing(legal, legal)
    assert "120: A1 116" in shown and "121:" not in shown
    assert shown.endswith("… and 83 more: type part of an action to see fewer")


def test_every_verb_is_explained() -> None:
    assert set(VERBS) == set(KNOWN)
