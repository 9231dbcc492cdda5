"""`arena play --sandbox`: a bot at home in the sandbox of hosted bots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.command import arena, complaint, printed

BOT = """
from arena.bots import Bot


class Mine(Bot):
    def choose(self, view, legal):
        {choose}
"""


def bot_file(folder: Path, choose: str, before: str = "") -> Path:
    """Return a file with a bot that chooses so."""
    file = folder / "mine.py"
    file.write_text(before + BOT.format(choose=choose))
    return file


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_file_of_ten_lines_plays_in_the_sandbox(tmp_path: Path) -> None:
    file = bot_file(tmp_path, "assert not __import__('os').path.exists('/home')\n        return legal[-1]")
    shown = json.loads(printed(arena("play", file, "random", "--sandbox", "--json")))
    assert [row["player"] for row in shown["players"]] == ["mine", "random"]
    assert all(row["faults"] == {} and row["forfeits"] == 0 for row in shown["players"])


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_folder_is_built_and_played(tmp_path: Path) -> None:
    folder = tmp_path / "mybot"
    folder.mkdir()
    bot_file(folder, "return legal[0]").rename(folder / "mine.in")
    (folder / "bot.toml").write_text(
        'language = "python"\ncommand = ["python3", "-m", "arena.bots", "mine.py"]\n'
        'build = ["sh", "-c", "echo building; cp mine.in mine.py"]\n'
    )
    done = arena("play", folder, "random", "--sandbox", "--json")
    assert json.loads(done.out)["games"] == 1
    assert done.err == "building\n"


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("print('boom')\nraise SystemExit(3)\n", "its program ended with exit code 3; it printed last: boom"),
        ("x = bytearray(300_000_000)\n", "killed: used more than 256 MB (the limit of this arena)"),
        ("import os\nos.abort()\n", "its program crashed with signal SIGABRT"),
    ],
)
def test_one_line_says_why_it_does_not_start(tmp_path: Path, before: str, words: str) -> None:
    file = bot_file(tmp_path, "return legal[0]", before)
    assert words in complaint(arena("play", file, "random", "--sandbox"))


def test_a_wrong_manifest_is_explained_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('language = "python"\ncommand = ["python3", "a.py"]\nmemory = 1\n')
    words = complaint(arena("play", tmp_path, "random", "--sandbox"))
    assert "bot.toml: there is no key 'memory': did you mean 'memory_mb'?" in words


def test_a_folder_needs_the_option(tmp_path: Path) -> None:
    assert "is a folder: add --sandbox" in complaint(arena("play", tmp_path, "random"))
    assert "--sandbox runs a folder with bot.toml" in complaint(arena("play", "greedy", "random", "--sandbox"))


def test_without_a_sandbox_nothing_runs(tmp_path: Path) -> None:
    file = bot_file(tmp_path, "return legal[0]", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    done = arena("play", file, "random", "--sandbox", ARENA_BWRAP="/nowhere")
    assert "this machine allows no sandbox, so nothing runs: bubblewrap is missing" in complaint(done)
    assert not (tmp_path / "ran").exists()
