"""`bot.toml`: each wrong thing gets one line that says what to do."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from arena.hosting.archives import CHUNK_BYTES
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.manifest import (
    BotManifest,
    ManifestError,
    default_manifest,
    manifest_json,
    manifest_of_json,
    read_manifest,
)
from arena.sandbox.limits import MIB

GOOD = 'language = "go"\ncommand = ["./mybot"]\n'
FULL = f"""{GOOD}
prepare = ["go", "mod", "vendor"]
build = ["go", "build"]
player_counts = [4, 2]
expansions = ["whims"]
memory_mb = 512
"""


def test_a_manifest_is_read() -> None:
    manifest = read_manifest(FULL, DEFAULT_LIMITS)
    assert manifest == BotManifest(
        language="go",
        command=("./mybot",),
        prepare=("go", "mod", "vendor"),
        build=("go", "build"),
        player_counts=(2, 4),
        expansions=("whims",),
        memory_bytes=512 * MIB,
    )
    assert manifest_of_json(manifest_json(manifest)) == manifest


def test_only_language_and_command_are_needed() -> None:
    manifest = read_manifest(GOOD, DEFAULT_LIMITS)
    assert manifest.memory_bytes == DEFAULT_LIMITS.memory_bytes
    assert (manifest.build, manifest.player_counts, manifest.expansions) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("language = [", "not valid TOML"),
        ("a = " + "[" * 5000, "not valid TOML"),
        ("memory_mb = " + "1" * 5000, "not valid TOML"),
        ('command = ["a"]', 'the language is missing: write language = "python"'),
        ('language = "basic"\ncommand = ["a"]', "'basic' is unknown: write language ="),
        ('language = ["go"]\ncommand = ["a"]', "is unknown: write language ="),
        ('language = "go"', 'the command is missing, which starts the bot: write command = ["python3", "mybot.py"]'),
        ('language = "go"\ncommand = "./mybot"', "command must be a list of words in quotation marks: write command ="),
        ('language = "go"\ncommand = []', "command must be a list of words"),
        ('language = "go"\ncommand = [1]', "command must be a list of words"),
        ('language = "go"\ncommand = [""]', "command has an empty program"),
        ('language = "go"\ncommand = ["a\\u0000b"]', "command has an empty program, or a word with a zero byte"),
        (f'language = "go"\ncommand = ["{"a" * 5000}"]', "put it into a script"),
        (f"{GOOD}build = true", "build must be a list of words"),
        (f"{GOOD}comand = 1", "there is no key 'comand': did you mean 'command'?"),
        (f"{GOOD}[network]\nport = 1", "there is no key 'network': remove it; the keys are language, command"),
        (f"{GOOD}player_counts = [1]", "player_counts must be a list of numbers from 2 to 5"),
        (f"{GOOD}player_counts = [6]", "player_counts must be a list of numbers from 2 to 5"),
        (f"{GOOD}player_counts = [true]", "player_counts must be a list of numbers from 2 to 5"),
        (f"{GOOD}player_counts = 2", "player_counts must be a list of numbers from 2 to 5"),
        (f"{GOOD}player_counts = [5]", "games of five need an expansion"),
        (f'{GOOD}expansions = ["thieves"]', 'write expansions = ["artisans", "whims"], or leave it out'),
        (f"{GOOD}expansions = [[1]]", "expansions must be a list of expansions"),
        (f"{GOOD}memory_mb = 2000", "this arena allows 1,024: write memory_mb = 1024 or less"),
        (f"{GOOD}memory_mb = 0", "from 16: write memory_mb = 256"),
        (f"{GOOD}memory_mb = 1.5", "memory_mb must be a whole number"),
        (f"{GOOD}memory_mb = true", "memory_mb must be a whole number"),
    ],
)
def test_one_line_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ManifestError) as caught:
        read_manifest(text, DEFAULT_LIMITS)
    [problem] = caught.value.problems
    assert words in problem
    assert problem.startswith("bot.toml")
    assert "\n" not in problem


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ManifestError) as caught:
        read_manifest('language = "x"\ncommand = 1\nmemory_mb = "a"\nfoo = 1', DEFAULT_LIMITS)
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("a.py", b"from arena.bots import Bot\n", ("python3", "-m", "arena.bots", "a.py")),
        ("a.py", b'if __name__ == "__main__":\n    print(1)\n', ("python3", "a.py")),
        ("a", b"\x7fELF\2\1\1", ("./a",)),
    ],
)
def test_a_single_program_has_a_default(tmp_path: Path, name: str, content: bytes, command: tuple[str, ...]) -> None:
    (tmp_path / "file").write_bytes(content)
    manifest = default_manifest(name, tmp_path / "file", DEFAULT_LIMITS)
    assert manifest is not None
    assert manifest.command == command


@pytest.mark.parametrize("place", [CHUNK_BYTES - 8, CHUNK_BYTES - 3, CHUNK_BYTES, 20 * MIB])
def test_a_large_program_is_searched_in_little_memory(tmp_path: Path, place: int) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.seek(place)
        file.write(b"__main__")
    tracemalloc.start()
    try:
        manifest = default_manifest("a.py", tmp_path / "file", DEFAULT_LIMITS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert manifest is not None and manifest.command == ("python3", "a.py")
    assert most < MIB


def test_other_files_have_no_default(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"hello")
    assert default_manifest("a.txt", tmp_path / "file", DEFAULT_LIMITS) is None
