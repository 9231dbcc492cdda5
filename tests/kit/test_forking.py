"""Processes of pytest-xdist as forks of one, tried on small tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.kit.forking import fork_from_one


def pytest_xdist_setupnodes(config, specs):
    fork_from_one(config, specs)
"""
FORKED = """
import os

import pytest

IMPORTED_IN = os.getpid()


@pytest.mark.parametrize("number", range(4))
def test_a_fork(number):
    assert os.getpid() != IMPORTED_IN == os.getppid()
"""
BROKEN = "raise ValueError('nothing of this is there')"


def run(folder: Path, **modules: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with two processes on these modules of tests."""
    for name, text in {"conftest": CONFTEST, **modules}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pytest.ini").touch()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-p", "xdist.plugin", "-n", "2", "--import-mode=importlib", "-q"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_tests_are_imported_once_and_run_in_forks(tmp_path: Path) -> None:
    done = run(tmp_path, test_forked=FORKED)
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout + done.stderr


def test_what_cannot_be_imported_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, test_forked=FORKED, test_broken=BROKEN)
    assert done.returncode == 1 and "ValueError: nothing of this is there" in done.stdout, done.stdout + done.stderr
