"""Tests of hosting. Those that start a sandbox give up where none is possible."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from tempfile import gettempdir

import pytest

from tests.kit.lacking import require_sandboxes


def open_to_all(folder: Path) -> None:
    """Let every user enter a folder of a test, and the folders of pytest above it."""
    for one in takewhile(lambda place: place != Path(gettempdir()), (folder, *folder.parents)):
        one.chmod(0o755)


@pytest.fixture
def sandbox() -> None:
    """Give up where no sandbox is possible."""
    require_sandboxes()


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """Return a folder that the user of a sandbox reaches, too."""
    open_to_all(tmp_path)
    return tmp_path
