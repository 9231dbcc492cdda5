"""In Chromium: from sign-up to a match page by keyboard alone, and a look at every page in both themes and widths.

With ARENA_SCREENSHOTS what the browser saw is written to that folder, for people to look at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from arena.rules import Ruleset
from tests.kit.events import Played, by_chance
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.plies import indices
from tests.kit.stored_events import bots, store
from tests.site.chromium import chromium, in_chromium
from tests.site.gallery import Serve
from tests.site.world import sign_in
from webui.accounts import actions as account_actions
from webui.accounts import sessions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.comparisons import actions as comparison_actions
from webui.comparisons.models import Comparison
from webui.fairness import actions as fairness_actions
from webui.following import actions as following_actions
from webui.following.digests import unsubscribe_token
from webui.game_statistics.actions import count_matches
from webui.matches import ending
from webui.matches.models import Match
from webui.ratings.fitting import fit_due

pytestmark = in_chromium


LADDER = "/ladder/3-players-60-s-1-s/"
FAIRNESS_DAY = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Arena:
    """A served arena with a finished and a running match."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        owner = account_actions.create_user("lena", "a quiet caravan")
        own = bot_actions.register_bot(owner, "Own Bot", description="Counts twice.")
        self.token = token_actions.issue_token(own, label="the box under the desk", days=365).token_id
        table = [bot_actions.register_version(own, "1.0"), *kit.versions(2)]
        claim, played = kit.ready_to_finish(table)
        ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
        self.finished = claim.match_id
        self.plies = indices(event[0] > 0 for event in played.document["events"])
        """How addresses name those of the finished match."""
        kit.finish(table[1:])  # a second ladder for two of them
        fit_due()
        running = kit.claim(kit.match(table))
        Writer(running).append(play_out(running).entries[:60])
        self.running = running.match_id
        client = Client()
        sign_in(client, owner)
        self.session = client.cookies["sessionid"].value
        """Cookie of the owner of `own-bot`."""
        sessions.note_session(owner, self.session, address="127.0.0.1", agent="Chrome/140.0 (Windows NT 10.0)")
        for agent, address in (("Firefox/140.0 (X11; Linux)", "203.0.113.7"), ("", "2001:db8:1:2::/64")):
            store = SessionStore()
            store.create()
            sessions.note_session(owner, str(store.session_key), address=address, agent=agent)
        seed_events(owner)
        Match.objects.filter(pk=claim.match_id).update(finished_at=FAIRNESS_DAY)
        with patch.object(timezone, "now", lambda: FAIRNESS_DAY + timedelta(hours=1)):
            fairness_actions.report_fairness()
        count_matches()
        following_actions.follow_bot(owner, "bot-1")
        self.version = bot_actions.register_version(own, "1.1")
        self.comparison = comparison_actions.compare_versions(owner, self.version, table[0], Ruleset(2))
        Comparison.objects.update(scores=[2, 4, 1, 3, 2, 3, 4, 2], length=8)
        comparison_actions.stop_comparison(self.comparison)


def seed_events(owner: int) -> None:
    """A knockout in its second round, and a Swiss that is over."""
    names = [f"The {number}th caravan of the long way round" for number in range(1, 14)]
    versions = bots(owner, names)
    knockout = Played({"kind": "knockout", "consolation": True}, 3, 12, name="Lightning knockout of the season")
    knockout.draw()
    knockout.play(by_chance())
    knockout.draw()
    swiss = Played({"kind": "swiss", "rounds": 2}, 4, 13, name="Autumn Swiss").to_the_end(by_chance())
    for slug, played in (("knockout", knockout), ("swiss", swiss)):
        store(played, owner, slug, versions)


@pytest.fixture(scope="module")
def arena(serve: Serve) -> Iterator[Arena]:
    """Yield one arena for all tests here: somebody signs up in it."""
    with serve(Arena) as found:
        yield found


@pytest.fixture
def browser(arena: Arena) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


class Complaints(list[str]):
    """What a page says on its console and what it could not load."""

    def listen(self, page: Any) -> None:
        page.on("console", lambda message: self.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("requestfailed", self._note_failure)

    def _note_failure(self, request: Any) -> None:
        # A page that is left before its icon has come gives up on it: that is no fault of the page.
        if request.failure != "net::ERR_ABORTED":
            self.append(f"{request.url} {request.failure}")


HAS_RING = """() => {
  const here = document.activeElement, tile = here.querySelector(":scope > .hit");
  return tile ? getComputedStyle(tile).strokeWidth === "6px" : getComputedStyle(here).outlineStyle !== "none";
}"""
"""On a tile of the board the ring is drawn in the drawing."""


def tab_to(page: Any, selector: str, *, limit: int = 40) -> None:
    """Press Tab until the focus is there, and see that it can be seen."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            assert page.evaluate(HAS_RING), f"{selector} has no focus ring"
            return
    raise AssertionError(f"Tab never reaches {selector}")


def test_from_sign_up_to_a_match_by_keyboard(arena: Arena, browser: Any) -> None:
    page = browser.new_page()
    complaints = Complaints()
    complaints.listen(page)
    keyboard = page.keyboard

    page.goto(arena.url)
    keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.goto(arena.url)
    tab_to(page, "a[href='/sign-up/']")
    keyboard.press("Enter")
    page.wait_for_url("**/sign-up/")

    # The first field has the focus some time after the page is loaded; keys before that go nowhere.
    expect(page.locator("form [autofocus]")).to_be_focused()
    keyboard.type("hanae")
    tab_to(page, "input[name=password1]")
    keyboard.type("a quiet caravan")
    keyboard.press("Enter")
    page.wait_for_url("**/account/bots/new/")

    expect(page.locator("form [autofocus]")).to_be_focused()
    keyboard.type("Sirocco")
    tab_to(page, "form .button.primary")
    keyboard.press("Enter")
    page.wait_for_selector("#token")
    assert page.input_value("#token").startswith("naqala_")
    tab_to(page, "[data-copy=token]")
    keyboard.press("Enter")
    expect(page.locator("[data-copy=token] [data-copy-label]")).to_have_text("✓")
    tab_to(page, "a[href='/bots/sirocco/']")
    keyboard.press("Enter")
    page.wait_for_url("**/bots/sirocco/")
    assert page.get_by_text("Yours alone to see").is_visible()

    tab_to(page, "nav a[href='/matches/']")
    keyboard.press("Enter")
    page.wait_for_url("**/matches/")
    tab_to(page, f"main a[href='/matches/{arena.finished}/']")
    keyboard.press("Enter")
    page.wait_for_url(f"**/matches/{arena.finished}/")

    before = arena.plies[-2]
    assert page.inner_text(".position b") == "end"
    keyboard.press("ArrowLeft")
    page.wait_for_url(f"**?d={before}")
    assert f'is-now"><a href="?d={before}"' in page.request.get(page.url).text(), "at once"
    expect(page.locator(".position b")).to_have_text(str(before))
    keyboard.press("Home")
    page.wait_for_url("**?d=0")
    keyboard.press("ArrowRight")
    page.wait_for_url(f"**?d={arena.plies[1]}")
    expect(page.locator(".move.is-now .move-index")).to_have_text("0")
    keyboard.press("ArrowLeft")
    page.wait_for_url("**?d=0")
    expect(page.locator(".position b")).to_have_text("0")

    # The board is one tab stop; the arrow keys go from tile to tile and do not step through the match.
    tab_to(page, ".board .tile")
    assert page.evaluate("document.activeElement.dataset.tile") == "A1"
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"):
        keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.tile") == "B1"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("B1, ")
    assert page.url.endswith("?d=0")
    assert complaints == []
    page.close()


AXE = (Path(__file__).parents[1] / "kit/axe/axe.min.js").read_text()
SHOTS = os.environ.get("ARENA_SCREENSHOTS")
COLOURS = ("color-contrast",)
"""The rules of axe that the theme has an influence on."""


def pages(arena: Arena) -> dict[str, str]:
    """Every page there is, by name. Those of an owner begin with `own-`."""
    return {
        "front": "/", "matches": "/matches/", "matches-none": "/matches/?bot=nobody", "ladder": LADDER,
        "matches-best": "/matches/?best=week", "matches-bare": "/matches/?spoilers=0", "ladders": "/ladder/",
        "unsubscribe": f"/unsubscribe/{unsubscribe_token(1)}/", "own-following": "/account/following/",
        "overall": "/ladder/all/",
        "ladder-filtered": f"{LADDER}?sort=games&q=bot", "bots": "/bots/", "bot": "/bots/bot-1/",
        "user": "/users/owner1/",
        "match": f"/matches/{arena.finished}/?d={arena.plies[41]}", "live": f"/matches/{arena.running}/",
        "statistics": "/statistics/?players=3", "records": "/records/", "people": "/people/",
        "rivals": "/bots/own-bot/against/",
        "against": "/bots/own-bot/against/bot-1/", "rivals-none": "/bots/own-bot/against/?bot=nobody",
        "fairness": "/fairness/", "event": "/events/knockout/", "event-over": "/events/swiss/",
        "learn": "/learn/?step=4", "learn-end": "/learn/?step=8", "glossary": "/docs/glossary/",
        "rules": "/docs/rules/",
        "docs": "/docs/", "sign-up": "/sign-up/", "sign-in": "/sign-in/", "forgotten": "/account/password/forgotten/",
        "sent": "/account/password/sent/", "old-link": "/account/password/new/1-x/", "nowhere": "/nowhere/",
        "own-bots": "/account/bots/", "own-new": "/account/bots/new/", "own-bot": "/bots/own-bot/",
        "own-transcript": f"/account/bots/own-bot/matches/{arena.finished}/", "own-password": "/account/password/",
        "own-email": "/account/email/", "own-account": "/account/", "own-history": "/account/history/",
        "own-token": "/account/bots/own-bot/tokens/", "own-confirm": "/account/confirm/?next=/account/",
        "own-api-tokens": "/account/api-tokens/", "own-api-token": "/account/api-tokens/new/",
        "own-app": "/account/app/", "own-passkey": "/account/passkeys/new/", "own-codes": "/account/recovery-codes/",
        "own-edit": "/account/bots/own-bot/edit/", "own-sign-out": "/sign-out/",
        "own-version": f"/account/bots/own-bot/versions/{arena.version}/",
        "own-revoke": f"/account/bots/own-bot/tokens/{arena.token}/revoke/",
        "own-erase": "/account/erase/", "own-compare": "/account/bots/own-bot/comparisons/",
        "own-comparison": f"/account/comparisons/{arena.comparison}/",
        "own-challenges": "/account/bots/own-bot/challenges/", "own-challenge": "/bots/own-bot/challenge/",
    }  # fmt: skip


WIDTHS = (1280, 760, 390)
"""In pixels. Pages are loaded at the last one."""
NARROWEST = 320
END_TRANSITIONS = "document.getAnimations().forEach(each => each instanceof CSSTransition && each.finish())"
"""Colours that are on their way from one theme to the other are not looked at."""


@pytest.mark.slow
def test_every_page_fits_and_has_no_complaints(arena: Arena, browser: Any) -> None:
    """Loaded in the dark, and looked at in both themes. That no page complains in the light is seen below."""
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    wrong: dict[str, Any] = {}
    page.set_viewport_size({"width": WIDTHS[-1], "height": 844})
    for name in visit(page, arena):
        if name != "live":
            page.wait_for_load_state("networkidle")  # what scripts complain of comes late
        page.evaluate(AXE)
        for scheme, rules, looked_at in (("dark", COLOURS, (390,)), ("light", (), (390, 1280))):
            page.emulate_media(color_scheme=scheme)
            page.evaluate(END_TRANSITIONS)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 844})
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wrong[f"{name} is wider than {width} px, {scheme}"] = True
                if SHOTS and width != 760:
                    page.screenshot(path=Path(SHOTS) / f"{name}-{width}-{scheme}.png", full_page=True)
                if width in looked_at and (found := faults(page, *rules)):
                    wrong[f"{name} at {width} px, {scheme}"] = found
        page.set_viewport_size({"width": NARROWEST, "height": 844})
        page.evaluate(MANY_CHOICES)
        if page.evaluate("document.documentElement.scrollWidth") > NARROWEST:
            wrong[f"{name} is wider than {NARROWEST} px"] = True
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": WIDTHS[-1], "height": 844})
    assert wrong == {} and [line for line in complaints if "404" not in line] == []
    context.close()


MANY_CHOICES = """() => {
  for (const choice of document.querySelectorAll(".panel-head > .segments > :last-child")) {
    for (let more = 0; more < 12; more++) choice.after(choice.cloneNode(true));
  }
}"""
"""A bot that plays on all ladders has a link for each of them in the head of a panel."""


# Russian words are the longest, so every day they are looked at. English is above.
LANGUAGES = [pytest.param("es", marks=pytest.mark.slow), pytest.param("fr", marks=pytest.mark.slow), "ru"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_the_narrowest_window(arena: Arena, browser: Any, language: str) -> None:
    context = browser.new_context(viewport={"width": NARROWEST, "height": 844}, locale=language)
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    wide = []
    for name in visit(page, arena):
        page.evaluate("document.fonts.ready.then(() => null)")
        assert page.locator("html").get_attribute("lang") == language
        page.evaluate(MANY_CHOICES)
        if page.evaluate("document.documentElement.scrollWidth") > NARROWEST:
            wide.append(name)
    assert wide == [] and [line for line in complaints if "404" not in line] == []
    context.close()


def visit(page: Any, arena: Arena) -> Iterator[str]:
    """Opens one page after the other, those of an owner signed in; their names."""
    for name, where in pages(arena).items():
        if name == "own-bots":
            page.context.add_cookies([{"name": "sessionid", "value": arena.session, "url": arena.url}])
        page.goto(arena.url + where)
        yield name


def faults(page: Any, *rules: str) -> list[str]:
    """What axe finds that keeps people out: faults of serious or critical impact, with the elements they are on.

    By all of its rules, or by those that are named. The page has `AXE`.
    """
    found = page.evaluate(
        """async rules => (await axe.run(document, {
            resultTypes: ["violations"], ...(rules.length ? {runOnly: {type: "rule", values: rules}} : {}),
        })).violations
            .filter(({impact}) => impact === "serious" || impact === "critical")
            .map(({id, nodes}) => id + ": " + nodes.map(({target, failureSummary}) => target + " " + failureSummary)
                .join(" | "))""",
        list(rules),
    )
    return [str(fault) for fault in found]


@pytest.mark.slow
def test_axe_sees_a_fault(arena: Arena, browser: Any) -> None:
    """The check itself: a page that has a picture without words is found out."""
    page = browser.new_page()
    page.goto(arena.url)
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    page.evaluate(AXE)
    assert any(fault.startswith("image-alt") for fault in faults(page))
    assert faults(page, *COLOURS) == []
    page.goto("about:blank")
    page.set_content("<p style='color: #777; background: #888'>Grey words on grey ground.</p>")
    page.evaluate(AXE)
    assert any(fault.startswith("color-contrast") for fault in faults(page, *COLOURS))
    page.close()


@pytest.mark.slow
def test_the_switch_of_the_theme_is_kept(arena: Arena, browser: Any) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(arena.url)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("[data-theme-toggle]")
    dark = page.evaluate(ground)
    assert dark != light
    page.goto(arena.url + "/bots/")
    assert page.evaluate(ground) == dark
    context.close()
