"""The widest table, five seats with both expansions, in Chromium: everything is where it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from arena.rules import Ruleset, format_position, read_game
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, Played, play_out
from tests.site.chromium import chromium, in_chromium
from webui.matches import ending, ownership

pytestmark = in_chromium


def holds_items(played: Played) -> bool:
    """Whether somebody has an item at the end."""
    return any(seat["items"] for seat in format_position(read_game(played.document).state)["seats"])


@pytest.fixture
def match(transactional_db: None, live_server: Any, kit: Kit) -> str:
    """The address of a finished match."""
    ruleset = Ruleset(5, ("artisans", "whims"))
    claim = kit.claim(ownership.schedule_match(ruleset, kit.versions(5), CLOCK, POLICY, True))
    played = next(played for played in (play_out(claim, seed) for seed in range(99)) if holds_items(played))
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    return f"{live_server.url}/matches/{claim.match_id}/"


@pytest.fixture
def browser(match: str) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


OUTSIDE = """() => {
  const player = document.querySelector(".player").getBoundingClientRect();
  return [...document.querySelectorAll(".player :is(.spot, .transport > *, .position, .more-options, .options label)")]
    .filter((each) => each.getClientRects().length)
    .filter((each) => {
      const { left, right } = each.getBoundingClientRect();
      return left < player.left || right > player.right;
    })
    .map((each) => each.outerHTML);
}"""


CUT = """name => [...document.querySelectorAll(".seat-name a")].filter((each) => {
  each.textContent = name;
  return each.scrollWidth > each.clientWidth;
}).length ? ["a name is cut"] : []"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 761, 1121, 1280])
def test_tracks_and_controls_keep_inside_the_player(match: str, browser: Any, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    page.goto(match)
    page.wait_for_selector("[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OUTSIDE) == []
    if width < 761:
        assert page.evaluate(CUT, "House Trader of Naqala") == []


def box(page: Any, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).bounding_box()
    return found


@pytest.mark.slow
def test_five_seats_stand_beside_the_board_and_below_it_on_a_phone(match: str, browser: Any) -> None:
    wide = browser.new_context(viewport={"width": 1280, "height": 844}).new_page()
    wide.goto(f"{match}?d=0")  # how much everybody has at the end is chance
    wide.wait_for_selector("[data-ready]")
    seat, other, table = (box(wide, each) for each in (".seat.seat-1", ".seat.seat-5", ".player"))
    assert seat["x"] == other["x"] < table["x"] and other["y"] < table["y"] + table["height"]

    wide.goto(match)
    wide.wait_for_selector("[data-ready]")
    name = wide.locator(".seats .item-name").first
    assert box(wide, ".seats .item-name >> nth=0")["width"] <= 1, "an item is its drawing here"
    wide.locator(".seats .item").first.hover()
    tip = wide.locator(".seats .item > .tip").first
    expect(tip).to_be_visible()
    told = tip.evaluate("each => getComputedStyle(each, '::before').content")
    assert name.text_content() in told, "its tip begins with its name"

    phone = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    phone.goto(match)
    phone.wait_for_selector("[data-ready]")
    first, second, fifth = (box(phone, f".seat.seat-{number}") for number in (1, 2, 5))
    assert first["y"] == second["y"] and first["width"] == second["width"]
    assert fifth["width"] > 2 * first["width"]
