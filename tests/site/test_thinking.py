"""How long the acting seat of a live match has thought: told to those who watch, and to nobody who is held back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from playwright.sync_api import expect

from tests.kit.ladder import CLOCK, Kit
from tests.kit.redis_server import RedisServer
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_live import Following, Running, elsewhere, served
from webui.ladders.models import Ladder
from webui.matches.models import SpectatorRow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def running(kit: Kit, redis_server: RedisServer) -> Running:
    """A match that has waited four seconds for its next decision."""
    match = Running(kit, redis_server.url)
    match.play_on(30)
    SpectatorRow.objects.update(at=F("at") - timedelta(seconds=4))
    return match


@pytest.fixture
def browser(running: Running) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def thought(reader: Following) -> dict[str, int]:
    while (event := reader.event())[0] != "thinking":
        pass
    told: dict[str, int] = event[1]
    return told


def test_a_spectator_is_told_how_long_the_next_decision_takes(running: Running) -> None:
    with served() as site:
        begun = time.monotonic()
        reader = Following(site, running.match)
        told = thought(reader)
        assert told["most"] == CLOCK.cap_ms
        assert 4000 <= told["ms"] <= 4000 + 1000 * (time.monotonic() - begun) + 60_000
        late = Following(site, running.match, after=running.plies[-1])
        assert thought(late)["ms"] >= told["ms"], "who comes later is told by then"
        moved = time.monotonic()
        running.play_on(1)
        assert thought(reader)["ms"] <= 1000 * (time.monotonic() - moved), "the clock of the next decision"
        for each in (reader, late):
            each.close()


def test_who_is_held_back_is_not_told(running: Running) -> None:
    Ladder.objects.update(delay=2)
    with served() as site:
        reader = Following(site, running.match)
        kinds = []
        while "watching" not in kinds:
            kinds.append(reader.event()[0])
        running.play_on(1)
        reader.frames(1)
        running.finish()
        while kinds[-1] != "end":
            kinds.append(reader.event()[0])
        reader.close()
    assert "frame" in kinds and "thinking" not in kinds


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_clock_runs_under_the_acting_seat(running: Running, browser: Any, motion: str) -> None:
    with served() as site:
        page = browser.new_context(reduced_motion=motion).new_page()
        page.goto(f"{site}/matches/{running.match}/")
        page.wait_for_selector("[data-ready]")
        complaints = listen(page)
        clock = page.locator(".seat.is-acting [role=timer]")
        expect(clock).to_contain_text("thinking for 0:")
        expect(clock).to_have_attribute("title", "One decision may take 0:10 at most")
        expect(page.locator("[role=timer]:visible")).to_have_count(1)
        bar = clock.locator("i")
        if motion == "reduce":
            assert "linear" not in (bar.get_attribute("style") or "")
        expect(clock).to_contain_text("0:10")  # it is full, and stays so
        page.keyboard.press("ArrowLeft")
        expect(page.locator("[role=timer]:visible")).to_have_count(0)
        page.keyboard.press("End")
        expect(clock).to_be_visible()
        elsewhere(lambda: running.play_on(1))
        expect(page.locator(".position b")).to_have_text(str(running.plies[-1]))
        expect(page.locator(".seat.is-acting [role=timer]")).to_contain_text("thinking for 0:0")
        assert complaints == []
