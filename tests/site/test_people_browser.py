"""A person's table in Chromium: hints by mouse and by keyboard, what a click would bring, and what axe says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium
from tests.site.gallery import Serve, Visitor
from tests.site.test_browser import AXE, faults, tab_to
from tests.site.test_play import Table

pytestmark = [*in_chromium, pytest.mark.slow]


class Guest(NamedTuple):
    """A guest at a table: its path on the site, and the secret in the browser."""

    path: str
    secret: str


class Seated:
    """Two guests: one is asked for a bid, and the other for a move."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        bidding, moving = begun(kit), begun(kit)
        while moving.game.state.phase == "bid" or moving.game.state.to_act != 1:
            is_guest, legal = moving.game.state.to_act == 1, [action.text for action in moving.game.state.legal]
            moving.play("bid 4" if is_guest and "bid 4" in legal else legal[-1])
        self.bidding, self.moving = (Guest(each.path, each.client.cookies["guest"].value) for each in (bidding, moving))

    def open(self, visitor: Visitor, guest: Guest) -> Any:
        """Open a guest's table, and return the page once the guest is asked."""
        visitor.context.add_cookies([{"name": "guest", "value": guest.secret, "url": self.url}])
        page = visitor.open(f"{self.url}{guest.path}")
        expect(page.locator("[data-choosing]")).to_be_visible()
        return page


def begun(kit: Kit) -> Table:
    """Return a table at which the guest is asked for a first bid."""
    table = Table(kit)
    table.sit_down()
    table.begin()
    while table.game.state.to_act != 1:
        table.play("bid 7")
    return table


@pytest.fixture(scope="module")
def seated(serve: Serve) -> Iterator[Seated]:
    with serve(Seated) as found:
        yield found


def test_a_hint_is_shown_on_the_table_and_played(seated: Seated) -> None:
    with chromium() as browser:
        visitor = Visitor(browser, 1280, 720)
        page = seated.open(visitor, seated.moving)
        page.locator("[data-hints-ask]").click()
        note, rows = page.locator("[data-hint-note]"), page.locator("[data-hint-list] li")
        expect(note).to_contain_text("Best first")
        assert 1 <= rows.count() <= 3
        expect(rows.first).to_contain_text("looks best")
        marked = page.locator(".layer-pieces .is-hinted")
        rows.first.hover()
        assert marked.count() >= 2, "a sowing goes from a tile to another one"
        note.hover()
        expect(marked).to_have_count(0)
        rows.first.locator("[data-hint-show]").click()
        note.hover()
        assert marked.count() >= 2, "it stays until it is clicked again"
        page.evaluate(AXE)
        assert faults(page) == []
        with page.expect_response(re.compile("/answer$")) as answered:
            rows.first.locator("[data-hint-play]").click()
        assert answered.value.status == 204
        expect(page.locator("[data-hints]")).to_be_hidden()
        expect(marked).to_have_count(0)
        visitor.leave()


def test_hints_and_gains_without_a_mouse_on_a_phone(seated: Seated) -> None:
    with chromium() as browser:
        visitor = Visitor(browser, 390, 844, has_touch=True, is_mobile=True)
        page = seated.open(visitor, seated.bidding)
        gain = page.locator("[data-choosing-gain]")
        tab_to(page, "[data-choosing-steps] button", limit=200)
        step = page.evaluate("document.activeElement.dataset.stepName")
        price = (18, 12, 8, 5, 3, 1, 0)[int(step.removeprefix("spot-")) - 1]
        expect(gain).to_have_text(f"Points now: \N{MINUS SIGN}{price}" if price else "")
        tab_to(page, "[data-hints-ask]")
        expect(gain).to_have_text("")
        page.keyboard.press("Enter")
        expect(page.locator("[data-hint-note]")).to_contain_text("Best first")
        tab_to(page, "[data-hint-show]")
        assert page.locator(".is-hinted").count() == 1
        page.evaluate(AXE)
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        visitor.leave()
