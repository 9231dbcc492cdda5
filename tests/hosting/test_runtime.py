"""The runtime of hosted bots, looked at from inside of a sandbox."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.hosting.archives import BundleError
from arena.hosting.runtime import BOT_ENVIRONMENT, bot_runtime, describe_runtime, resolve_command
from arena.sandbox.limits import Mounts, SandboxEnd, SandboxLimits, SandboxVerdict
from arena.sandbox.running import start
from tests.hosting.conftest import open_to_all


def run(folder: Path, *command: str) -> SandboxVerdict:
    """Return the verdict on a program in a sandbox, with the environment of a bot."""
    open_to_all(folder)
    for path in folder.rglob("*"):
        path.chmod(0o755)
    mounts = Mounts(image=folder, runtime=bot_runtime())
    return start(resolve_command(command), mounts, SandboxLimits(), environment=BOT_ENVIRONMENT).wait()


@pytest.mark.usefixtures("sandbox")
def test_a_python_bot_finds_the_library_of_the_arena(open_folder: Path) -> None:
    (open_folder / "bot.py").write_text("import sys, arena.bots, grpc, google.protobuf\nprint(sys.version_info[:2])\n")
    verdict = run(open_folder, "python3", "bot.py")
    assert verdict.end is SandboxEnd.EXITED
    assert verdict.stderr.text() == ""
    assert verdict.stdout.text() == f"{sys.version_info[:2]}\n"


@pytest.mark.usefixtures("sandbox")
def test_packages_in_the_folder_vendor_are_found(open_folder: Path) -> None:
    (open_folder / "vendor").mkdir()
    (open_folder / "vendor" / "mine.py").write_text("print('mine')\n")
    (open_folder / "bot.py").write_text("import mine\n")
    assert run(open_folder, "python3", "bot.py").stdout.text() == "mine\n"


@pytest.mark.usefixtures("sandbox")
def test_a_program_of_the_bot_itself_is_started(open_folder: Path) -> None:
    (open_folder / "bot").write_text("#!/bin/sh\necho $ARENA_SERVER\n")
    assert run(open_folder, "./bot").stdout.text() == "unix:/run/arena.sock\n"


def test_a_program_that_is_missing_gets_one_line() -> None:
    with pytest.raises(BundleError, match="the runtime has no program 'python': write python3"):
        resolve_command(["python", "bot.py"])
    with pytest.raises(BundleError, match=r"no program 'mybot': it has python3.*; write \./ before a program"):
        resolve_command(["mybot"])


def test_the_runtime_is_described() -> None:
    description = describe_runtime()
    assert description.tools["python3"].startswith(f"Python {sys.version_info[0]}.{sys.version_info[1]}")
    assert {"naqala-arena", "grpcio", "protobuf"} <= description.packages.keys()
    assert "django" not in map(str.lower, description.packages)
