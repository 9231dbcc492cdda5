"""Headless Chromium for tests of pages, and what a page complains of."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
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
    """The browser of this process; what is opened in it is closed at the end. Begin when the data is there: meanwhile
    Playwright's loop runs in this thread, and Django refuses the database."""
    browser, loop = _started()
    asyncio._set_running_loop(loop)
    try:
        yield browser
    finally:
        for context in browser.contexts:
            context.close()
        asyncio._set_running_loop(None)


@cache
def _started() -> tuple[Any, asyncio.AbstractEventLoop]:
    """A browser and Playwright's loop, to which this thread belongs from now on, unless it is told otherwise."""
    running = sync_playwright().start()
    browser = running.chromium.launch(executable_path=str(CHROMIUM), args=SWITCHES)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        asyncio._set_running_loop(loop)
        browser.close()
        running.stop()

    atexit.register(stop)
    return browser, loop


def listen(page: Any) -> list[str]:
    """What a page says on its console from now on, errors and warnings."""
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints
