"""The manifest of a hosted bot, `bot.toml`: its language, and the commands that build and start it.

```toml
language = "go"
command = ["./mybot"]
prepare = ["go", "mod", "vendor"]  # optional; runs on the author's machine, before anything is handed in
build = ["sh", "build.sh"]      # optional; runs in the arena, without network
player_counts = [2, 3, 4]       # optional; otherwise those of its hello
expansions = ["artisans"]       # optional; otherwise the base game
memory_mb = 256                 # optional
```
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from arena.hosting.archives import CHUNK_BYTES
from arena.hosting.limits import HostingLimits
from arena.rules.components import EXPANSIONS
from arena.sandbox.limits import MIB

MANIFEST_NAME: Final = "bot.toml"
LANGUAGES: Final = ("python", "typescript", "go", "rust", "java", "cpp", "ruby", "other")
KEYS: Final = ("language", "command", "prepare", "build", "player_counts", "expansions", "memory_mb")
PLAYER_COUNTS: Final = range(2, 6)
LEAST_MEMORY_MB: Final = 16
COMMAND_WORDS: Final = 64
COMMAND_BYTES: Final = 4096
BYTE_ORDER_MARK: Final = "\ufeff"
"""First character of a text that some editors save."""
ELF: Final = b"\x7fELF"
"""First bytes of a compiled program."""


class ManifestError(Exception):
    """The manifest is wrong. `problems` has one line for each fault, with what to do."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotManifest:
    """The facts that an author states about a hosted bot."""

    language: str
    """One of `LANGUAGES`."""
    command: tuple[str, ...]
    """The program that plays, and its arguments. A path is relative to the bundle."""
    prepare: tuple[str, ...] = ()
    """The program that fetches what a build without network needs, or builds the bot, on its author's machine."""
    build: tuple[str, ...] = ()
    """The program that builds the bot, and its arguments; empty if there is nothing to build."""
    player_counts: tuple[int, ...] = ()
    """Numbers of players that it plays, in order; empty for all that it names in its hello."""
    expansions: tuple[str, ...] = ()
    """Expansions that it can play, in order."""
    memory_bytes: int
    """Memory that all its processes may use together."""


class _Reader:
    """Reads one document, and collects its faults."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.problems: list[str] = []

    def problem(self, text: str) -> None:
        self.problems.append(f"{MANIFEST_NAME}: {text}")

    def unknown_keys(self) -> None:
        for key in self.document:
            if key not in KEYS:
                near = get_close_matches(key, KEYS, 1)
                advice = f"did you mean {near[0]!r}?" if near else f"remove it; the keys are {', '.join(KEYS)}"
                self.problem(f"there is no key {key[:80]!r}: {advice}")

    def language(self) -> str:
        language = self.document.get("language")
        if language in LANGUAGES:
            return str(language)
        choose = f'write language = "python", or one of {", ".join(LANGUAGES[1:])}'
        wrong = "the language is missing" if language is None else f"the language {language!r:.80} is unknown"
        self.problem(f"{wrong}: {choose}")
        return ""

    def words(self, key: str, example: str) -> tuple[str, ...]:
        """Return a command; empty if it is missing or wrong."""
        words = self.document.get(key)
        if words is None:
            return ()
        advice = f"write {key} = {example}"
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            self.problem(f"{key} must be a list of words in quotation marks: {advice}")
        elif not words[0] or any("\0" in word for word in words):
            self.problem(f"{key} has an empty program, or a word with a zero byte: {advice}")
        elif len(words) > COMMAND_WORDS or sum(len(word.encode()) for word in words) > COMMAND_BYTES:
            self.problem(f"{key} is longer than {COMMAND_WORDS} words or {COMMAND_BYTES} bytes: put it into a script")
        else:
            return tuple(words)
        return ()

    def player_counts(self) -> tuple[int, ...]:
        counts = self.document.get("player_counts", [])
        is_list = isinstance(counts, list)
        if not is_list or any(type(count) is not int or count not in PLAYER_COUNTS for count in counts):
            self.problem("player_counts must be a list of numbers from 2 to 5: write player_counts = [2, 3, 4]")
            return ()
        return tuple(sorted(set(counts)))

    def expansions(self) -> tuple[str, ...]:
        names = self.document.get("expansions", [])
        if not isinstance(names, list) or any(name not in EXPANSIONS for name in names):
            known = ", ".join(f'"{name}"' for name in EXPANSIONS)
            self.problem(f"expansions must be a list of expansions: write expansions = [{known}], or leave it out")
            return ()
        return tuple(sorted(set(names)))

    def memory(self, limits: HostingLimits) -> int:
        most = limits.most_memory_bytes // MIB
        size = self.document.get("memory_mb", limits.memory_bytes // MIB)
        if type(size) is not int or size < LEAST_MEMORY_MB:
            self.problem(f"memory_mb must be a whole number of megabytes from {LEAST_MEMORY_MB}: write memory_mb = 256")
        elif size > most:
            self.problem(f"memory_mb is {size:,}, and this arena allows {most:,}: write memory_mb = {most} or less")
        else:
            return size * MIB
        return 0


def read_manifest(text: str, limits: HostingLimits) -> BotManifest:
    """Return the manifest that a `bot.toml` contains.

    Raises `ManifestError`, which lists all its faults.
    """
    try:
        document = tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError) as error:  # ValueError also for a number with thousands of digits
        raise ManifestError([f"{MANIFEST_NAME} is not valid TOML: {error or 'it is nested too deeply'}"]) from None
    reader = _Reader(document)
    reader.unknown_keys()
    language = reader.language()
    if "command" not in document:
        reader.problem('the command is missing, which starts the bot: write command = ["python3", "mybot.py"]')
    command = reader.words("command", '["python3", "mybot.py"]')
    prepare = reader.words("prepare", '["go", "mod", "vendor"]')
    build = reader.words("build", '["sh", "build.sh"]')
    counts, expansions = reader.player_counts(), reader.expansions()
    if counts == (5,) and not expansions and not reader.problems:
        reader.problem("games of five need an expansion: add expansions, or other numbers to player_counts")
    memory = reader.memory(limits)
    if reader.problems:
        raise ManifestError(reader.problems)
    return BotManifest(
        language=language,
        command=command,
        prepare=prepare,
        build=build,
        player_counts=counts,
        expansions=expansions,
        memory_bytes=memory,
    )


def read_manifest_file(file: Path, limits: HostingLimits) -> BotManifest:
    """Return the manifest in this file. Raises as `read_manifest` does."""
    if file.stat().st_size > limits.manifest_bytes:
        raise ManifestError([f"{MANIFEST_NAME} is longer than {limits.manifest_bytes // 1024} KB: shorten it"])
    try:
        return read_manifest(file.read_text(encoding="utf-8"), limits)
    except UnicodeDecodeError:
        raise ManifestError([f"{MANIFEST_NAME} is not UTF-8: save it as UTF-8"]) from None


def default_manifest(name: str, file: Path, limits: HostingLimits) -> BotManifest | None:
    """Return the manifest of a bot that is one program and has none; `None` if this file is not such a program.

    `name` is the name that the file has in the bundle.

    A compiled program and a Python file that mentions `__main__` are started as they are. Another Python file has a
    class derived from `arena.bots.Bot`, and `python3 -m arena.bots` plays it.
    """
    with file.open("rb") as content:
        is_compiled = content.read(len(ELF)) == ELF
    if is_compiled:
        return BotManifest(language="other", command=(f"./{name}",), memory_bytes=limits.memory_bytes)
    if not name.endswith(".py"):
        return None
    starter = ("python3",) if _mentions(file, b"__main__") else ("python3", "-m", "arena.bots")
    return BotManifest(language="python", command=(*starter, name), memory_bytes=limits.memory_bytes)


def _mentions(path: Path, word: bytes) -> bool:
    """Return whether a file contains this word. The file may be too large for the memory."""
    end = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            if word in end + chunk:
                return True
            end = (end + chunk)[1 - len(word) :]
    return False


def manifest_json(manifest: BotManifest) -> str:
    """Return a manifest as JSON, for a column."""
    return json.dumps(asdict(manifest), separators=(",", ":"))


def manifest_of_json(text: str) -> BotManifest:
    """Return the manifest that `manifest_json` wrote."""
    fields = json.loads(text)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return BotManifest(**values)
