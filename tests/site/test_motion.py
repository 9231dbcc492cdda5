"""What moves in the viewer, seen in Chromium: how a step forward gets to where it ends, and when nothing moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.rules import View
from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium, listen
from webui.matches import ending
from webui.replays.motions import motions
from webui.replays.replay import FinishedReplay, Step

pytestmark = in_chromium

Wanted = Callable[[Step, View, View], bool]


@dataclass
class Watched:
    """A finished match on a served site, and its replay."""

    url: str
    replay: FinishedReplay

    def before(self, wanted: Wanted) -> str:
        """The address one step before the first decision of a kind."""
        replay = self.replay
        for ply in range(2, len(replay.steps) + 1):
            if wanted(replay.steps[ply - 1], replay.position(ply - 1), replay.position(ply)):
                return f"{self.url}?d={replay.index_of(ply - 1)}"
        raise AssertionError("no decision is like this")


@pytest.fixture
def watched(transactional_db: None, live_server: Any, kit: Kit) -> Watched:
    claim, played = kit.ready_to_finish(kit.versions(3))
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    return Watched(f"{live_server.url}/matches/{claim.match_id}/", FinishedReplay.of_record(played.document))


@pytest.fixture
def browser(watched: Watched) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


RECORD = """() => {
  window.seen = [];
  const root = document.querySelector("[data-viewer]");
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") {
        const { transform, opacity, strokeDasharray } = target.style;
        const kind = target.closest(".fly") ? "" : target.matches(".owner-border") ? strokeDasharray && "border"
          : target.matches(".card, .djinn-card") ? transform ? "slide" : opacity && "fade" : "";
        if (kind) window.seen.push([kind, target.textContent]);
      }
      for (const node of addedNodes) {
        if (node.matches?.(".fly")) window.seen.push(["fly", node.firstElementChild.getAttribute("href")]);
        if (node.matches?.(".counts")) window.seen.push(["count", node.previousSibling.textContent]);
      }
    }
  }).observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
}"""
"""From here on the page notes what begins to move: what kind, and what it is or says."""


def opened(browser: Any, url: str, **context: Any) -> Any:
    page = browser.new_context(**{"viewport": {"width": 1600, "height": 1000}, **context}).new_page()
    page.goto(url)
    page.wait_for_selector("[data-ready]")
    page.evaluate(RECORD)
    return page


def step(page: Any, key: str = "ArrowRight") -> list[list[str]]:
    """Step, and what moved until all was still again."""
    slide = page.locator("[data-slide]")
    ply = int(slide.input_value())
    page.evaluate("window.seen = []")
    page.keyboard.press(key)
    expect(slide).to_have_js_property("value", str(ply + (1 if key == "ArrowRight" else -1)))
    moving = ".fly, .counts, .card[style*=a], .djinn-card[style*=a], .owner-border[style*=stroke]"
    expect(page.locator(moving)).to_have_count(0)
    expect(page.locator(".meeple[style*=hidden]")).to_have_count(0)
    seen: list[list[str]] = page.evaluate("window.seen")
    return seen


def is_clean_up(step: Step, before: View, after: View) -> bool:
    return len(after.market) > len(before.market)


def is_purchase(step: Step, before: View, after: View) -> bool:
    row = before.market, after.market
    return len(row[1]) == len(row[0]) - 1 and row[0][:-1] != row[1]


def captures(step: Step, before: View, after: View) -> bool:
    return any(motion[1] == "camel" for motion in motions(step, before, after))


def lifts(step: Step, before: View, after: View) -> bool:
    return any(motion[0] == "lift" for motion in motions(step, before, after))


@pytest.mark.slow
def test_new_cards_fade_in_and_those_that_stay_slide(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.before(is_clean_up))
    kinds = {kind for kind, _ in step(page)}
    assert "fade" in kinds
    assert step(page, "ArrowLeft") == [], "a step back moves nothing"
    page = opened(browser, watched.before(is_purchase))
    assert "slide" in {kind for kind, _ in step(page)}


@pytest.mark.slow
def test_gold_counts_and_readers_are_told_the_new_number_at_once(watched: Watched, browser: Any) -> None:
    def pays(step: Step, before: View, after: View) -> bool:
        seat = step.seat - 1
        return step.verb == "bid" and before.seats[seat].gold != after.seats[seat].gold

    page = opened(browser, watched.before(pays))
    ply = int(page.locator("[data-slide]").input_value()) + 1
    told = [number for kind, number in step(page) if kind == "count"]
    seat = watched.replay.steps[ply - 1].seat
    assert str(watched.replay.position(ply).seats[seat - 1].gold) in told
    expect(page.locator(f"[data-part=seat-{seat}-stock] dd").first).to_have_text(told[0])


@pytest.mark.slow
def test_a_capture_lifts_brings_a_camel_and_draws_the_border(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.before(captures))
    complaints = listen(page)
    seen = step(page)
    assert ["fly", "#camel"] in seen and "border" in {kind for kind, _ in seen}
    page = opened(browser, watched.before(lifts))
    assert sum(what.startswith("#m-") for kind, what in step(page) if kind == "fly") >= 2
    assert complaints == []


@pytest.mark.slow
def test_what_is_picked_up_stays_in_the_air_while_it_plays(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.before(lambda step, before, after: step.verb == "take"))
    page.evaluate("""() => {
      const caption = document.querySelector("[data-part=caption]");
      new MutationObserver(() => { document.body.dataset.inAir ??= document.querySelectorAll(".fly").length; })
        .observe(caption, { childList: true });
    }""")
    page.select_option("[data-speed]", "0.5")
    page.keyboard.press("Space")
    expect(page.locator("body")).to_have_attribute("data-in-air", re.compile("[1-9]"))
    page.keyboard.press("Space")
    expect(page.locator(".fly")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "motion"), [("4", "no-preference"), ("1", "reduce")])
def test_nothing_moves_at_speed_and_with_reduced_motion(
    watched: Watched, browser: Any, speed: str, motion: str
) -> None:
    for wanted in (is_clean_up, captures, lifts):
        page = opened(browser, watched.before(wanted), reduced_motion=motion)
        page.select_option("[data-speed]", speed)
        page.locator("[data-speed]").blur()
        assert step(page) == []
        page.context.close()


@pytest.mark.slow
def test_the_buttons_step_by_what_is_chosen(watched: Watched, browser: Any) -> None:
    page = opened(browser, f"{watched.url}?d=0")
    slide, following = page.locator("[data-slide]"), page.locator("#step-next")
    page.select_option("[data-unit]", "turn")
    assert following.get_attribute("title") == "Next turn (Shift →)"
    following.click()
    following.click()
    expect(slide).to_have_js_property("value", "2")  # two bids
    page.select_option("[data-unit]", "round")
    following.click()
    told = slide.get_attribute("aria-valuetext")
    assert told is not None and "round 2. Last: " in told
    page.locator("#step-previous").click()
    expect(page.locator(".position b")).to_have_text("0")
    page.select_option("[data-unit]", "")
    following.click()
    expect(slide).to_have_js_property("value", "1")


@pytest.mark.slow
def test_on_a_phone_speed_view_and_steps_are_in_a_sheet(watched: Watched, browser: Any) -> None:
    page = opened(browser, watched.url, viewport={"width": 390, "height": 844}, has_touch=True)
    choices = page.get_by_role("combobox", name=re.compile("^(Step|Speed|Seen by)"))  # those that can be seen
    expect(choices).to_have_count(0)
    page.get_by_role("button", name="Options").tap()
    expect(choices).to_have_count(3)
    page.select_option("[data-unit]", "round")
    page.keyboard.press("Escape")
    expect(choices).to_have_count(0)
    last = watched.replay.position(len(watched.replay.steps)).round
    page.locator("#step-previous").tap()
    assert f"round {last}. " in (page.locator("[data-slide]").get_attribute("aria-valuetext") or "")
    for button in page.locator(".transport > :visible, .more-options").all():
        box = button.bounding_box()
        assert box and min(box["width"], box["height"]) >= 44
