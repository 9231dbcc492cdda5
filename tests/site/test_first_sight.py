"""What a newcomer with a phone sees: nothing is cut off, no dot dangles, and what is tapped explains itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.rules import Ruleset
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, play_out
from tests.site.chromium import chromium, in_chromium
from webui.matches import ending, ownership
from webui.ratings.fitting import fit_due

pytestmark = in_chromium

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def site(transactional_db: None, live_server: Any, kit: Kit) -> dict[str, str]:
    """Addresses: of a bot that plays on two ladders, and of a match of four."""
    versions = kit.versions(4)
    claim = kit.claim(ownership.schedule_match(Ruleset(4), versions, CLOCK, POLICY, rated=True, server_seed=bytes(32)))
    played = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    kit.finish(versions[:3])
    fit_due()
    url = live_server.url
    return {"site": url, "bot": f"{url}/bots/bot-1/", "match": f"{url}/matches/{claim.match_id}/"}


@pytest.fixture
def browser(site: dict[str, str]) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


DANGLING = r"""() => {
  const wrong = [], line = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().top;
  };
  for (const meta of document.querySelectorAll("main .meta")) {
    const left = meta.getBoundingClientRect().left, cut = parseFloat(getComputedStyle(meta).clipPath.split(" ").at(-1));
    for (const part of meta.children) {
      const dot = getComputedStyle(part, "::before");
      const isFirst = part.getBoundingClientRect().left < left + 1;
      if (isFirst && parseFloat(dot.left) + parseFloat(dot.width) > cut) wrong.push(`${part.textContent}: before`);
      if (getComputedStyle(part, "::after").content !== "none") wrong.push(`${part.textContent}: behind`);
    }
  }
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const { index } of node.data.matchAll(/\S · \S/g)) {
      const [before, dot, after] = [index, index + 2, index + 4].map((at) => line(node, at));
      if (Math.abs(before - dot) > 4 || Math.abs(dot - after) > 4) wrong.push(node.data);
    }
    if (/^\s*·|·\s*$/.test(node.data) && node.parentElement.checkVisibility()) wrong.push(`${node.data}, alone`);
  }
  return wrong;
}"""


@pytest.mark.slow
def test_no_dot_stands_at_the_end_or_the_beginning_of_a_line(site: dict[str, str], browser: Any) -> None:
    for language in ("en", "ru"):
        page = browser.new_context(viewport={"width": 390, "height": 844}, locale=language).new_page()
        page.goto(site["bot"])
        for width in (320, 360, 390, 700, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(DANGLING) == [], (language, width)


def test_the_tabs_of_ladders_say_that_their_numbers_are_of_players(site: dict[str, str], browser: Any) -> None:
    for where in (site["bot"], f"{site['site']}/ladder/3-players-60-s-1-s/"):
        page = browser.new_context(**PHONE).new_page()
        page.goto(where)
        tabs = page.get_by_role("navigation", name="Players", exact=True)
        expect(tabs.locator(".segment-number")).to_have_text(["3", "4"])
        words = page.locator(f"#{tabs.get_attribute('aria-labelledby')}")
        expect(words).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_what_a_seat_has_explains_itself_when_it_is_tapped(site: dict[str, str], browser: Any) -> None:
    page = browser.new_context(**PHONE).new_page()
    page.goto(site["match"])
    page.wait_for_selector("[data-ready]")
    # Safari takes a tap for no click if something is shown where the pointer is.
    djinn = page.locator(".seat .djinn").first
    djinn.hover()
    assert djinn.evaluate("each => each.matches(':hover')")
    assert djinn.locator(".tip").bounding_box()["height"] <= 1
    for kind in (".hand-card", ".djinn"):
        thing = page.locator(f".seat {kind}").first
        thing.scroll_into_view_if_needed()
        box = thing.bounding_box()
        assert box["height"] >= 28 and box["width"] >= 28, "a finger meets it"
        thing.tap()
        expect(page.locator("dialog[data-sheet=about]")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog[data-sheet=about]")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ru"])
def test_the_smallest_frame_has_its_whole_title_and_does_not_scroll(
    site: dict[str, str], browser: Any, language: str
) -> None:
    page = browser.new_context(viewport={"width": 320, "height": 480}, locale=language).new_page()
    page.goto(f"{site['match']}embed")
    page.wait_for_selector("[data-ready]")
    high, wide = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert (high, wide) == (480, 320)
    title = page.locator("h1")
    assert title.evaluate("each => each.scrollHeight <= each.clientHeight && each.scrollWidth <= each.clientWidth")
    assert page.locator("h1 a").inner_text() in page.title()


CUT = """([part, texts]) => {
  const panel = document.querySelector(part), { left, right } = panel.getBoundingClientRect();
  const seen = [...panel.querySelectorAll(texts)].filter((each) => getComputedStyle(each).display !== "none");
  const cut = seen.map((each) => [each.getBoundingClientRect(), each.textContent]);
  return [seen.length, panel.scrollWidth - panel.clientWidth,
    cut.filter(([box]) => box.left < left - 1 || box.right > right + 1).map(([, text]) => text)];
}"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_chart_is_whole_before_any_script(site: dict[str, str], browser: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.goto(site["match"])
    drawn = ".axis-label, .line, .end-label, .seat-point, .grid-line.is-round"
    number, more, cut = page.evaluate(CUT, ["[data-chart-plain]", drawn])
    assert (number > 10, cut) == (True, [])
    assert more <= 0 or page.locator("[data-chart-plain]").evaluate(
        "each => getComputedStyle(each).overflowX === 'clip'"
    )


def test_the_seats_of_the_lesson_keep_off_the_edges(site: dict[str, str], browser: Any) -> None:
    page = browser.new_context(**PHONE).new_page()
    page.goto(f"{site['site']}/learn/?step=2")
    boxes = [each.bounding_box() for each in page.locator(".strip > li").all()]
    assert len(boxes) == 3
    assert all(box["x"] >= 4 and box["x"] + box["width"] <= 386 for box in boxes)
    assert re.search(r"turn order.*bid order", page.locator(".is-now p").inner_text())
