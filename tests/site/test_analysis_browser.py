"""The analysis board in Chromium: a whole round by mouse and by keyboard, lines to compare, and what axe says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from arena.rules import Game, Reseed, Ruleset, format_position, position, settle, start, view
from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium
from tests.site.gallery import WIDEST, Serve, Visitor
from tests.site.test_browser import AXE, faults, tab_to
from webui.analysis.addresses import pack_position
from webui.analysis.tables import seed_of
from webui.board.choices import choices

pytestmark = [*in_chromium, pytest.mark.slow]

Visit = Callable[..., Visitor]
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
QUIET = {"reduced_motion": "reduce"}
PLACES = {
    "tile": ".layer-pieces [data-tile='{}']",
    "spot": "[data-part=turn-track] .spot:nth-child({})",
    "djinn": "[data-part=djinns] .djinn-card:has(use[href='#d-{}'])",
}
WAYS = {(1, 0): "ArrowRight", (-1, 0): "ArrowLeft", (0, 1): "ArrowDown", (0, -1): "ArrowUp"}


class Site:
    """The address of a site without matches: an analysis needs none."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        """Seed nothing."""


@pytest.fixture(scope="module")
def site(serve: Serve) -> Iterator[str]:
    """Yield the address of a site that is served for all tests here."""
    with serve(Site) as found:
        yield f"{found.url}/analysis/"


@pytest.fixture
def visit(site: str) -> Iterator[Visit]:
    """Yield a function that opens windows in Chromium."""
    with chromium() as browser:
        yield partial(Visitor, browser)


@pytest.fixture(scope="module")
def market() -> str:
    """Query of a position of five seats at a Large Market with a full row."""
    state, rng = start(WIDEST, bytes(32)), Random(1)
    while state.phase != "tile" or [action.text for action in state.legal][:2] != ["buy 1 2", "buy 1 3"]:
        assert not state.is_over
        state = settle(state.play(rng.choice(state.legal)), rng)
    return "?position=" + pack_position(format_position(state))


def opened(visitor: Visitor, address: str) -> Any:
    """Open an analysis, and return the page when its script is ready."""
    visitor.page.goto(address)
    expect(visitor.page.locator("[data-analysis][data-ready]")).to_be_attached()
    return visitor.page


def number(page: Any) -> int:
    """Return how many decisions of the line have been played."""
    return int(page.locator(".line-steps b").text_content())


def by_mouse(page: Any, step: str) -> None:
    """Click the place of a step, or its button."""
    kind, _, name = step.partition("-")
    if kind == "card":
        page.locator("[data-part=market] .card").nth(int(name) - 1).click()
    elif kind in PLACES:
        page.locator(PLACES[kind].format(name)).click()
    else:
        page.locator(f"[data-step-name='{step}']").click()


def by_keyboard(page: Any, step: str) -> None:
    """Reach a step with Tab and, on the board, with the arrow keys. Choose it with Enter."""
    kind, _, name = step.partition("-")
    page.locator("#main").focus()
    if kind != "tile":
        tab_to(page, f"[data-step-name='{step}']", limit=60)
        page.keyboard.press("Enter")
        return
    tab_to(page, ".layer-pieces .tile", limit=60)
    here = page.evaluate("document.activeElement.dataset.tile")
    for axis, (origin, end) in enumerate(zip(here, name, strict=True)):
        distance = ord(end) - ord(origin)
        way = [0, 0]
        way[axis] = 1 if distance > 0 else -1
        for _ in range(abs(distance)):
            page.keyboard.press(WAYS[way[0], way[1]])
    page.keyboard.press("Enter")


def sow(page: Any) -> None:
    """Choose the first lit tile and, if it is asked for, the first tribe."""
    page.locator(".layer-pieces .is-lit").first.click()
    if (tribes := page.locator("[data-step-name^=meeples]")).count():
        tribes.first.click()


def decide(page: Any, game: Game, action: str, choose: Callable[[Any, str], None]) -> None:
    """Choose an action step by step, until nothing is left to choose, and play it in the game, too."""
    played = number(page)
    legal = [each.text for each in game.state.legal]
    made = choices(position(game.state), legal, ["Seat 1", "Seat 2", "Seat 3"])
    expect(page.locator("[data-question]")).to_have_text(made["question"])
    chosen = next(each for each in made["actions"] if each["text"] == action)
    held = page.locator("[data-choosing-held] .glyph")
    game.play(action)
    in_hand = len(view(game.state, 0).turn.hand or "")
    for step in chosen["path"]:
        choose(page, step)
        if page.locator("[data-choosing]").evaluate("bar => bar.hidden || bar.ariaBusy"):
            break
        if number(page) > played or (chosen["goes_on"] and held.count() == in_hand):
            break
    if chosen["goes_on"]:  # until the last drop, the line is as it was
        expect(held).to_have_count(in_hand)
        expect(page.locator("[data-choosing-undo]")).to_be_visible()
        assert number(page) == played
    else:
        expect(page.locator(".line-steps b")).to_have_text(str(sum(event.seat > 0 for event in game.events)))
    if choose is by_keyboard:
        expect(page.locator("[data-choosing]")).to_be_visible()
        assert page.evaluate("document.activeElement !== document.body"), "the keyboard stays on the table"


@pytest.mark.parametrize("choose", [by_mouse, by_keyboard])
def test_a_whole_round_is_played_on_the_table(site: str, visit: Visit, choose: Callable[[Any, str], None]) -> None:
    visitor, rng = visit(1280, 900, **QUIET), Random(5)
    page = opened(visitor, f"{site}?players=3&seed=oasis")
    game = Game(Ruleset(3), seed_of("oasis"), None, Reseed(0, seed_of("1")))
    while game.state.round == 1:
        legal = [action.text for action in game.state.legal if not action.text.startswith("sell ")]
        decide(page, game, rng.choice(legal), choose)
    expect(page.locator("[data-question]")).to_have_text("Choose the bid: 7 spots are possible")
    query = urlsplit(page.url).query
    line = [event.text.replace(" ", ".") for event in game.events if event.seat]
    assert parse_qs(query)["line"] == ["~".join(line)], "the address is that of the line"
    assert visitor.page.request.get(f"{site}position.json?{query}").json() == format_position(game.state)
    visitor.leave()


def test_cards_are_chosen_as_a_set_and_given_back(site: str, market: str, visit: Visit) -> None:
    visitor = visit(1280, 900, **QUIET)
    page = opened(visitor, f"{site}{market}")
    cards = page.locator("[data-part=market] .card.is-lit")
    expect(cards).to_have_count(6)
    cards.nth(0).click()
    expect(page.locator("[data-step-name='card-1']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".card.is-chosen")).to_have_count(1)
    cards.nth(0).click()
    expect(page.locator(".card.is-chosen")).to_have_count(0)
    page.keyboard.press("Backspace")
    cards.nth(2).click()
    page.locator("[data-choosing-undo]").click()
    expect(page.locator(".card.is-chosen")).to_have_count(0)
    cards.nth(2).click()
    cards.nth(1).click()
    expect(page.locator(".line-steps b")).to_have_text("1")
    expect(page.locator(".move-list code")).to_have_text("buy 2 3")
    visitor.leave()


def test_a_sowing_is_taken_back_until_its_last_drop(site: str, visit: Visit) -> None:
    visitor = visit(1280, 900, **QUIET)
    page = opened(visitor, f"{site}?players=2&seed=oasis&line=bid.1~bid.2~bid.3~bid.4")
    address, lit, held = page.url, page.locator(".layer-pieces .is-lit"), page.locator("[data-choosing-held] .glyph")
    undo = page.locator("[data-choosing-undo]")
    tiles = lit.count()
    board = page.locator(".layer-pieces").inner_html()
    sow(page)
    expect(held).to_have_count(3)
    sow(page)
    expect(held).to_have_count(2)
    assert page.url == address and number(page) == 4, "nothing is played yet"
    undo.click()
    expect(held).to_have_count(3)
    expect(undo).to_be_focused()
    page.keyboard.press("Backspace")
    expect(lit).to_have_count(tiles)
    expect(undo).to_be_hidden()
    assert page.locator(".layer-pieces").inner_html() == board, "the table is as it was"
    for left in (3, 2, 1):
        sow(page)
        expect(held).to_have_count(left)
    sow(page)
    expect(page.locator(".line-steps b")).to_have_text("8")
    expect(page.locator(".kept-lines")).to_be_hidden()
    visitor.leave()


def test_a_visitor_goes_back_plays_otherwise_and_compares(site: str, visit: Visit) -> None:
    visitor = visit(1280, 900)
    page = opened(visitor, f"{site}?players=3&seed=oasis")
    page.locator("[data-choosing-all] summary").click()
    actions = page.locator(".choosing-action")
    expect(actions).to_have_count(7)
    actions.nth(2).click()
    expect(page.locator(".move-list code")).to_have_text("bid 3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".line-steps b")).to_have_text("0")
    expect(page.locator(".kept-lines")).to_be_hidden()
    page.locator("[data-step-name='spot-5']").click()
    expect(page.locator(".kept-lines tbody tr")).to_have_count(2)
    page.go_back()
    expect(page.locator(".line-steps b")).to_have_text("0")
    expect(page.locator(".move-list code")).to_have_text("bid 3")
    page.go_forward()
    expect(page.locator(".move-list code")).to_have_text("bid 5")
    page.locator(".kept-lines tbody tr:last-child th a").click()
    expect(page.locator(".move-list code")).to_have_text("bid 3")
    page.locator(".kept-lines tbody tr:last-child .icon-button").click()
    expect(page.locator(".kept-lines")).to_be_hidden()
    file = page.locator("a[data-file][href*='line.json']").get_attribute("href")
    assert file.endswith("?players=3&seed=oasis&line=bid.3")
    visitor.leave()


@pytest.mark.parametrize("choose", [by_mouse, by_keyboard])
def test_a_visitor_plays_on_against_house_players(site: str, visit: Visit, choose: Callable[[Any, str], None]) -> None:
    """The others answer by themselves. An earlier decision is played otherwise, and both games have an address."""
    visitor = visit(1280, 900)
    page = opened(visitor, f"{site}play/?players=3&seed=oasis&seat=2&house=greedy")
    expect(page.locator("[data-question]")).to_have_text("Choose the bid: 7 spots are possible")
    expect(page.locator(".seat.is-own b").first).to_have_text("Visitor")
    before = number(page)
    choose(page, "spot-1")
    expect(page.locator("[data-choosing]")).to_be_visible()
    expect(page).to_have_url(re.compile("line=bid.1&house=greedy$"))
    assert number(page) > before
    assert "bid 1" in page.locator(".move-list code").all_text_contents()
    own = page.locator(".move-list li", has=page.get_by_text("bid 1", exact=True))
    own.locator("a").click()
    expect(page.locator(".line-steps b")).to_have_text(str(before + 1))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".line-steps b")).to_have_text(str(before))
    expect(page.locator("[data-question]")).to_have_text("Choose the bid: 7 spots are possible")
    choose(page, "spot-3")
    expect(page).to_have_url(re.compile("line=bid.3&house=greedy$"))
    page.locator("[href*='chance=2']").click()
    expect(page).to_have_url(re.compile("chance=2&house=greedy$"))
    page.get_by_text("Another seat or opponent").click()
    page.get_by_label("Your seat").select_option("3")
    page.get_by_text("Play from the start of this game").click()
    expect(page.locator(".seat-3.is-own")).to_be_attached()
    expect(page).to_have_url(re.compile("seat=3&house=greedy$"))
    visitor.leave()


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 720}, {"width": 2560, "height": 1440}])
def test_the_page_has_no_faults_and_does_not_scroll_sideways(
    site: str, market: str, visit: Visit, window: dict[str, Any]
) -> None:
    visitor = visit(**window)
    five = "?players=5&expansions=artisans&expansions=whims&seed=a"
    for where in ("", market, five, f"play/{five}&seat=2&house=greedy"):
        page = visitor.page
        page.goto(f"{site}{where}")
        if where:
            expect(page.locator("[data-analysis][data-ready]")).to_be_attached()
            page.locator("[data-choosing-all] summary").click()
        page.evaluate(AXE)
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.leave()
