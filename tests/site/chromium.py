"""Headless Chromium for tests of pages, and what a page complains of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = next(
    (path for path in map(Path, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")) if path.exists()), None
)
"""Its headless shell, which draws the same pages at 60 % of the cost, where there is one."""
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"]  # fmt: skip

in_chromium = [
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None and os.environ.get("ARENA_REQUIRE_ALL") != "1",
        reason="Chromium is missing: chromium-headless-shell or chromium",
    ),
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. Begin it when the data is there: while it runs, Django refuses the database in this thread."""
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=SWITCHES)
        yield browser
        browser.close()


def listen(page: Any) -> list[str]:
    """What a page says on its console from now on, errors and warnings."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints
