"""Live pages: the score that can be counted, its chart so far, a pace to follow, and where to go on at the end."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import expect

from arena.referee import Entry, Kind
from arena.rules import score
from tests.kit.ladder import Kit, Writer
from tests.kit.redis_server import RedisServer
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_browser import AXE, faults
from tests.site.test_hidden import SEEDS, begin
from tests.site.test_live import Running, elsewhere, served

SHOTS = os.environ.get("ARENA_SCREENSHOTS")
TOTAL = re.compile(r'data-part="seat-\d-total">.*?<b>(?:<span class="visually-hidden">)?(\d+)(?: to (\d+))?', re.S)


@pytest.mark.django_db
def test_the_score_of_a_running_match_is_counted(kit: Kit) -> None:
    claim, game, entries = begin(kit, kit.versions(3), SEEDS[0])
    draw, writer, appended, exact = random.Random(3), Writer(claim), 0, 0
    for rounds in (2, 4, 6):
        while game.state.round < rounds and not game.state.is_over:
            for event in game.play(draw.choice(list(game.state.legal))):
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text))
        writer.append(entries[appended:])
        appended = len(entries)
        page = Client().get(f"/matches/{claim.match_id}/").content.decode()
        shown = [(int(low), int(high or low)) for low, high in TOTAL.findall(page)]
        truth = [score(game.state, seat)["total"] for seat in (1, 2, 3)]
        assert all(low <= whole <= high for (low, high), whole in zip(shown, truth, strict=True)), (shown, truth)
        exact += sum(low == high for low, high in shown)
        assert "counted" in page and "Score over time" in page and "Points so far:" in page
        assert "By source" not in page and "Think time, seconds" not in page, "which nobody knows yet"
    assert exact > 4


@pytest.fixture
def running(kit: Kit, redis_server: RedisServer, transactional_db: None) -> Running:
    match = Running(kit, redis_server.url)
    match.play_on(30)
    return match


@pytest.fixture
def browser(running: Running) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_running_match_is_followed_at_a_pace_and_leads_on_at_its_end(running: Running, browser: Any) -> None:
    with served() as site:
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(f"{site}/matches/{running.match}/")
        page.wait_for_selector("[data-ready]")
        complaints = listen(page)
        at, pace = page.locator(".position b"), page.locator("[data-pace]")
        page.locator(".area-chart").scroll_into_view_if_needed()
        expect(page.locator("[data-chart] canvas")).to_have_count(1)
        page.evaluate("scrollTo(0, 0)")
        pace.select_option("follow")
        elsewhere(lambda: running.play_on(60))
        # So much at once would be jumped over; now it is played, one decision after the other.
        expect(page.locator("[data-last]")).to_have_text(str(running.plies[-1]))
        assert int(at.inner_text()) < running.plies[-1] - 8
        if SHOTS:
            for width, height in ((1280, 720), (1920, 1080), (390, 844)):
                page.set_viewport_size({"width": width, "height": height})
                page.screenshot(path=Path(SHOTS) / f"live-{width}x{height}.png", full_page=width == 1280)
            page.set_viewport_size({"width": 1920, "height": 1080})
        page.evaluate(AXE)
        assert faults(page) == []
        pace.select_option("")
        expect(at).to_have_text(str(running.plies[-1]))
        elsewhere(running.finish)
        onward = page.locator(".onward")
        expect(onward.get_by_role("link", name="TV")).to_have_attribute("href", "/tv")
        expect(page.locator(".chip.live")).to_have_count(0)
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / "over-1280x720.png")
    assert [said for said in complaints if "ERR_" not in said] == []


@pytest.mark.django_db
def test_a_match_that_is_over_leads_to_the_next_ones(kit: Kit) -> None:
    one, two, three, four = kit.versions(4)
    first = kit.finish([one, two]).match_id
    second = kit.finish([three, four]).match_id  # of its ladder
    third = kit.finish([two, three]).match_id  # of its second bot
    waiting = kit.match([one, four])  # nobody may see who plays yet
    page = Client().get(f"/matches/{first}/").content.decode()
    onward = page.partition('class="panel onward"')[2].partition("</nav>")[0]
    assert re.findall(r'href="/matches/(\w+)/">([^<]*)</a>', onward) == [
        (second, "Bot 3 and Bot 4"), (third, "Bot 2 and Bot 3"),
    ]  # fmt: skip
    assert "next of this ladder" in onward and "next of Bot 2" in onward and waiting not in page
