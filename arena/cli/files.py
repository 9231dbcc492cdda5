"""What commands read and write: hex seeds, JSON documents, replay files (JSON Lines, compressed by name)."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import zstandard

if TYPE_CHECKING:
    from arena.rules import Ruleset

STDIN = Path("-")


class InputError(Exception):
    """Input that cannot be used; the message is one line that says what to do."""


def read_hex(text: str, what: str = "seed", size: int = 32) -> bytes:
    """The bytes of a hex string of exactly that size."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != size or len(text) != 2 * size:
        raise InputError(f"a {what} is {2 * size} hex digits, not {text[:80]!r}")
    return value


def read_ruleset(players: int, expansions: list[str] | None) -> Ruleset:
    """The ruleset that options name, in whatever order."""
    from arena.rules import Ruleset
    from arena.rules.components import EXPANSIONS
    from arena.rules.setup import check_ruleset

    for name in expansions or ():
        if name not in EXPANSIONS:
            raise InputError(f"there is no expansion {name!r}; there are {' and '.join(EXPANSIONS)}")
    ruleset = Ruleset(players, tuple(sorted(set(expansions or ()))))
    check_ruleset(ruleset)
    return ruleset


def read_document(path: Path) -> Any:
    """The JSON document in a file, or on the standard input for `-`."""
    try:
        text = sys.stdin.read() if path == STDIN else path.read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read a JSON document from {_name(path)}: {_why(error)}") from None


def read_replays(path: Path) -> Iterator[Any]:
    """The replays of a file: one JSON object, or one a line; compressed if its name says so."""
    try:
        with open_lines(path, "r") as lines:
            text = lines.read()
        try:
            yield json.loads(text)
        except ValueError:
            for number, line in enumerate(text.splitlines(), 1):
                if line.strip():
                    yield _load_line(path, number, line)
    except (OSError, EOFError, UnicodeDecodeError, zlib.error, zstandard.ZstdError, RecursionError) as error:
        raise InputError(f"cannot read {_name(path)}: {_why(error)}") from None


def _load_line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise InputError(f"{_name(path)}, line {number} is not JSON: {error}") from None


def open_lines(path: Path, mode: str) -> IO[str]:
    """A text file, compressed if its name ends in `.gz` or `.zst`; the standard input for `-`."""
    if path == STDIN and mode == "r":
        return sys.stdin
    if path.suffix == ".zst":
        return _open_zstd(path, mode)
    if path.suffix == ".gz":
        return gzip.open(path, mode + "t", encoding="utf-8")  # type: ignore[return-value]
    return path.open(mode, encoding="utf-8")


def _open_zstd(path: Path, mode: str) -> IO[str]:
    file = path.open(mode + "b")
    if mode == "w":
        return io.TextIOWrapper(zstandard.ZstdCompressor().stream_writer(file), encoding="utf-8")
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return io.TextIOWrapper(reader, encoding="utf-8")


def print_json(document: Any) -> None:
    """One line of JSON on the standard output."""
    print(json.dumps(document, ensure_ascii=False))


def _why(error: Exception) -> str:
    """Without the path, which is named already."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _name(path: Path) -> str:
    return "the standard input" if path == STDIN else str(path)
