"""Passkeys in Chromium, with an authenticator that the browser itself plays: made, used, removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.site.chromium import chromium, in_chromium, listen
from tests.site.seed import PASSWORD
from webui.accounts import actions as account_actions

pytestmark = [pytest.mark.django_db(transaction=True), *in_chromium]


@pytest.fixture
def browser(transactional_db: None) -> Iterator[Any]:
    account_actions.create_user("lena", PASSWORD)
    with chromium() as browser:
        yield browser


def authenticator(page: Any) -> Any:
    """A device with a passkey for each site, whose owner always shows a finger."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
               "isUserVerified": True, "automaticPresenceSimulation": True}  # fmt: skip
    added = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, added["authenticatorId"]


@pytest.mark.slow
def test_a_passkey_is_made_signs_in_confirms_and_is_removed(browser: Any, live_server: Any) -> None:
    page = browser.new_page()
    complaints = listen(page)
    session, device = authenticator(page)
    site = live_server.url.replace("127.0.0.1", "localhost")  # browsers make no passkeys for a bare address

    page.goto(f"{site}/sign-in/?next=/account/")
    page.fill("[name=login]", "lena")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account/")

    page.click("text=Add a passkey")
    page.fill("[name=name]", "this laptop")
    page.click("text=Make the passkey")
    page.wait_for_url("**/account/recovery-codes/")
    assert len(session.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]) == 1
    page.click("text=Make new codes")
    expect(page.locator(".codes li")).to_have_count(10)
    page.click("text=I have kept them")
    expect(page.locator("main")).to_contain_text("this laptop")

    page.click("header >> text=Sign out")
    page.goto(f"{site}/sign-in/")
    page.click("text=Sign in with a passkey")
    expect(page.locator("header")).to_contain_text("Your bots")

    # The password alone is not enough any more; the passkey is the second step as well.
    page.click("header >> text=Sign out")
    page.goto(f"{site}/sign-in/?next=/account/")
    page.fill("[name=login]", "lena")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-in/code/**")
    page.click("text=Use a passkey")
    page.wait_for_url("**/account/")

    page.goto(f"{site}/account/confirm/passkey/?next=/account/email/")
    page.click("text=Use a passkey")
    page.wait_for_url("**/account/email/")
    page.wait_for_load_state("networkidle")  # a page that is still on its way would end the next one

    # Without a finger nothing goes on, and the page says so.
    page.goto(f"{site}/account/passkeys/new/")
    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    page.click("text=Make the passkey")
    expect(page.locator("[data-failed]")).to_be_visible()

    page.goto(f"{site}/account/")
    page.click("a[href*='/passkeys/'][href$='/remove/']")
    page.click("main >> button:has-text('Remove')")
    page.wait_for_url("**/account/")
    expect(page.locator("main")).not_to_contain_text("this laptop")
    assert complaints == []
