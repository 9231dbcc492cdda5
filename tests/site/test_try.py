"""The forms of the page about the HTTP API: in Chromium, without a mouse, in the dark, on a phone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import expect

from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_browser import AXE, faults
from tests.site.world import World
from webui.api.limits import counts
from webui.bots import token_actions

pytestmark = [*in_chromium, pytest.mark.django_db(transaction=True)]
PAGE = "/docs/http-api/"


def opened(page: Any, route: str) -> Any:
    """The form of a route, opened by the keyboard."""
    form = page.locator(f"#{route} > details.try")
    for summary in (page.locator(f"#{route} > summary"), form.locator("summary")):
        summary.focus()
        page.keyboard.press("Enter")
    expect(form.locator("button")).to_be_enabled()
    return form


@pytest.mark.slow
def test_a_route_is_tried_by_keyboard(live_server: Any, world: World) -> None:
    token = token_actions.issue_api_token(world.owner, ["bots"]).token
    counts.clear()
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
        context.add_init_script(AXE)
        page = context.new_page()
        complaints = listen(page)
        page.goto(live_server.url + PAGE)
        form = opened(page, "get_bot")
        expect(form.locator("input")).to_have_count(1)
        form.locator("input").focus()
        page.keyboard.type("long-ledger")
        page.keyboard.press("Enter")
        expect(form.locator("[data-status]")).to_have_text("200 OK")
        assert json.loads(form.locator("pre").inner_text())["name"] == "Long Ledger"
        page.get_by_label("Token for the forms below").focus()
        page.keyboard.type(token)
        change = opened(page, "change_bot")
        change.get_by_label("slug").focus()
        page.keyboard.type("long-ledger")
        assert json.loads(change.get_by_label("JSON").input_value()) == {"state": "active"}
        change.get_by_label("JSON").fill('{"state": "paused"}')
        change.locator("button").focus()
        page.keyboard.press("Enter")
        expect(change.locator("[data-status]")).to_have_text("200 OK")
        assert json.loads(change.locator("pre").inner_text())["state"] == "paused"
        listed = opened(page, "list_bots")
        listed.get_by_label("limit").fill("2")
        listed.get_by_label("house").select_option("false")
        listed.locator("button").click()
        expect(listed.locator("[data-status]")).to_have_text("200 OK")
        assert len(json.loads(listed.locator("pre").inner_text())["items"]) == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert faults(page) == []
        if folder := os.environ.get("ARENA_SCREENSHOTS"):
            change.scroll_into_view_if_needed()
            page.screenshot(path=str(Path(folder) / "try-390-dark.png"))
        kept = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
        assert token not in page.evaluate(kept)
        page.reload()
        expect(page.get_by_label("Token for the forms below")).to_have_value("")
        page.goto(f"{live_server.url}{PAGE}#get_replay")
        expect(page.locator("#get_replay > details.try")).to_be_visible()
        assert complaints == []
        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.goto(live_server.url + PAGE)
        expect(plain.locator("#get_bot")).to_be_visible()
        expect(plain.locator("details.try")).to_have_count(0)
    connections.close_all()
