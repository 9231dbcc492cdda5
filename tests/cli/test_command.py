"""The command itself: its list of commands loads none of them."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import SIMULATIONS, Commands, app
from arena.cli.lazy import added_tables, load
from tests.kit.command import arena

TABLES = (Commands.table, SIMULATIONS, *added_tables())
COMMANDS = {name: lazy for table in TABLES for name, lazy in table.commands.items()}
HEAVY = (
    "arena.rules",
    "arena.bots",
    "arena.players",
    "grpc",
    "django",
    "celery",
    "redis",
    "structlog",
    "numpy",
    "scipy",
)


def test_the_list_of_commands_loads_none_of_them() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from arena.cli import app;"
        "result = CliRunner().invoke(app, ['--help']); assert result.exit_code == 0;"
        f"print(result.output, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]"), done.stdout
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_is_where_the_list_says_and_does_what_it_says(name: str) -> None:
    lazy = COMMANDS[name]
    command = load(name, lazy)
    assert command.name == name
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"arena {name}" in result.output.replace("root", "arena")


@pytest.mark.parametrize("words", ["bot compare", "bot release", "data pull", "replay verify"])
def test_help_is_broken_where_the_terminal_ends(words: str) -> None:
    text = CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "80"}, terminal_width=80).output
    prose = [line.strip() for line in text.partition("─")[0].splitlines()]
    for line, after in itertools.pairwise(prose):
        first = after.partition(" ")[0]
        assert not line or not first or len(line) + 1 + len(first) > 78, f"{line!r} could be longer"


def test_a_command_that_is_not_there() -> None:
    result = CliRunner().invoke(app, ["plya"])
    assert result.exit_code == 2
    assert "plya" in result.output


@pytest.mark.parametrize("missing", ["django", "dj_database_url"])
def test_a_command_without_its_extra_says_what_to_install(missing: str) -> None:
    """Django alone may be there for something else."""
    code = (
        "import sys; import arena.cli.lazy as lazy;"
        f"find = lazy.find_spec; lazy.find_spec = lambda name: None if name == {missing!r} else find(name);"
        "from arena.cli import main; main()"
    )
    listed = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert " play " in listed.stdout and " up " not in listed.stdout
    called = subprocess.run([sys.executable, "-c", code, "up"], capture_output=True, text=True, check=False)
    assert called.returncode == 2
    how = "in a clone of the arena's repository, run pip install '.[server]'"
    assert called.stderr == f"arena: `arena up` needs the server's parts: {how}\n"


def test_without_an_arena_a_command_says_in_one_line_what_to_do(tmp_path: Path) -> None:
    done = arena("report", "fairness", DATABASE_URL=f"sqlite:///{tmp_path}/none.sqlite3")
    assert done.code == 2 and done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("arena: the database cannot be used: no such table") and "`arena up`" in line
