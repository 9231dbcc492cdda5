"""Tests of hosting. Those that start a sandbox are skipped where none is possible."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from tempfile import gettempdir

import pytest

from arena.sandbox.support import sandbox_support


def open_to_all(folder: Path) -> None:
    """Let every user enter a folder of a test, and the folders of pytest above it."""
    for one in takewhile(lambda place: place != Path(gettempdir()), (folder, *folder.parents)):
        one.chmod(0o755)


@pytest.fixture
def sandbox() -> None:
    """Skip the test where no sandbox is possible."""
    if not sandbox_support().is_possible:
        pytest.skip("; ".join(sandbox_support().reasons))


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """Return a folder that the user of a sandbox reaches, too."""
    open_to_all(tmp_path)
    return tmp_path
