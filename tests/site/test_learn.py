"""The beginner's page: its game, its steps, and the page without scripts and in Chromium."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import zstandard
from django.test import Client
from playwright.sync_api import expect

from arena.rules import Ruleset
from tests.kit import lesson as maker
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_frames import validator
from tests.site.world import text
from webui.board.route import centre
from webui.site.learn.lesson import FILE, STEPS, lesson, lesson_frames


def test_the_game_is_the_one_that_the_kit_makes() -> None:
    document = json.loads(FILE.read_text(encoding="utf-8"))
    played = maker.play()
    assert played.state.is_over and played.ruleset == Ruleset(document["players"])
    assert [event.text for event in played.events if event.seat] == document["actions"]
    assert played.seed.hex() == document["seed"]


def test_many_threads_may_look_at_it_first() -> None:
    lesson.cache_clear()
    plies = range(len(lesson().replay.steps) + 1)
    expected = [lesson().replay.position(ply) for ply in plies]
    lesson.cache_clear()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            looks = [pool.submit(lambda ply=ply: lesson().replay.position(ply)) for ply in reversed(plies)]
            assert [look.result() for look in reversed(looks)] == expected
    finally:
        sys.setswitchinterval(interval)


def test_every_step_shows_what_it_says() -> None:
    """By the rules: read off the positions, not off the sentences."""
    replay, plies = lesson().replay, lesson().plies
    assert plies[:-1] == [0, 3, 6, 7, 8, 9, 15] and plies[-1] == len(replay.steps)
    at = {number: replay.position(ply) for number, ply in enumerate(plies, 1)}
    table, bids, sown, taken, powered, bought, summoned = (at[number] for number in range(1, 8))
    assert table and bids and sown and taken and powered and bought and summoned
    assert all(len(tile.meeples) == 3 for tile in table.tiles.values())
    assert (bids.phase, bids.to_act) == ("move", 1) and replay.steps[0].seat != 1, "who pays most goes first"
    paid = [before.gold - after.gold for before, after in zip(table.seats, bids.seats, strict=True)]  # type: ignore[operator]
    assert paid == [8, 5, 0] and 1 not in bids.turn_track and bids.bid_order[0] == 1
    assert (len(sown.turn.hand), sown.tiles["C1"].meeples) == (1, "")
    assert (sown.tiles["C4"].meeples, sown.tiles["C4"].owner) == ("bbb", None)
    assert (taken.tiles["C4"].meeples, taken.tiles["C4"].owner) == ("", 1)
    around = [
        tile
        for name, tile in taken.tiles.items()
        if all(abs(one - other) <= 106 for one, other in zip(centre(name), centre("C4"), strict=True))
    ]
    blue = sum(tile.colour == "blue" for tile in around)
    assert (len(around), blue) == (9, 5)
    had, has = taken.seats[0].gold, powered.seats[0].gold
    assert had is not None and has is not None and has - had == 4 * blue == 20
    assert bought.tiles["C4"].kind == "small-market" and bought.seats[0].hand != powered.seats[0].hand
    assert summoned.tiles["C5"].kind == "sacred" and len(summoned.seats[1].djinns) == 1
    assert len(taken.seats[1].djinns) == 0 and replay.position(plies[-1]).phase == "over"  # type: ignore[union-attr]


@pytest.mark.django_db
def test_without_scripts_each_step_is_a_page_with_its_picture() -> None:
    client = Client()
    for number, step in enumerate(STEPS, 1):
        page = text(client.get(f"/learn/?step={number}"))
        assert str(step.text) in page and '<svg class="board"' in page
        assert (f'rel="next" data-go="next" href="?step={number + 1}"' in page) == (number < len(STEPS))
        assert (f'rel="prev" data-go="previous" href="?step={number - 1}"' in page) == (number > 1)
        assert re.findall(r'<li data-at="(\d)"[^>]*class="is-now"', page) == [str(number)]
    assert re.findall(r'<li data-at="(\d)"[^>]*class="is-now"', text(client.get("/learn/?step=99"))) == ["1"]
    lost = client.get("/nowhere/").content.decode()
    assert lost.count('href="/learn/"') == 3, "in the menu, on the page and in the footer"


@pytest.mark.django_db
def test_the_frames_are_those_of_the_viewer() -> None:
    document = json.loads(zstandard.ZstdDecompressor().stream_reader(lesson_frames("zstd")).read())
    validator("frames").validate(document)
    assert len(document["frames"]["round"]) == lesson().plies[-1] + 1
    first = Client().get("/learn/frames.json", headers={"accept-encoding": "gzip"})
    assert first["Content-Encoding"] == "gzip" and first["Cache-Control"] == "no-cache"


@pytest.fixture
def site(transactional_db: None, live_server: Any) -> Iterator[tuple[str, Any]]:
    Client().get("/learn/")  # the game is played before a browser waits for it
    with chromium() as browser:
        yield f"{live_server.url}/learn/", browser


@pytest.mark.usefixtures("site")
class TestInChromium:
    pytestmark = in_chromium

    @pytest.mark.slow
    def test_keys_and_buttons_lead_from_step_to_step_and_play_what_lies_between(self, site: tuple[str, Any]) -> None:
        url, browser = site
        page = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce").new_page()
        complaints = listen(page)
        page.goto(url)
        page.wait_for_selector("[data-ready]")
        number, now = page.locator("[data-number]"), page.locator(".is-now p")
        page.keyboard.press("ArrowRight")
        expect(number).to_have_text("2")
        expect(now).to_contain_text("who pays more gold acts earlier")
        page.click("[data-go=next]")
        page.click("[data-go=next]")
        expect(number).to_have_text("4")
        expect(page.locator("[data-said]")).to_contain_text("camel takes it")
        assert page.get_attribute("[data-tile=C4]", "aria-label").endswith("owned by Lina")
        assert page.url.endswith("?step=4")
        page.click("[data-at='8'] a")
        expect(page.locator("[data-part=caption]")).to_contain_text("Omar wins over Nour and Lina")
        expect(page.locator("[data-beside=score-table]")).to_be_visible()
        expect(page.locator("[data-end]")).to_be_visible()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect(number).to_have_text("7")
        expect(page.locator("[data-beside=djinns]")).to_be_visible()
        page.click("[data-tile=C5]")
        expect(page.locator("dialog[open]")).to_contain_text("Sacred Place")
        assert complaints == []

        page = browser.new_page()  # in which meeples may move
        page.goto(f"{url}?step=2")
        page.wait_for_selector("[data-ready]")
        page.evaluate(
            "() => { const part = document.querySelector('[data-part=steps]'); const seen = [];"
            " new MutationObserver(() => { seen.push(part.querySelectorAll('.route-step:not(.is-ahead)').length);"
            " document.body.dataset.seen = seen; }).observe(part, { childList: true }); }"
        )
        page.click("[data-go=next]")
        expect(page.locator("body")).to_have_attribute("data-seen", "0,1,2")  # the meeples are dropped one by one
