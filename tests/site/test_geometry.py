"""Pages fit their windows in Chromium. One table: page × windows × what must hold in each of them.

A page is opened once for a language, and its window is resized: what is laid out is style alone. With ARENA_SCREENSHOTS
what the browser saw is written to that folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.site.chromium import in_chromium
from tests.site.gallery import Gallery, Visitor
from tests.site.test_browser import AXE, faults
from webui.site.docs.pages import PAGES
from webui.site.learn.lesson import STEPS

pytestmark = in_chromium

Visit = Callable[..., Visitor]
Size = tuple[int, int]
SHOTS = os.environ.get("ARENA_SCREENSHOTS")
WINDOWS = [(1280, 720), (1366, 768), (1920, 1080), (2560, 1440), (1024, 768), (820, 1180), (390, 844), (360, 640),
           (844, 390), (640, 360)]  # fmt: skip
FRAMES = [(320, 480), (360, 640), (480, 640), (640, 360), (640, 480), (720, 900), (860, 600), (860, 1005), (1280, 720)]
SCROLLED = [(320, 845), (390, 845), (761, 845), (1121, 845), (1280, 845)]
USUAL = [(1280, 720), (1920, 1080), (390, 844)]
TURNED = (844, 390)
SHOWS = ("tv", "tv embed", "front")
MOST_SHIFT = 0.02


@dataclass(frozen=True)
class Row:
    """A page of the table: each probe returns what is wrong in the window as it is."""

    name: str
    address: str
    sizes: Sequence[Size]
    probes: Sequence[str]
    has_viewer: bool = False


TOO_WIDE = """() => {
  const { scrollWidth } = document.documentElement;
  return scrollWidth > innerWidth ? [`page of ${scrollWidth}`] : [];
}"""
TOO_HIGH = """() => {
  const { scrollHeight } = document.documentElement;
  return innerHeight === 480 && scrollHeight > innerHeight ? [`page of ${scrollHeight}`] : [];
}"""
TOGETHER = """() => {
  const missing = [];
  for (const name of [".board", ".caption", ".scrub", ".controls", ".play"]) {
    const box = document.querySelector(name).getBoundingClientRect();
    const isInside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!isInside || box.width < 40 || box.height < 40) {
      missing.push(`${name} ${JSON.stringify(box)}`);
    }
  }
  for (const head of document.querySelectorAll(".track-head")) {
    if (head.clientWidth > 1 && head.scrollWidth > head.clientWidth) missing.push(`${head.textContent} is cut`);
  }
  return missing;
}"""
"""Board, sentence, scrub bar and controls are in the window together."""
SCORES = """() => {
  const seats = [...document.querySelectorAll("[data-seat]")], inSight = seats.filter((each) => {
    const { top, bottom, height } = each.getBoundingClientRect();
    return height && top >= 0 && bottom <= innerHeight;
  });
  return innerWidth < 1121 && inSight.length < PLAYERS ? [`${inSight.length} points`] : [];
}"""
INSIDE = """() => {
  const player = document.querySelector(".player").getBoundingClientRect();
  return [...document.querySelectorAll(".player :is(.spot, .transport > *, .position, .more-options, .options label)")]
    .filter((each) => each.getClientRects().length)
    .filter((each) => {
      const { left, right } = each.getBoundingClientRect();
      return left < player.left || right > player.right;
    })
    .map((each) => each.outerHTML);
}"""
"""Tracks and controls are inside the player."""
LONGEST_NAME = """() => innerWidth > 760 ? [] : [...document.querySelectorAll(".seat-name a")].filter((each) => {
  const name = each.textContent;
  each.textContent = "House Trader of Naqala";
  const isCut = each.scrollWidth > each.clientWidth;
  each.textContent = name;
  return isCut;
}).map((each) => `${each.textContent} would be cut`)"""
TITLE = """() => [...document.querySelectorAll("h1")]
  .filter(({ scrollHeight, clientHeight }) => innerHeight === 480 && scrollHeight > clientHeight)
  .map((each) => `${each.textContent} is cut`)"""
"""The smallest frame has its whole title."""
OFFER = """() => {
  const title = document.querySelector("h1").getBoundingClientRect();
  const offer = document.querySelector('a[href="?spoilers=0"]').getBoundingClientRect();
  const isThere = offer.height >= 24 && offer.top >= 0 && offer.right <= innerWidth && Math.abs(offer.y - title.y) < 90;
  return isThere ? [] : [`the offer to hide the result is at ${JSON.stringify(offer)}`];
}"""
"""Whoever opens the page can choose at once to watch the match without its result."""
SHOW = """() => [".board", ".caption", ".play"].filter((name) => {
  const { top, left, bottom, right, width } = document.querySelector(name).getBoundingClientRect();
  return !(top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && width > 40);
})"""
LESSON = """() => {
  const parts = [".stage > .board", ".is-now p", ".lesson-links"];
  const boxes = parts.map((part) => document.querySelector(part).getBoundingClientRect());
  const outside = parts.filter((part, at) => {
    const { left, top, right, bottom } = boxes[at];
    return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
  });
  return boxes[1].bottom > boxes[2].top ? [...outside, "the links cover words"] : outside;
}"""
SEATS_OF_LESSON = """() => {
  const seats = [...document.querySelectorAll(".strip > li")].map((each) => each.getBoundingClientRect());
  return seats.length === 3 && seats.every(({ left, right }) => left >= 4 && right <= innerWidth - 4) ? [] : ["seats"];
}"""
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
"""No dot stands at the end or the beginning of a line."""
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => { for (const each of list.getEntries()) window.shifted += each.value; })
    .observe({ type: "layout-shift", buffered: true });
}"""


def rows(gallery: Gallery, language: str) -> list[Row]:
    """Return the table."""
    found = []
    for name, match, players in (("four", gallery.four, 4), ("five", gallery.five, 5), ("live", gallery.live, 5)):
        probes = [TOO_WIDE, TOGETHER, SCORES.replace("PLAYERS", str(players))]
        found.append(Row(name, f"/matches/{match.id}/?d=90", WINDOWS, probes, has_viewer=True))
        frame = f"/matches/{match.id}/embed?d=90"
        found.append(Row(f"{name} in a frame", frame, FRAMES, [*probes, TOO_HIGH, TITLE], has_viewer=True))
    end = f"/matches/{gallery.five.id}/"
    found.append(Row("end", end, SCROLLED, [TOO_WIDE, INSIDE, LONGEST_NAME], has_viewer=True))
    for step in range(1, len(STEPS) + 1):
        found.append(Row(f"lesson {step}", f"/learn/?step={step}", USUAL, [LESSON, SEATS_OF_LESSON]))
    story = f"/matches/{gallery.told.id}/"
    found.append(Row("story", story, [*USUAL, (360, 640)], [TOO_WIDE, OFFER], has_viewer=True))
    found += [
        Row("tv", "/tv", USUAL, [TOO_WIDE, SHOW]),
        Row("tv embed", "/tv/embed", [*USUAL, (320, 480)], [TOO_WIDE, SHOW]),
    ]
    found.append(Row("front", "/", [*USUAL, (320, 480)], [TOO_WIDE]))
    windows = [(width, 844) for width in (320, 360, 390, 700, 1280)]
    found.append(Row("bot", f"/bots/{gallery.bot}/", windows, [TOO_WIDE, DANGLING]))
    return found


def documents() -> list[Row]:
    """Return the rows of the documentation."""
    paths = ["/docs/", *(f"/docs/{page.slug}/" for page in PAGES)]
    return [Row(path, path, [(1280, 844), (390, 844), (320, 844)], [TOO_WIDE]) for path in paths]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ru", "es", "fr"])
def test_pages_fit_their_windows(gallery: Gallery, visit: Visit, language: str) -> None:
    """Spanish and French texts are about as long as Russian ones: the documentation alone is opened in them."""
    visitor = visit(1280, 720, locale=language)
    page, wrong = visitor.page, dict[str, Any]()
    page.add_init_script(f"({SHIFTS})()")
    for row in [*(rows(gallery, language) if language in ("en", "ru") else []), *documents()]:
        width, height = row.sizes[0]
        page.set_viewport_size({"width": width, "height": height})
        page.goto(gallery.url + row.address)
        if row.has_viewer or row.name in SHOWS:
            page.wait_for_selector("[data-ready]")
        page.evaluate("document.fonts.ready.then(() => null)")
        for width, height in row.sizes:
            page.set_viewport_size({"width": width, "height": height})
            if found := [each for probe in row.probes for each in page.evaluate(probe)]:
                wrong[f"{row.name}, {width} × {height}"] = found
            if SHOTS:
                name = re.sub(r"\W+", "-", row.name)
                page.screenshot(path=Path(SHOTS) / f"{name}-{language}-{width}x{height}.png")
        if row.has_viewer or row.name in SHOWS:
            width, height = TURNED if row.has_viewer else USUAL[-1]
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(AXE)
            # The sentence on the front page may be longer than its room, which no key scrolls.
            if found := [each for each in faults(page) if row.name != "front" or not each.startswith("scrollable-")]:
                wrong[f"{row.name}: faults"] = found
        if row.has_viewer:
            page.set_viewport_size({"width": row.sizes[0][0], "height": row.sizes[0][1]})
            page.reload()  # with the fonts there: when they come is up to the machine and its network
            page.wait_for_selector("[data-ready]")
            page.evaluate("document.fonts.ready.then(() => null)")
            if (shift := page.evaluate("window.shifted")) > MOST_SHIFT:
                wrong[f"{row.name} moves while it loads"] = shift
    assert not wrong, "\n".join(f"{where}: {str(found)[:200]}" for where, found in wrong.items())
    visitor.leave()


def test_the_tabs_of_ladders_say_that_their_numbers_are_of_players(gallery: Gallery, visit: Visit) -> None:
    visitor = visit(390, 844, has_touch=True, is_mobile=True)
    page = visitor.page
    for where in (f"/bots/{gallery.bot}/", "/ladder/3-players-60-s-1-s/"):
        page.goto(gallery.url + where)
        tabs = page.get_by_role("navigation", name="Players", exact=True)
        expect(tabs.locator(".segment-number")).to_have_text(["3", "4"])
        words = page.locator(f"#{tabs.get_attribute('aria-labelledby')}")
        expect(words).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(f"{gallery.url}/learn/?step=2")
    assert re.search(r"turn order.*bid order", page.locator(".is-now p").inner_text())
    assert page.evaluate(SEATS_OF_LESSON) == []
    visitor.leave()


def box(page: Any, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).bounding_box()
    return found


@pytest.mark.slow
def test_five_seats_stand_beside_the_board_and_below_it_on_a_phone(gallery: Gallery, visit: Visit) -> None:
    visitor = visit(1280, 844)
    match = gallery.page_of(gallery.five)
    wide = visitor.open(f"{match}?d=0")  # how much everybody has at the end is chance
    seat, other, table = (box(wide, each) for each in (".seat.seat-1", ".seat.seat-5", ".player"))
    assert seat["x"] == other["x"] < table["x"] and other["y"] < table["y"] + table["height"]

    wide = visitor.open(match)
    name = wide.locator(".seats .item-name").first
    assert box(wide, ".seats .item-name >> nth=0")["width"] <= 1, "an item is its drawing here"
    wide.locator(".seats .item").first.hover()
    tip = wide.locator(".seats .item > .tip").first
    expect(tip).to_be_visible()
    told = tip.evaluate("each => getComputedStyle(each, '::before').content")
    assert name.text_content() in told, "its tip begins with its name"
    wide.locator("#main").focus()
    wide.keyboard.press("Tab")
    expect(wide.locator('a[href="?spoilers=0"]')).to_be_focused()
    visitor.leave()

    visitor = visit(390, 844)
    phone = visitor.open(match)
    first, second, fifth = (box(phone, f".seat.seat-{number}") for number in (1, 2, 5))
    assert first["y"] == second["y"] and first["width"] == second["width"]
    assert fifth["width"] > 2 * first["width"]
    visitor.leave()


CUT = """([part, texts]) => {
  const panel = document.querySelector(part), { left, right } = panel.getBoundingClientRect();
  const seen = [...panel.querySelectorAll(texts)].filter((each) => getComputedStyle(each).display !== "none");
  const cut = seen.map((each) => [each.getBoundingClientRect(), each.textContent]);
  return [seen.length, panel.scrollWidth - panel.clientWidth,
    cut.filter(([box]) => box.left < left - 1 || box.right > right + 1).map(([, text]) => text)];
}"""


@pytest.mark.slow
def test_the_chart_is_whole_before_any_script(gallery: Gallery, visit: Visit) -> None:
    visitor = visit(390, 844, java_script_enabled=False)
    page = visitor.page
    page.goto(gallery.page_of(gallery.four))
    drawn = ".axis-label, .line, .end-label, .seat-point, .grid-line.is-round"
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        number, more, cut = page.evaluate(CUT, ["[data-chart-plain]", drawn])
        assert (number > 10, cut) == (True, []), width
        clipped = "each => getComputedStyle(each).overflowX === 'clip'"
        assert more <= 0 or page.locator("[data-chart-plain]").evaluate(clipped), width
    visitor.context.close()  # what a browser without scripts says of them is no complaint
