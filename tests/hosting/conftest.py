"""Tests of hosting. Those that start a sandbox are skipped where none is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.sandbox.support import sandbox_support


@pytest.fixture
def sandbox() -> None:
    """Skip the test where no sandbox is possible."""
    if not sandbox_support().is_possible:
        pytest.skip("; ".join(sandbox_support().reasons))


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """Return a folder that the user of a sandbox reaches, too."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    return tmp_path
