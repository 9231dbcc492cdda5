"""In Chromium: the pages of staff, full and empty, at every width and in both themes; renewed in place; by keyboard.

With ARENA_SCREENSHOTS what the browser saw is written to that folder, for people to look at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from playwright.sync_api import expect

from arena.hosting.messages import RunnerFacts
from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.gallery import Serve
from tests.site.test_browser import AXE, COLOURS, END_TRANSITIONS, faults
from tests.site.world import World, sign_in
from webui.accounts import actions as account_actions
from webui.accounts.values import Actor
from webui.bots import actions as bot_actions
from webui.fairness.models import FairnessReport
from webui.hosting import actions as hosting_actions
from webui.hosting.models import Runner
from webui.ladders import terms
from webui.staff import hosting_acts, locks, orders
from webui.status import actions as status_actions
from webui.status.actions import note_examination

pytestmark = in_chromium

SHOTS = os.environ.get("ARENA_SCREENSHOTS")
SIZES = ((1280, 720), (1920, 1080), (390, 844))
NARROWEST = 320
EMPTY = ("/staff/", "/staff/matches/", "/staff/ladders/", "/staff/users/?kind=locked", "/staff/bots/",
         "/staff/suspicions/", "/staff/suspicions/?accounts=1", "/staff/audit/", "/staff/hosting/")  # fmt: skip


def session_of(user_id: int) -> str:
    client = Client()
    sign_in(client, user_id)
    return str(client.cookies["sessionid"].value)


class Office:
    """A served arena with something for staff to look at."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        self.world = world = World(kit)
        by = Actor(world.staff, "203.0.113.9")
        locks.message_user(world.other, "Please choose another name for your bot.", 1, by=by)
        locks.lock_user(world.other, "Three accounts of one person, see the letter of 24 November", by=by)
        locks.lock_bot(bot_actions.register_bot(world.owner, "Slow Caravan"), "It floods the gateways", by=by)
        clock = {"bank_ms": 90_000, "increment_ms": 500, "cap_ms": 10_000}
        terms.set_ladder_terms("3", is_open=True, share=9, clock=clock, revision=0, reason="A longer game", by=by)
        terms.set_ladder_terms(
            "2-whims", is_open=False, share=1, clock=clock, revision=0, reason="Nobody plays it", by=by
        )
        terms.set_ladder(world.ladder, delay=2, seen={"delay": 0}, reason="The cup is on", by=by)
        orders.order_match(world.waiting, "void_again", "Its gateway has died", by=by)
        for name in ("north", "south-of-the-caravanserai"):
            hosting_actions.register_runner(name)
        north = Runner.objects.get(name="north")
        hosting_actions.note_runner(north.pk, RunnerFacts(cores=2, places=16, process="runner-1"))
        hosting_acts.pause_runner(north.pk, "Its machine is repaired", is_paused=True, by=by)
        hosting_acts.lock_submission(world.submission, "It mines", by=by)
        status_actions.announce_process("a" * 32, "referee", "1.0 five-tribes/1")
        status_actions.announce_process("b" * 32, "gateway", "1.0 five-tribes/1")
        findings = [
            {"check": "leases", "subject": world.running, "message": "the lease of worker is over and nobody sweeps"}
        ]
        note_examination({"logs": 1234, "ratings": 15, "records": 100}, findings, 2)
        pair = {
            "helper": str(world.bot),
            "helped": "House Greedy",
            "mean": 0.41,
            "effect": 1.2,
            "t": 4.5,
            "games": 31,
            "p": 2.1e-5,
        }
        FairnessReport.objects.create(
            date="2026-11-23", is_closed=True, tallies={}, document={}, made_at="2026-11-24T00:10:00Z",
            pairs={"games": 300, "null_scale": 1.0, "pairs": [{**pair, "flagged": True}]},
        )  # fmt: skip
        self.session = session_of(world.staff)
        """Cookie of staff."""


@pytest.fixture(scope="module")
def office(serve: Serve) -> Iterator[Office]:
    """Yield one office for all tests here."""
    with serve(Office) as found:
        yield found


def pages(world: World) -> dict[str, str]:
    return {
        "now": "/staff/", "matches": "/staff/matches/", "matches-none": "/staff/matches/?bot=nobody",
        "match": f"/staff/matches/{world.running}/", "match-waiting": f"/staff/matches/{world.waiting}/",
        "match-finished": f"/staff/matches/{world.finished}/", "void": f"/staff/matches/{world.running}/void/",
        "again": f"/staff/matches/{world.aborted}/again/", "ladders": "/staff/ladders/", "game": "/staff/ladders/3/",
        "delay": f"/staff/delays/{world.ladder}/", "users": "/staff/users/", "user": "/staff/users/lena/",
        "user-locked": "/staff/users/tariq/", "lock-user": "/staff/users/lena/lock/",
        "message": "/staff/users/lena/message/", "password": "/staff/users/lena/password/",
        "role": "/staff/users/lena/role/", "correct": "/staff/bots/long-ledger/correct/",
        "bots": "/staff/bots/", "bot": "/staff/bots/long-ledger/",
        "bot-locked": "/staff/bots/slow-caravan/", "lock-bot": "/staff/bots/long-ledger/lock/",
        "hosting": "/staff/hosting/", "runner": "/staff/runners/north/",
        "submission": f"/staff/submissions/{world.submission}/",
        "lock-submission": f"/staff/submissions/{world.submission}/lock/",
        "pause-hosting": "/staff/hosting/all/pause/", "versions-none": "/staff/hosting/?bot=nobody",
        "audit": "/staff/audit/", "audit-all": "/staff/audit/?all=1", "suspicions": "/staff/suspicions/?accounts=1",
    }  # fmt: skip


@pytest.fixture
def browser(office: Office) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def opened(browser: Any, url: str, session: str, **more: Any) -> Any:
    context = browser.new_context(**more)
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    return context.new_page()


def look_at(page: Any, url: str, places: dict[str, str]) -> dict[str, Any]:
    """What is wrong with these pages: too wide, or faults that keep people out."""
    wrong: dict[str, Any] = {}
    for name, where in places.items():
        page.set_viewport_size({"width": 390, "height": 844})
        answer = page.goto(url + where)
        if answer is None or answer.status != 200:
            wrong[name] = answer and answer.status
            continue
        page.evaluate(AXE)
        for scheme, rules in (("dark", COLOURS), ("light", ())):
            page.emulate_media(color_scheme=scheme)
            page.evaluate(END_TRANSITIONS)
            for width, height in SIZES if SHOTS else SIZES[1:]:
                page.set_viewport_size({"width": width, "height": height})
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wrong[f"{name} is wider than {width} px, {scheme}"] = True
                if SHOTS:
                    page.screenshot(path=Path(SHOTS) / f"{name}-{width}-{scheme}.png", full_page=True)
                if width == 390 and (found := faults(page, *rules)):
                    wrong[f"{name} at {width} px, {scheme}"] = found
        page.set_viewport_size({"width": NARROWEST, "height": 844})
        if page.evaluate("document.documentElement.scrollWidth") > NARROWEST:
            wrong[f"{name} is wider than {NARROWEST} px"] = True
    return wrong


@pytest.mark.slow
def test_every_page_of_staff_fits_and_has_no_complaints(office: Office, browser: Any) -> None:
    page = opened(browser, office.url, office.session, color_scheme="dark")
    complaints = listen(page)
    assert look_at(page, office.url, pages(office.world)) == {} and complaints == []


class EmptyOffice:
    """A served arena where staff have nothing to look at."""

    url = ""

    def __init__(self, kit: Kit) -> None:
        self.session = session_of(account_actions.create_user("warden", "a quiet caravan", role="admin"))


@pytest.mark.slow
def test_empty_pages_of_staff_fit(serve: Serve) -> None:
    with serve(EmptyOffice) as office, chromium() as browser:
        page = opened(browser, office.url, office.session)
        complaints = listen(page)
        places = {f"empty-{number}": where for number, where in enumerate(EMPTY)}
        assert look_at(page, office.url, places) == {} and complaints == []


def carry_out() -> None:
    orders.carry_out_orders()
    connections.close_all()


@pytest.mark.slow
def test_the_page_of_a_match_is_renewed_until_its_order_is_carried_out(office: Office, browser: Any) -> None:
    world = office.world
    page = opened(browser, office.url, office.session)
    complaints = listen(page)
    page.goto(f"{office.url}/staff/matches/{world.running}/")
    page.get_by_role("link", name="Void the match…").press("Enter")
    page.get_by_label("Reason").fill("Its gateway has died")
    page.get_by_role("button", name="Void the match").press("Enter")
    page.wait_for_url(f"**/staff/matches/{world.running}/")
    expect(page.get_by_text("warden has ordered that it be voided.")).to_be_visible()
    page.evaluate("window.isSame = true")
    # While Playwright's loop runs, Django refuses the database in this thread.
    worker = Thread(target=carry_out)
    worker.start()
    worker.join()
    expect(page.locator("#renewed .bot-chips .chip").first).to_have_text("void")
    expect(page.get_by_text("Its gateway has died").first).to_be_visible()
    assert page.evaluate("window.isSame"), "in place"
    assert complaints == []
