"""Competitors as named on the command line: a house player, a Python file, a command, or an address to wait at."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from arena.cli.files import InputError
from arena.players import PLAYERS

ADDRESS = re.compile(r"[\w.-]+:\d{1,5}|\[[\da-fA-F:]+\]:\d{1,5}")


class Form(Enum):
    """The kind of a competitor."""

    HOUSE = auto()
    PYTHON = auto()
    COMMAND = auto()
    SANDBOX = auto()
    """A folder, archive or file that would be handed in."""
    WAITING = auto()
    """The user starts it, and it connects to an address here."""


class NamedCompetitor(NamedTuple):
    """A competitor, as it was named."""

    words: str
    form: Form
    name: str
    """Name for tables and replays."""

    def is_called(self, text: str) -> bool:
        """Return whether this text names the competitor."""
        return text in (self.words, self.name)


def read_entrants(words: Sequence[str], *, is_sandboxed: bool = False) -> list[NamedCompetitor]:
    """Return one entrant for each seat. `is_sandboxed`: folders and files run in the sandbox of hosted bots.

    Raises `InputError` for a name that is no competitor.
    """
    entrants = [_entrant(word, is_sandboxed=is_sandboxed) for word in words]
    if is_sandboxed and not any(entrant.form is Form.SANDBOX for entrant in entrants):
        raise InputError("--sandbox runs a folder with bot.toml, an archive of it or a single file: name one")
    return entrants


def _entrant(words: str, *, is_sandboxed: bool) -> NamedCompetitor:
    if words in PLAYERS:
        return NamedCompetitor(words, Form.HOUSE, words)
    if is_sandboxed and Path(words).exists():
        return NamedCompetitor(words, Form.SANDBOX, Path(words).resolve().stem)
    if words and Path(words).is_dir():
        raise InputError(f"{words} is a folder: add --sandbox to run it as an arena would, or name its program")
    file = words.partition(".py:")[0] + ".py" if ".py:" in words else words
    if file.endswith(".py") and (Path(file).exists() or " " not in file):
        if not Path(file).is_file():
            raise InputError(f"there is no file {file}")
        return NamedCompetitor(words, Form.PYTHON, Path(file).stem + words.removeprefix(file))
    if ADDRESS.fullmatch(words):
        if not 1 <= int(words.rpartition(":")[2]) <= 65535:
            raise InputError(f"{words} has no port that a bot could dial: choose one from 1 to 65535")
        return NamedCompetitor(words, Form.WAITING, words)
    if shutil.which(command_of(words)[0]) is None:
        raise InputError(
            f"{words!r} is not a competitor: name a house player ({', '.join(PLAYERS)}), a Python file, a command such"
            ' as "node bot.js", or host:port to wait there for a bot'
        )
    return NamedCompetitor(words, Form.COMMAND, words)


def command_of(words: str) -> list[str]:
    """Split a command into program and arguments, as a shell would; no shell runs it."""
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise InputError(f"{words!r} is not a command: {error}") from None
    if not parts:
        raise InputError("a competitor is empty: name a house player, a Python file or a command")
    return parts
