"""The folder of a runner: it has one owner, and nothing of a runner that was killed stays in it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.runner.__main__ import runner_folder
from tests.runner.hosting import open_folder

KILLED = """
import os, sys, tempfile
from pathlib import Path
from arena.runner.__main__ import runner_folder
with runner_folder(Path(sys.argv[1])):
    print(tempfile.mkdtemp(), flush=True)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    parent = open_folder()
    yield parent / "runner"
    shutil.rmtree(parent)


def test_what_a_killed_runner_left_is_removed_by_the_next_one(folder: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, text=True)
    left = Path(killed.stdout.strip())
    assert killed.returncode == -signal.SIGKILL and left.is_dir() and folder in left.parents
    with runner_folder(folder):
        assert not left.exists()
        mine = Path(tempfile.mkdtemp())
        assert mine.parent == left.parent and mine.parent.stat().st_mode & 0o777 == 0o711
    assert not mine.exists()
    assert not Path(tempfile.gettempdir()).is_relative_to(folder)


def test_a_folder_has_one_runner(folder: Path) -> None:
    another = runner_folder(folder)
    with runner_folder(folder), pytest.raises(BlockingIOError, match="another runner uses"):
        another.__enter__()
