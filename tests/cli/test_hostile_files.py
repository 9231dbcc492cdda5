"""Hostile files of replays: they cost little, do not control the terminal, and are refused by name."""

from __future__ import annotations

import gzip
import json
import os
import select
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from arena.cli import files
from arena.local import play_local_games
from arena.rules import Ruleset
from tests.kit.command import ARENA, arena_here, complaint

MEMORY = 600 << 20
"""Limit of the address space in bytes: many times what a good file needs, a third of what the bad ones would need."""
LIMITED = ["sh", "-c", f'ulimit -v {MEMORY >> 10}; exec "$@"', "sh"]
"""Command prefix that sets this limit. It uses a shell because a fork that runs Python may abort with gRPC's
threads."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    return game.document()


def gzip_of(size: int, byte: bytes = b" ", *, after: bytes = b"") -> bytes:
    """Compress one repeated byte. Looking only for runs packs it just as small, in a third of the time."""
    packer, part = zlib.compressobj(wbits=31, strategy=zlib.Z_RLE), byte * (1 << 20)
    packed = packer.compress(after) + b"".join(packer.compress(part) for _ in range(size >> 20))
    return packed + packer.flush()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip of one long line": ("x.jsonl.gz", lambda: gzip_of(400 << 20)),
    "gzip of empty lines": ("x.jsonl.gz", lambda: gzip_of(100 << 20, b"\n")),
    "gzip of a long text in JSON": ("x.json.gz", lambda: gzip_of(400 << 20, b"x", after=b'{"format":"')),
    "zstd of one long line": ("x.jsonl.zst", lambda: zstandard.compress(b" " * (400 << 20))),
    "zstd with a window of a gigabyte": ("x.jsonl.zst", lambda: window(30)),
}


def window(log: int) -> bytes:
    parameters = zstandard.ZstdCompressionParameters(window_log=min(log, 27), enable_ldm=False)
    chunks = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return chunks.compress(b"x" * (200 << 20)) + chunks.flush()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make"), BOMBS.values(), ids=BOMBS)
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    name: str, make: Callable[[], bytes], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(make())
    assert path.stat().st_size < 1 << 20
    for command in ("verify", "show"):
        done = subprocess.run(
            [*LIMITED, *ARENA, "replay", command, str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1 and str(path) in done.stderr


def test_many_lines_are_read_one_after_the_other_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]
) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(document).encode() + b"\n" * 100_000))
    monkeypatch.setattr(files, "MAX_TEXT", 100_000)
    assert "more than 100000 characters" in complaint(arena_here("replay", "verify", path))
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 100)
    assert "more than 100 bytes" in complaint(arena_here("replay", "verify", path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[" * 100_000, "nested more than", id="far too deep"),
        pytest.param("[" * 17 + "]" * 17, "nested more than 16 deep", id="one too deep"),
        pytest.param('{"format": 1, "format": 2}', "'format' occurs twice", id="a key twice"),
        pytest.param('{"seats": [{"name": "a", "name": "b"}]}', "'name' occurs twice", id="a key twice, deeper"),
        pytest.param('{"seed": NaN}', "NaN is not a JSON number", id="not a number"),
        pytest.param('{"seed": ' + "9" * 5000 + "}", "digits", id="a number of 5000 digits"),
        pytest.param('{"seed": "' + "x" * (2 << 20) + '"}', "characters", id="a long text"),
    ],
)
def test_what_json_allows_and_a_replay_does_not(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    for command in ("verify", "show"):
        said = complaint(arena_here("replay", command, path))
        assert says in said and str(path) in said


def test_a_line_is_named_by_its_number_in_the_file(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f"\n\n{json.dumps(document)}\n\nwrong\n", encoding="utf-8")
    assert f"{path}, line 5 is not JSON" in complaint(arena_here("replay", "verify", path))


EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u200b\x7f\ud800"


def test_nothing_that_a_file_says_reaches_the_terminal_raw(tmp_path: Path, document: dict[str, Any]) -> None:
    path = tmp_path / "x.json"
    changes: list[dict[str, Any]] = [
        {"seats": [{"name": EVIL, "version": EVIL}] * 2},
        {"match": EVIL},
        {"rules": EVIL},
        {"format": EVIL},
        {"seed": EVIL},
        {"result": EVIL},
        {EVIL: 1},
        {"ruleset": {"players": 2, "expansions": [EVIL]}},
        {"events": [[EVIL]]},
        {"events": [[2, EVIL]]},
        {"events": [[2, "bid 1", {EVIL: EVIL}]]},
        {"setup": {EVIL: EVIL}},
        {"verdict": {"kind": EVIL}},
    ]
    for change in changes:
        path.write_text(json.dumps({**document, **change}), encoding="utf-8")
        for words in (("verify",), ("verify", "--json"), ("show",), ("show", "--json")):
            done = arena_here("replay", words[0], path, *words[1:])
            assert all(char.isprintable() for char in (done.out + done.err).replace("\n", "")), (change, words)
            assert done.code or words[0] == "show", change


def test_the_name_of_a_file_is_printed_without_control_characters(tmp_path: Path) -> None:
    said = complaint(arena_here("replay", "verify", tmp_path / "a\x1b[2Jb"))
    assert "\x1b" not in said and "\\u001b[2J" in said


def test_the_limits_leave_room_for_every_honest_file(document: dict[str, Any]) -> None:
    assert len(json.dumps(document)) * 20 < files.MAX_DOCUMENT
    assert sys.getrecursionlimit() > 10 * files.MAX_DEPTH


def test_a_pipe_has_no_end_before_something_is_written(tmp_path: Path) -> None:
    pipe, poll = tmp_path / "pipe", select.poll()
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        poll.register(reader)
        files.check_can_write(pipe)
        assert poll.poll(0) == [], "nobody has had it open"
    finally:
        os.close(reader)
