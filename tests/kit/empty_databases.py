"""The empty databases that nearly all test runs need, made by a separate process while tests are imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kit.arena.database import sqlite_template
from tests.kit.postgres_server import PostgresServer, postgres_directory

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]


def begin_to_make(config: pytest.Config) -> None:
    """Begin to make them. A test that needs one earlier waits for it, or makes it (`templates.template`)."""
    process = subprocess.Popen([sys.executable, "-m", __name__], cwd=ROOT)
    config.add_cleanup(process.wait)


if __name__ == "__main__":
    sqlite_template()
    if postgres_directory() is not None:
        PostgresServer(tables=True).stop()
