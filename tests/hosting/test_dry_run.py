"""A dry run of a submission: everything that an arena would do with it, at home."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from arena.cli.dry_run import dry_run
from arena.cli.files import InputError
from tests.hosting.test_bundle import AT_ONCE, Files, write_folder
from tests.kit.command import arena, complaint

pytestmark = pytest.mark.usefixtures("sandbox")

BOT = "from arena.bots import Bot\n\n\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"


@pytest.mark.slow
def test_a_good_bot_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "bot.toml").write_text(
        'language = "python"\ncommand = ["python3", "-m", "arena.bots", "built.py"]\n'
        'prepare = ["sh", "-c", "echo fetching; cp mine.py fetched.py"]\n'
        'build = ["cp", "fetched.py", "built.py"]\n'
    )
    (tmp_path / ".git").mkdir()
    dry_run(tmp_path)
    shown = capsys.readouterr()
    assert "fetching\n" in shown.err
    assert re.search(r"^3 files, 0\.\d KB, packed 0\.\d KB, SHA-256 ", shown.out, re.MULTILINE)
    assert "left out, as no part of the bot: .git" in shown.out
    assert "built: 4 files" in shown.out
    assert "4 checks: 4 passed" in shown.out
    assert "The arena would take it" in shown.err


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("x = bytearray(300_000_000)\n", "killed: used more than 256 MB (the limit of this arena)"),
        (
            "import numpy_of_nobody\n",
            "its program ended with exit code 1 (the runtime does not have the Python module numpy_of_nobody: name its"
            " package in requirements.txt)",
        ),
    ],
    ids=["too much memory", "a missing module"],
)
def test_a_bot_that_does_not_start_fails_with_the_reason(
    before: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(f"{before}{BOT}")
    with pytest.raises(typer.Exit):
        dry_run(tmp_path / "mine.py")
    shown = capsys.readouterr().out
    assert "its process has ended" in shown
    assert f"| {reason}" in shown
    assert "1 failed, 3 skipped" in shown


IN_SANDBOX: dict[str, tuple[str, str]] = {
    "prepare fails": (
        'prepare = ["sh", "-c", "exit 3"]',
        "preparing the bot has failed with exit code 3: correct `prepare`",
    ),
    "prepare is missing": (
        'prepare = ["no-such-program"]',
        "cannot run 'no-such-program', which prepares the bot: No such file",
    ),
    "build fails": ('build = ["sh", "-c", "exit 3"]', "the build failed: exit code 3"),
    "build is missing": ('build = ["cobolc"]', "the build cannot start: the runtime has no program 'cobolc'"),
}
"""Faults that are found while a bot is prepared and built: lines of its manifest, and the words about them."""


@pytest.mark.parametrize("name", [*IN_SANDBOX, *AT_ONCE])
def test_one_line_says_why_an_arena_would_refuse_it(tmp_path: Path, name: str) -> None:
    lines, words = IN_SANDBOX.get(name, ("", ""))
    files: Files = {
        "bot.toml": f'language = "python"\ncommand = ["python3", "mine.py"]\n{lines}\n'.encode(),
        "mine.py": BOT.encode(),
    }
    if name in AT_ONCE:
        files, words = AT_ONCE[name]
    write_folder(tmp_path / "mybot", files)
    with pytest.raises(InputError) as refused:
        dry_run(tmp_path / "mybot")
    assert words in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.slow
def test_the_command_needs_neither_bot_nor_token(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    assert "4 checks: 4 passed" in arena("bot", "submit", tmp_path / "mine.py", "--dry-run").out
    assert "--bot" in complaint(arena("bot", "submit", tmp_path / "mine.py"))
    assert "there is no" in complaint(arena("bot", "submit", tmp_path / "nothing", "--dry-run"))


def test_a_program_that_the_runtime_lacks_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "bot.toml").write_text('language = "python"\ncommand = ["python", "mine.py"]\n')
    with pytest.raises(InputError, match="the runtime has no program 'python': write python3"):
        dry_run(tmp_path)
