"""The starter kits, built in build/kits/LANGUAGE from what `arena bot new` writes: python -m tests.kit.kits [LANGUAGE…]

A built kit that has not changed is left alone. One that has changed keeps the parts of its build that can be reused.
CI builds no kit that is unchanged since it last passed in the soak (`tests/kit/tried.py`).
The commands are those of its README. Tests build nothing: they use the built kits, and report missing ones.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from arena.cli.new import LANGUAGES, write_kit
from tests.kit.lacking import give_up
from tests.kit.tried import is_left_out

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build" / "kits"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "naqala-arena" / "kits"
"""Build results that a new clone can reuse, if a language has no such place itself."""


class Kit(NamedTuple):
    """The facts in a kit's README."""

    needs: dict[str, str]
    """Programs, and the Debian package or the command that brings each."""
    build: tuple[str, ...]
    run: str


KITS: Final = {
    "python": Kit({}, ("python -m unittest",), "python mybot.py"),
    "typescript": Kit(
        {"node": "nodejs", "npm": "npm"}, ("npm ci", "npm run build", "npm test"), "node dist/main.js"
    ),
    "go": Kit(
        {"go": "golang", "protoc": "protobuf-compiler"}, ("go generate", "go build", "go test"), "./mybot"
    ),
    "rust": Kit(
        {"cargo": "cargo-web", "protoc": "protobuf-compiler"}, ("cargo build --release", "cargo test --release"),
        "target/release/mybot"
    ),
    "java": Kit(
        {"javac": "default-jdk-headless", "mvn": "maven"}, ("mvn -q package",), "java -jar target/mybot.jar"
    ),
    "cpp": Kit(
        {
            "g++": "g++",
            "cmake": "cmake",
            "grpc_cpp_plugin": "libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc libssl-dev",
        },
        ("cmake -B build", "cmake --build build", "ctest --test-dir build"),
        "build/mybot",
    ),
    "ruby": Kit({"rake": "rake", "grpc_tools_ruby_protoc": "ruby-grpc ruby-grpc-tools"}, ("rake",), "ruby bot.rb"),
}  # fmt: skip


class KitError(Exception):
    """Raised when a kit cannot be built, or was not built."""


def kit_command(language: str) -> list[str]:
    """Return the command that starts the bot from any working directory.

    If the kit is not built, the test is skipped; with ARENA_REQUIRE_ALL=1 it fails, unless CI leaves the kit out.
    """
    if _stamp(language) != _built(language):
        if is_left_out(f"kit-{language}"):
            pytest.skip(f"the kit in {language} is unchanged since the last soak")
        give_up(f"the kit in {language} is not built: {_missing(language) or 'run `make kits`'}")
    program, *words = KITS[language].run.split()
    folder = FOLDER / language
    path = sys.executable if program == "python" else str(folder / program) if "/" in program else program
    return [path, *(str(folder / word) if (folder / word).exists() else word for word in words)]


def bot_environment(server: str, token: str, process: str) -> dict[str, str]:
    """Return the environment that every kit's bot, and `arena bot run`, read."""
    return {**os.environ, "ARENA_SERVER": server, "ARENA_TOKEN": token, "ARENA_PROCESS": process}


def build(language: str) -> str:
    """Build a kit and run its tests. Return the time that it took. Raises `KitError` if something is missing or
    fails."""
    is_needed = language == "go" and not is_left_out("protocol-by-hand")  # grpcurl is built beside it
    if is_left_out(f"kit-{language}") and not is_needed:
        return "is unchanged since the last soak, and left out"
    if missing := _missing(language):
        raise KitError(missing)
    stamp, folder = _stamp(language), FOLDER / language
    if stamp == _built(language):
        return "is built"
    _write(language, folder)
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in KITS[language].build:
        words = [sys.executable if word == "python" else word for word in command.split()]
        done = subprocess.run(
            words, cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise KitError(f"`{command}` in {folder} has failed:\n{done.stdout[-8000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    (folder / ".built").write_text(stamp)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"built in {time.monotonic() - started:.0f} s, {processor:.0f} s of processor time"


def _environment() -> dict[str, str]:
    """Return the environment of builds.

    - Go from PyPI finds its own files.
    - Cargo keeps dependencies for the next clone.
    - C++ and Rust are not optimised, because that takes two thirds of the time.
    - Maven is not optimised either, because it ends before that pays.
    """
    kept = {name: value for name, value in os.environ.items() if name not in ("GOROOT", "ARENA_PROCESS")}
    maven = f"{kept.get('MAVEN_OPTS', '')} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC".strip()
    cargo = {"CARGO_BUILD_BUILD_DIR": str(CACHE / "rust"), "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
    return {**kept, **cargo, "CMAKE_BUILD_TYPE": "None", "MAVEN_OPTS": maven}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _fresh(language: str) -> dict[str, bytes]:
    """Return the files that `arena bot new` writes now."""
    with tempfile.TemporaryDirectory() as folder:
        write_kit(Path(folder) / "mybot", language)
        return dict(_files(Path(folder) / "mybot"))


def _stamp(language: str) -> str:
    digest = hashlib.sha256(repr(KITS[language]).encode())
    for name, content in _fresh(language).items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _built(language: str) -> str:
    path = FOLDER / language / ".built"
    return path.read_text() if path.exists() else ""


def _write(language: str, folder: Path) -> None:
    """Write only changed files, so that a build sees what it must redo."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".built").unlink(missing_ok=True)
    listed = folder / ".files"
    fresh = _fresh(language)
    for name in set(listed.read_text().splitlines() if listed.exists() else ()) - set(fresh):
        (folder / name).unlink(missing_ok=True)
    for name, content in fresh.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    listed.write_text("\n".join(fresh))


def _missing(language: str) -> str:
    """Return the programs that its build lacks here; empty if none."""
    lacking = [f"{name} is missing ({where})" for name, where in KITS[language].needs.items() if not shutil.which(name)]
    return "; ".join(lacking)


def main() -> int:
    failed = False
    for language in sys.argv[1:] or LANGUAGES:
        try:
            print(f"kit in {language}: {build(language)}", flush=True)
        except KitError as error:
            print(f"kit in {language}: NOT BUILT, {error}", flush=True)
            failed |= not _missing(language) or os.environ.get("ARENA_REQUIRE_ALL") == "1"
    return failed


if __name__ == "__main__":
    sys.exit(main())
