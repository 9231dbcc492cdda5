"""The first game in Chromium on a phone: twelve decisions by touch and by keyboard, taken back and advised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium
from tests.site.gallery import Serve, Visitor
from tests.site.test_browser import AXE, faults, tab_to

pytestmark = [*in_chromium, pytest.mark.slow]


class Site:
    """The address of a site without matches: the first game needs none."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        """Seed nothing."""


@pytest.fixture(scope="module")
def site(serve: Serve) -> Iterator[str]:
    with serve(Site) as found:
        yield f"{found.url}/learn/game/"


def opened(visitor: Visitor, address: str) -> Any:
    visitor.page.goto(address)
    expect(visitor.page.locator("[data-analysis][data-ready]")).to_be_attached()
    return visitor.page


def test_it_is_played_to_its_end_on_a_phone(site: str) -> None:
    with chromium() as browser:
        visitor = Visitor(browser, 390, 844, has_touch=True, is_mobile=True, reduced_motion="reduce")
        page = opened(visitor, site)
        lesson, rows = page.locator(".lesson-now"), page.locator("[data-hint-list] li")
        for number in range(1, 13):
            expect(lesson).to_contain_text(f"Decision {number} of 12")
            expect(lesson.locator("[data-advice]")).to_contain_text("A house player likes this best")
            expect(rows.first).to_contain_text("looks best")
            if number in (1, 3):
                page.evaluate(AXE)
                assert faults(page) == []
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            rows.first.locator("[data-hint-play]").tap()
            if number < 12:
                expect(lesson).to_contain_text(f"Decision {number + 1} of 12")
        end = page.get_by_role("link", name="Now play a whole game")
        expect(end).to_be_in_viewport()
        page.evaluate(AXE)
        assert faults(page) == []
        end.tap()
        page.wait_for_url("**/play/")
        visitor.leave()


def test_a_visitor_chooses_otherwise_by_keyboard_and_is_told(site: str) -> None:
    with chromium() as browser:
        visitor = Visitor(browser, 1280, 720, reduced_motion="reduce")
        page = opened(visitor, site)
        lesson = page.locator(".lesson-now")
        expect(lesson).to_contain_text("A house player likes this best")
        tab_to(page, "[data-step-name='spot-1']", limit=80)
        page.keyboard.press("Enter")
        expect(lesson).to_contain_text("Decision 2 of 12")
        expect(lesson).to_contain_text("A house player would rather have chosen this")
        page.keyboard.press("ArrowLeft")
        expect(lesson).to_contain_text("Decision 1 of 12")
        expect(page.locator("[data-question]")).to_have_text("Choose the bid: 7 spots are possible")
        visitor.leave()
