"""The viewer in Chromium: stepping, playing, points of view, embedding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.kit.ladder import Kit
from tests.kit.plies import indices
from tests.site.chromium import chromium, in_chromium, listen
from webui.matches import ending

pytestmark = in_chromium


@dataclass
class Watched:
    """A finished match on a served site, and how addresses name its plies."""

    site: str
    match: str
    plies: list[int]
    events: list[list[Any]]

    @property
    def url(self) -> str:
        return f"{self.site}/matches/{self.match}/"


@pytest.fixture
def watched(transactional_db: None, live_server: Any, kit: Kit) -> Watched:
    claim, played = kit.ready_to_finish(kit.versions(3))
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    events = played.document["events"]
    return Watched(live_server.url, claim.match_id, indices(event[0] > 0 for event in events), events)


@pytest.fixture
def browser(watched: Watched) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def opened(browser: Any, url: str, **context: Any) -> Any:
    """A page whose viewer is ready, in a window in which all its controls have room."""
    page = browser.new_context(**{"viewport": {"width": 1600, "height": 1000}, **context}).new_page()
    page.goto(url)
    page.wait_for_selector("[data-ready]")
    lacking = "all => all.map(use => use.getAttribute('href')).filter(name => !document.querySelector(name))"
    assert page.eval_on_selector_all("use", lacking) == []
    assert page.locator("symbol#d-ganesha").count() == 1, "drawings of other places were loaded"
    return page


def table(page: Any) -> str:
    """What stands on the table once nothing moves any more: boards and panels as text and names."""
    expect(page.locator(".counts")).to_have_count(0)
    names = page.eval_on_selector_all(".layer-pieces [data-tile]", "all => all.map(each => each.ariaLabel)")
    parts = page.locator(".seats [data-part], .market, .area-djinns, .tracks, .caption")
    return "\n".join([*names, *parts.all_text_contents()])


@pytest.mark.slow
def test_a_visitor_steps_through_a_match_by_keyboard(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.url)
    complaints = listen(page)
    at, last = page.locator(".position b"), watched.plies[-1]
    expect(page.locator(".position")).to_contain_text(f"end / {last} · ")
    page.keyboard.press("Home")
    expect(page.locator(".position")).to_have_text(f"before 0 / {last} · round 1")
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text(str(watched.plies[1]))
    expect(page.locator("[data-caption]")).to_have_attribute("aria-live", "polite")
    page.keyboard.press("Shift+ArrowRight")
    expect(at).to_have_text(str(watched.plies[2]))
    page.keyboard.press("r")
    expect(page.locator("[data-slide]")).to_have_attribute("aria-valuetext", re.compile("round 2. Last: "))
    page.keyboard.press("Shift+R")
    expect(at).to_have_text("0")
    page.keyboard.press("End")
    expect(at).to_have_text("end")
    page.keyboard.press("ArrowLeft")
    expect(at).to_have_text(str(watched.plies[-2]))
    expect(page.locator(".move.is-now .move-index")).to_have_text(str(watched.plies[-3]))  # the decision that led there
    page.keyboard.press("m")
    expect(page.locator(".move-list")).to_be_focused()
    page.locator(".move-list").blur()
    page.keyboard.press("?")
    expect(page.locator("[data-sheet=keys]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-sheet=keys]")).to_be_hidden()
    page.locator(".layer-pieces [data-tile=A1]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-sheet=about]")).to_contain_text("A1, ")
    assert complaints == []


@pytest.mark.slow
def test_what_is_stepped_to_is_what_the_server_shows_there(watched: Watched, browser: Any) -> None:
    page = opened(browser, f"{watched.url}?d=0")
    last = len(watched.plies) - 1
    for ply in (1, 31, 76, last):
        index = watched.plies[ply]
        page.locator("[data-slide]").fill(str(ply))
        expect(page.locator(".position b")).to_have_text(str(index) if ply < last else "end")
        stepped = table(page)
        plain = browser.new_context(java_script_enabled=True).new_page()
        plain.route("**/viewer/joined-main.js", lambda route: route.abort())
        plain.goto(f"{watched.url}?d={index}")
        assert table(plain) == stepped
        plain.close()


@pytest.mark.slow
def test_it_plays_to_the_end(watched: Watched, browser: Any) -> None:
    begin = watched.plies[-12]
    page = opened(browser, f"{watched.url}?d={begin}")
    page.keyboard.press("Space")
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-caption]")).to_have_attribute("aria-live", "off")
    expect(page.locator(".position b")).to_have_text("end")
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".sky > *")).to_have_count(0)
    page.select_option("[data-speed]", "8")
    page.click("[data-play]")  # from the end it begins again
    expect(page.locator(".position b")).not_to_have_text("end")


COUNT_FLIGHTS = """() => {
  window.flown = 0;
  const count = (records) => { for (const record of records) window.flown += record.addedNodes.length; };
  new MutationObserver(count).observe(document.querySelector(".sky"), { childList: true });
}"""


@pytest.mark.slow
def test_pieces_fly_when_a_decision_is_stepped_to_and_never_backwards(watched: Watched, browser: Any) -> None:
    drop = next(i for i, (seat, text, *_) in enumerate(watched.events) if seat and text.startswith("drop"))
    before, after = drop, watched.plies[watched.plies.index(drop) + 1]
    page = opened(browser, f"{watched.url}?d={before}")
    page.evaluate(COUNT_FLIGHTS)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".position b")).to_have_text(str(after))
    page.wait_for_function("window.flown > 0")
    expect(page.locator(".sky > *")).to_have_count(0)
    page.evaluate("window.flown = 0")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".position b")).to_have_text(str(before))
    assert page.evaluate("window.flown") == 0

    still = opened(browser, f"{watched.url}?d={before}", reduced_motion="reduce")
    still.evaluate(COUNT_FLIGHTS)
    still.keyboard.press("ArrowRight")
    expect(still.locator(".position b")).to_have_text(str(after))
    assert still.evaluate("window.flown") == 0
    expect(still.locator(".layer-pieces .has-changed")).not_to_have_count(0)


@pytest.mark.slow
def test_a_seats_view_hides_what_it_could_not_see(watched: Watched, browser: Any) -> None:
    page = opened(browser, f"{watched.url}?d={watched.plies[41]}")
    hidden = page.locator(".seats").get_by_text("hidden", exact=True)
    expect(hidden).to_have_count(0)
    page.keyboard.press("2")
    expect(hidden).to_have_count(2)
    expect(page.locator("[data-part=seat-2-stock]").get_by_text("hidden", exact=True)).to_have_count(0)
    assert "view=2" in page.url
    page.reload()
    expect(hidden).to_have_count(2)
    page.wait_for_selector("[data-ready]")
    page.keyboard.press("2")
    expect(hidden).to_have_count(0)


@pytest.mark.slow
def test_the_slider_and_its_marks(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.url)
    page.locator("[data-slide]").fill("7")
    expect(page.locator(".position b")).to_have_text(str(watched.plies[7]))
    mark = page.locator("[data-marks] a").first
    to = mark.get_attribute("href")
    mark.dispatch_event("click")  # another mark may lie above it
    assert to is not None
    expect(page).to_have_url(re.compile(re.escape(to) + "$"))
    page.hover("[data-slide]", position={"x": 12, "y": 12})
    expect(page.locator("[data-hint]")).to_contain_text("round 1")


@pytest.mark.slow
def test_the_numbers_of_the_match(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.url)
    page.locator(".area-chart").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] canvas")).to_have_count(1)
    for kind in ("source", "bids", "options", "think"):
        page.select_option("[data-chart-kind]", kind)
        expect(page.locator("[data-chart] canvas")).to_have_count(1)
        expect(page.locator("[data-chart-table] tbody tr")).not_to_have_count(0)


@pytest.mark.slow
def test_it_can_be_embedded_by_another_site(watched: Watched, browser: Any, tmp_path: Path) -> None:
    framed = f"<iframe id=table width=700 height=900 src='{watched.url}embed'></iframe>"
    (tmp_path / "index.html").write_text(f"<!doctype html>{framed}<iframe id=page src='{watched.url}'></iframe>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        inside = page.frame_locator("#table")
        expect(inside.locator("[data-ready]")).to_be_visible()
        inside.locator("#step-previous").click()
        expect(inside.locator(".position b")).to_have_text(str(watched.plies[-2]))
        expect(page.frame_locator("#page").locator(".board")).to_have_count(0)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
def test_without_scripts_the_page_is_whole(watched: Watched, browser: Any) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{watched.url}?d={watched.plies[21]}&view=1")
    expect(page.locator(".seats").get_by_text("hidden", exact=True)).to_have_count(2)
    page.click("#step-next")
    page.wait_for_url(f"**?view=1&d={watched.plies[22]}")
    for offered in ("[data-play]", "[data-slide]", "[data-speed]", "[data-help]"):
        expect(page.locator(offered)).to_be_hidden()
    expect(page.locator(".move")).to_have_count(len(watched.plies) - 1)
