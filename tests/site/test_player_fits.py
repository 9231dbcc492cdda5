"""The player fits its window, on the page of a match and in a frame: board, sentence, scrub bar and controls together.

One page is opened once for each of the widest and the plainest table, and resized: what is laid out is style alone.
With ARENA_SCREENSHOTS what the browser saw is written to that folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.rules import Ruleset
from arena.story import evaluate
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, Writer, play_out
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_browser import AXE, faults
from webui.matches import ending, ownership
from webui.stories import actions as story_actions

pytestmark = in_chromium

WINDOWS = [(1280, 720), (1366, 768), (1920, 1080), (2560, 1440), (1024, 768), (820, 1180), (390, 844), (360, 640),
           (844, 390), (640, 360)]  # fmt: skip
FRAMES = [(320, 480), (360, 640), (480, 640), (640, 360), (640, 480), (720, 900), (860, 600), (860, 1005), (1280, 720)]
TURNED = (844, 390)
SHOTS = os.environ.get("ARENA_SCREENSHOTS")


@pytest.fixture
def tables(transactional_db: None, live_server: Any, kit: Kit) -> dict[str, str]:
    """Addresses of a finished match of four, of one of five with both expansions, and of such a one that runs."""
    found = {}
    for name, ruleset in (("four", Ruleset(4)), ("five", Ruleset(5, ("artisans", "whims")))):
        claim = kit.claim(ownership.schedule_match(ruleset, kit.versions(ruleset.players), CLOCK, POLICY, rated=True))
        played = play_out(claim)
        ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
        ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
        story_actions.write_story(claim.match_id, evaluate(played.document, rollouts=2))
        found[name] = f"{live_server.url}/matches/{claim.match_id}/"
    running = kit.claim(ownership.schedule_match(ruleset, kit.versions(5), CLOCK, POLICY, rated=True))
    Writer(running).append(play_out(running).entries[:160])
    found["live"] = f"{live_server.url}/matches/{running.match_id}/"
    return found


@pytest.fixture
def browser(tables: dict[str, str]) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


OUTSIDE = """() => {
  const missing = [];
  for (const name of [".board", ".caption", ".scrub", ".controls", ".play"]) {
    const box = document.querySelector(name).getBoundingClientRect();
    const isInside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!isInside || box.width < 40 || box.height < 40) missing.push(`${name} ${JSON.stringify(box)}`);
  }
  for (const head of document.querySelectorAll(".track-head")) {
    if (head.clientWidth > 1 && head.scrollWidth > head.clientWidth) missing.push(`${head.textContent} is cut`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) missing.push(`page of ${scrollWidth}`);
  return missing;
}"""
SCORES_IN_SIGHT = """() => [...document.querySelectorAll("[data-seat]")].filter((each) => {
  const { top, bottom, height } = each.getBoundingClientRect();
  return height && top >= 0 && bottom <= innerHeight;
}).length"""
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) window.shifted += each.value; })
    .observe({ type: "layout-shift", buffered: true });
}"""
MOST_SHIFT = 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "language"),
    [("four", "en"), ("four", "ru"), ("five", "en"), ("five", "ru"), ("live", "en"), ("live", "ru")],
)
def test_board_sentence_scrub_bar_and_controls_are_in_the_window_together(
    tables: dict[str, str], browser: Any, table: str, language: str
) -> None:
    wrong: dict[str, Any] = {}
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale=language)
    page = context.new_page()
    complaints = listen(page)
    page.add_init_script(f"({SHIFTS})()")
    for kind, address, sizes in (("page", "?d=90", WINDOWS), ("frame", "embed?d=90", FRAMES)):
        page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
        for _ in range(2):  # the second time with the fonts there: when they come is up to the machine and its network
            page.goto(tables[table] + address)
            page.wait_for_selector("[data-ready]")
            page.evaluate("document.fonts.ready.then(() => null)")
        if (shift := page.evaluate("window.shifted")) > MOST_SHIFT:
            wrong[f"{kind} moves while it loads"] = shift
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            if missing := page.evaluate(OUTSIDE):
                wrong[f"{kind} {width} × {height}"] = missing
            if width < 1121 and page.evaluate(SCORES_IN_SIGHT) < (4 if table == "four" else 5):
                wrong[f"{kind} {width} × {height}: points"] = page.evaluate(SCORES_IN_SIGHT)
            if SHOTS:
                page.screenshot(path=Path(SHOTS) / f"{table}-{language}-{kind}-{width}x{height}.png")
        page.set_viewport_size({"width": TURNED[0], "height": TURNED[1]})
        page.evaluate(AXE)
        if found := faults(page):
            wrong[f"{kind} on its side"] = found
    assert wrong == {} and complaints == []
    context.close()


@pytest.mark.slow
def test_what_is_clicked_or_tapped_says_what_it_is(tables: dict[str, str], browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, has_touch=True)
    page = context.new_page()
    page.goto(f"{tables['five']}?d=0")
    page.wait_for_selector("[data-ready]")
    about, label = page.locator("[data-about-cards]"), page.locator("[data-about-label]")
    tile = page.locator('.layer-pieces .tile[data-kind="oasis"]').first
    tile.click()
    expect(about).to_contain_text("plants a palm on it")
    expect(label).to_have_text(tile.get_attribute("aria-label"))
    meeples = {"vizier": "Viziers", "elder": "Elders", "builder": "Builders", "assassin": "Assassins"}
    for word, title in meeples.items():
        if word in tile.get_attribute("aria-label"):
            expect(about).to_contain_text(title)
    page.mouse.click(5, 5)  # beside it
    expect(page.locator("[data-sheet=about]")).to_be_hidden()
    things = ((".market .card:not(.fakir)", "Different goods make a set"), (".city", "pays its gold once"),
              (".area-djinns .djinn-card", "once a round|Always on|At the end"),
              (".seat-stock .camels", "marks the tile"), (".track", "seats bid for spots"))  # fmt: skip
    for selector, words in things:
        thing = page.locator(selector).first
        thing.scroll_into_view_if_needed()
        thing.dispatch_event("click")  # what covers it while the page scrolls is not what is tried here
        expect(about, selector).to_contain_text(re.compile(words))
        page.keyboard.press("Escape")
        expect(page.locator("[data-sheet=about]")).to_be_hidden()
    context.close()


@pytest.mark.slow
def test_turns_open_on_a_click_and_the_current_one_by_itself(tables: dict[str, str], browser: Any) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{tables['four']}?d=0")
    page.wait_for_selector("[data-ready]")
    open_ = page.locator(".move-list details[open]")
    expect(open_).to_have_count(0)
    move = page.locator(".move-list .turn").nth(5).locator(".move a").nth(1)
    page.goto(tables["four"] + str(move.get_attribute("href")))
    page.wait_for_selector("[data-ready]")
    expect(open_).to_have_count(1)
    expect(open_.locator(".move.is-now")).to_have_count(1)
    first = page.locator(".move-list details").first
    first.locator("summary").click()
    expect(open_).to_have_count(2)
    page.keyboard.press("End")  # a match ends with the end of a turn
    expect(first).to_have_attribute("open", "")  # what a visitor opened stays open
    expect(page.locator(".move-list .turn.has-now details")).to_have_attribute("open", "")
    expect(open_).to_have_count(2)
    first.locator(".move a").first.click()
    expect(page.locator(".move.is-now")).to_have_count(1)
    expect(first.locator(".move.is-now")).to_have_count(1)
