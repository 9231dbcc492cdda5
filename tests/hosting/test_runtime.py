"""The runtime of hosted bots, looked at from inside of a sandbox."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import pytest

from arena.hosting import runtime
from arena.hosting.archives import BundleError
from arena.hosting.runtime import (
    BOT_ENVIRONMENT,
    bot_runtime,
    describe_runtime,
    hosting_support,
    resolve_command,
    share_bytecode,
)
from arena.runner.__main__ import runner_folder
from arena.sandbox.limits import Mounts, RuntimeFolder, SandboxEnd, SandboxLimits, SandboxVerdict
from arena.sandbox.running import has_own_users, start
from tests.hosting.conftest import open_to_all
from tests.kit.lacking import give_up


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


def test_the_users_of_sandboxes_may_read_the_bytecode_that_an_arena_has_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared_module.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    umask = os.umask(0o077)
    try:
        bytecode = Path(import_module("shared_module").__spec__.cached)
    finally:
        os.umask(umask)
    share_bytecode()
    assert (bytecode.stat().st_mode & 0o777, bytecode.parent.stat().st_mode & 0o777) == (0o644, 0o755)


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


@pytest.mark.usefixtures("sandbox")
def test_an_installation_that_bots_cannot_read_is_named(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one below /root is, where the runner is root and gives each sandbox a user of its own."""
    assert hosting_support.__wrapped__().is_possible
    home = open_folder / "home"
    package = home / "site-packages" / "arena"
    package.mkdir(parents=True)
    for folder, mode in ((package, 0o755), (package.parent, 0o755), (home, 0o700)):
        folder.chmod(mode)
    folders = (*bot_runtime(), RuntimeFolder(Path("/opt/arena/python/more"), source=package))
    monkeypatch.setattr(runtime, "bot_runtime", lambda: folders)
    support = hosting_support.__wrapped__()
    if not has_own_users():
        assert support.is_possible
        return
    assert not support.is_possible and not support.is_fit_for_strangers
    (reason,) = support.reasons
    assert reason.startswith(f"bots cannot read {package}") and f"because {home} is closed to other users" in reason
    verdict = start(["/usr/bin/true"], Mounts(image=open_folder, runtime=folders), SandboxLimits()).wait()
    assert verdict.end is SandboxEnd.START_FAILED
    home.chmod(0o755)
    assert hosting_support.__wrapped__().is_possible


def test_a_folder_of_a_runner_that_bots_cannot_enter_is_refused(tmp_path: Path) -> None:
    if not has_own_users():
        give_up("only root of a machine gives each sandbox a user of its own")
    tmp_path.chmod(0o700)
    with pytest.raises(PermissionError, match="users of sandboxes cannot enter"), runner_folder(tmp_path / "runner"):
        pass
