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
from tests.site.test_analysis_browser import sow
from tests.site.test_browser import AXE, faults, tab_to
from tests.site.test_play import Table

pytestmark = [*in_chromium, pytest.mark.slow]


class Guest(NamedTuple):
    """A guest at a table: its path on the site, and the secret in the browser."""

    path: str
    secret: str


class Seated:
    """Three guests: one is asked for a bid, and the others for a move."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        tables = [begun(kit) for _ in range(3)]
        for table in tables[1:]:
            table.play_until_move()
        guests = [Guest(each.path, each.client.cookies["guest"].value) for each in tables]
        self.bidding, self.moving, self.sowing = guests

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


def standing(page: Any) -> list[str]:
    """The labels of all tiles: who stands there."""
    labels: list[str] = page.locator(".layer-pieces .tile").evaluate_all("all => all.map((tile) => tile.ariaLabel)")
    return labels


def test_a_sowing_is_taken_back_until_it_is_sent_whole(seated: Seated) -> None:
    with chromium() as browser:
        visitor = Visitor(browser, 1280, 720, reduced_motion="reduce")
        page = seated.open(visitor, seated.sowing)
        lit, held = page.locator(".layer-pieces .is-lit"), page.locator("[data-choosing-held] .glyph")
        undo, hint = page.locator("[data-choosing-undo]"), page.locator("[data-hints-ask]")
        tiles, board = lit.count(), standing(page)
        sow(page)
        expect(held).to_have_count(3)
        expect(hint).to_be_hidden()
        sow(page)
        expect(held).to_have_count(2)
        undo.click()
        expect(held).to_have_count(3)
        page.evaluate(AXE)
        assert faults(page) == []
        page.keyboard.press("Backspace")
        expect(lit).to_have_count(tiles)
        expect(hint).to_be_visible()
        assert standing(page) == board
        for left in (3, 2, 1):
            sow(page)
            expect(held).to_have_count(left)
        with page.expect_request(re.compile("/answer$")) as sent:
            sow(page)
        verbs = [action.split(" ")[0] for action in sent.value.post_data_json["actions"]]
        assert verbs == ["take", "drop", "drop", "drop"]
        assert sent.value.response().status == 204
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
