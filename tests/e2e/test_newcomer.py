"""Somebody new, in a browser: sign up, register a bot, start it with its token, and see its match on its page."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import COMMAND, RunningArena, bot_process
from tests.kit.node_bot import node_environment
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200), *in_chromium]

PATIENCE_S = 500.0


def test_from_sign_up_to_the_first_match(demo: RunningArena, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ready = demo.wait_ready()
        browser = stack.enter_context(chromium())
        page = browser.new_page()
        page.set_default_timeout(120_000)

        page.goto(f"{ready['site']}/")
        page.click("header >> text=Sign up")
        page.fill("[name=username]", "hanae")
        page.fill("[name=password1]", "a quiet caravan")
        page.click("text=Make the account")
        page.wait_for_url("**/account/bots/new/")
        page.fill("[name=name]", "Sirocco")
        page.click("text=Register and get the token")
        page.wait_for_selector("#token")
        token = page.input_value("#token")
        assert ready["gateway"].rpartition(":")[2] in page.inner_text("main"), "the page says where to dial"

        page.goto(f"{ready['site']}/bots/sirocco/")
        assert "It is not connected" in page.inner_text("main")
        log = tmp_path / "sirocco.log"
        command = [*COMMAND, "bot", "run", "--house", "greedy"]
        bot = stack.enter_context(bot_process(command, node_environment(ready["gateway"], token, "Sirocco"), log))

        def its_match() -> Any:
            assert bot.poll() is None, log.read_text()
            page.reload()
            return page.query_selector("main .rm a[href^='/matches/']")

        link = until(its_match, "a match on the page of the bot", PATIENCE_S, every=0.1)
        link.click()
        page.wait_for_url("**/matches/*/")
        assert "Sirocco" in page.inner_text("main")
        page.goto(f"{ready['site']}/bots/sirocco/")

        def is_told() -> bool:
            page.reload()
            return "online" in page.inner_text(".b-c") and "Round trip" in page.inner_text(".own-p")

        until(is_told, "how the bot is connected", PATIENCE_S, every=0.1)
