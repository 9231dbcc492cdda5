"""Reading and writing of files: hex seeds, JSON documents, replay files (JSON Lines, compressed by name).

A file may come from anybody. It is read as a stream, with limits on its size before and after unpacking, on its depth,
and on each document. Its texts are printed without control characters.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import zstandard

if TYPE_CHECKING:
    from arena.rules import Ruleset

STDIN = Path("-")
MAX_FILE_BYTES: Final = 256 << 20
"""Maximum size of a file as stored."""
MAX_TEXT: Final = 1 << 30
"""Maximum number of characters of an unpacked file of replays, which is never held as a whole."""
MAX_LINES: Final = 1_000_000
"""Maximum number of lines: a small file can unpack to many empty lines, each of which costs time."""
DATA_FORMAT: Final = "naqala/match/1"
"""Format of a line of open data: a replay with the arena's data about its match."""
MAX_DOCUMENT: Final = 2 << 20
"""Maximum number of characters of one document; a record has some ten thousand."""
MAX_EVENT: Final = 8 << 20
"""Maximum number of characters of an event's document; 20,000 results have 4 million."""
MAX_DEPTH: Final = 16
MAX_WINDOW: Final = 8 << 20
"""Number of bytes that a zstd decompressor may look back, as recommended by its format."""


class InputError(Exception):
    """Raised for unusable input; the message is one line that says what to do."""


def read_hex(text: str, what: str = "seed", size: int = 32) -> bytes:
    """Return the bytes of a hex string of exactly `size` bytes. `what` names it in the error."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != size or len(text) != 2 * size:
        raise InputError(f"a {what} is {2 * size} hex digits, not {text[:80]!r}")
    return value


def read_ruleset(players: int, expansions: list[str] | None) -> Ruleset:
    """Return the ruleset of the options; the order of expansions does not matter."""
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
    """Return the JSON document in a file, or from the standard input for `-`."""
    try:
        if path == STDIN:
            return parse_document(sys.stdin.read(MAX_DOCUMENT + 1))
        with path.open(encoding="utf-8") as file:
            return parse_document(file.read(MAX_DOCUMENT + 1))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read a JSON document from {_name(path)}: {_why(error)}") from None


def parse_document(text: str, most: int = MAX_DOCUMENT) -> Any:
    """Return the JSON document in a text.

    Raises `ValueError` if the text is not JSON, too long, nested too deeply, or has a duplicate key.
    """
    if len(text) > most:
        raise ValueError(f"it has more than {most} characters")
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [document]
    for _ in range(MAX_DEPTH):
        level = [child for value in level for child in _children(value)]
        if not level:
            return document
    raise ValueError(_TOO_DEEP)


_TOO_DEEP = f"it is nested more than {MAX_DEPTH} deep"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"the key {key!r:.60} occurs twice in an object")
        members[key] = value
    return members


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _children(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def read_replays(path: Path, first: int = MAX_DOCUMENT) -> Iterator[Any]:
    """Yield the replays of a file: one JSON object, or one object a line; compressed if its name says so.

    From a file of open data only the replays are returned. `first` is the maximum length of the first document.
    """
    try:
        if path != STDIN and path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{_name(path)} has more than {MAX_FILE_BYTES} bytes: split it")
        with open_lines(path, "r") as file:
            for document in _replays(path, file, first):
                is_data = isinstance(document, dict) and document.get("format") == DATA_FORMAT
                yield document.get("replay") if is_data else document
    except (OSError, EOFError, ValueError, zlib.error, zstandard.ZstdError) as error:
        raise InputError(f"cannot read {_name(path)}: {_why(error)}") from None


def _replays(path: Path, file: IO[str], most: int) -> Iterator[Any]:
    numbered = enumerate(_limited_lines(file, most), 1)
    first = next((line for _, line in numbered if line.strip()), "")
    try:
        document = parse_document(first, most)
    except ValueError:
        # The line is not a replay: the file is one document over many lines, or not JSON.
        text = first + "".join(_up_to(most, (line for _, line in numbered)))
        try:
            document = parse_document(text, most)
        except ValueError as error:
            if text.strip():
                raise InputError(f"{_name(path)} is neither one JSON document nor one a line: {error}") from None
            return
        yield document
        return
    yield document
    for number, line in numbered:
        if line.strip():
            try:
                yield parse_document(line)
            except ValueError as error:
                raise InputError(f"{_name(path)}, line {number} is not JSON: {error}") from None


def _limited_lines(file: IO[str], most: int) -> Iterator[str]:
    """Yield the lines of a file. A line that is longer than a document may be is never held."""
    total = number = 0
    while line := file.readline(most + 1):
        total += len(line)
        number += 1
        if number > MAX_LINES:
            raise ValueError(f"it has more than {MAX_LINES} lines: split it")
        if len(line) > most:
            raise ValueError(f"a line has more than {most} characters")
        if total > MAX_TEXT:
            raise ValueError(f"unpacked it has more than {MAX_TEXT} characters: split it")
        yield line


def _up_to(limit: int, lines: Iterable[str]) -> Iterator[str]:
    total = 0
    for line in lines:
        total += len(line)
        yield line
        if total > limit:
            return


def open_lines(path: Path, mode: str) -> IO[str]:
    """Open a text file, compressed if its name ends in `.gz` or `.zst`; the standard input for `-`."""
    if path == STDIN and mode == "r":
        return sys.stdin
    if path.suffix == ".zst":
        return _open_zstd(path, mode)
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.GzipFile(path, mode + "b"), encoding="utf-8")
    return path.open(mode, encoding="utf-8")


def create_lines(path: Path) -> IO[str]:
    """Open a new file in the same way."""
    try:
        return open_lines(path, "w")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def check_can_write(path: Path) -> None:
    """Raise `InputError` if a file cannot be written. An existing file stays as it is, and no new one remains."""
    is_new = not os.path.lexists(path)
    try:
        if path.is_fifo():
            return  # its reader would see the end before anything is written
        path.open("ab").close()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    if is_new:
        path.unlink()


def _open_zstd(path: Path, mode: str) -> IO[str]:
    file = path.open(mode + "b")
    if mode == "w":
        return io.TextIOWrapper(zstandard.ZstdCompressor().stream_writer(file), encoding="utf-8")
    return unpack_zstd(file)


def unpack_zstd(file: IO[bytes]) -> IO[str]:
    """Return the text of a stream that is compressed as in `.zst` files."""
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    return io.TextIOWrapper(decompressor.stream_reader(file, read_across_frames=True), encoding="utf-8")


def printable(text: str) -> str:
    """Escape control, format and bidirectional characters as in JSON, so that a terminal obeys none of them."""
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def print_json(document: Any) -> None:
    """Print one line of JSON on the standard output."""
    print(printable(json.dumps(document, ensure_ascii=False)))


def _why(error: Exception) -> str:
    """Return the reason without the path, which is already named."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _name(path: Path) -> str:
    return "the standard input" if path == STDIN else str(path)
