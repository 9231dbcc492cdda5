"""What guards an account: a fresh password before what a thief would do first, sessions, notices, the history."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from tests.site.seed import PASSWORD
from tests.site.world import World, sign_in, text
from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.accounts import values as account_values
from webui.accounts.values import Act
from webui.bots import queries as bot_queries
from webui.bots import token_queries
from webui.bots.models import BotToken

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
TOKENS = "/account/bots/long-ledger/tokens/"


def signed_in(**extra: Any) -> Client:
    client = Client(**extra)
    assert client.post("/sign-in/", {"login": "lena", "password": PASSWORD}).status_code == 302
    return client


def stale(client: Client) -> Client:
    """As this client is when the password was shown long ago."""
    session = client.session
    session["account_authentication_methods"] = [
        {**shown, "at": shown["at"] - 3600} for shown in session["account_authentication_methods"]
    ]
    session.save()
    return client


CONFIRMED = (TOKENS, "/account/api-tokens/new/", "/account/bots/new/", "/account/email/")


@pytest.mark.parametrize("where", CONFIRMED)
def test_what_a_thief_would_do_first_needs_a_fresh_password(world: World, where: str) -> None:
    client = signed_in()
    assert client.get(where).status_code == 200, "a sign-in is fresh"
    for answer in (stale(client).get(where), client.post(where, {"label": "thief", "name": "Thief", "email": ""})):
        assert answer.status_code == 302 and answer["Location"].startswith("/account/confirm/?next=")
    wrong = client.post(f"/account/confirm/?next={where}", {"password": "guess"})
    assert "This is not your password" in text(wrong)
    assert BotToken.objects.count() == 1 and bot_queries.find_bot("thief") is None
    shown = client.post(f"/account/confirm/?next={where}", {"password": PASSWORD, "next": where}, follow=True)
    assert shown.status_code == 200 and client.get(where).status_code == 200


def test_an_api_token_from_its_form_to_its_end(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    client = signed_in()
    form = {"label": "laptop", "scopes": ["read", "events"], "days": "30"}
    shown = client.post("/account/api-tokens/new/", form)
    token = re.search(r'value="(naqala_api_[\w-]{43})"', text(shown))
    assert token and "It is valid for 30 days" in text(shown) and "no-store" in shown["Cache-Control"]
    assert "Token issued" in mailoutbox[-1].subject and token[1] not in mailoutbox[-1].body
    caller = token_queries.caller(token[1])
    assert caller and (caller.user_id, caller.scopes, caller.bot) == (world.owner, {"read", "events"}, None)
    page = text(client.get("/account/api-tokens/"))
    assert "laptop" in page and "events, read" in page and token[1] not in page
    assert client.post("/account/api-tokens/new/", {**form, "scopes": "rule"}).status_code == 422
    assert world.client("other").post(f"/account/api-tokens/{caller.token_id}/revoke/").status_code == 404
    client.post(f"/account/api-tokens/{caller.token_id}/revoke/")
    assert token_queries.caller(token[1]) is None and "revoked" in text(client.get("/account/api-tokens/"))
    assert "API tokens" in text(client.get("/account/"))


def test_a_token_with_a_label_and_an_end(world: World) -> None:
    client = signed_in()
    shown = text(client.post(TOKENS, {"label": "the <box>", "days": "30"}))
    token = re.search(r'id="token"[^>]*value="(naqala_[^"]+)"', shown)
    assert token is not None and "30 days" in shown
    assert token_queries.session_for_token(token[1]) is not None
    page = text(client.get("/bots/long-ledger/"))
    assert "the &lt;box&gt;" in page and token[1] not in page
    for form in ({"label": "x" * 41}, {"days": "31"}, {"label": "\u202enot"}):
        assert client.post(TOKENS, form).status_code == 422
    assert BotToken.objects.count() == 2


def test_where_one_is_signed_in(world: World) -> None:
    here = signed_in(HTTP_USER_AGENT=FIREFOX, REMOTE_ADDR="2001:db8:1:2:3:4:5:6")
    there = signed_in(REMOTE_ADDR="203.0.113.7")
    elsewhere = signed_in(REMOTE_ADDR="203.0.113.8")
    page = text(here.get("/account/"))
    assert "Firefox, Linux" in page and "2001:db8:1:2::/64" in page and "203.0.113.7" in page
    assert page.count("this browser") == 1
    by_address = {line.address: line.id for line in account_queries.sessions(world.owner)}
    assert len(by_address) == 3
    stranger = Client()
    sign_in(stranger, world.other)
    assert stranger.post(f"/account/sessions/{by_address['203.0.113.7']}/end/").status_code == 404
    here.post(f"/account/sessions/{by_address['203.0.113.7']}/end/")
    assert there.get("/account/").status_code == 302 and elsewhere.get("/account/").status_code == 200
    assert "1 other browser is signed out" in text(here.post("/account/sessions/end-others/", follow=True))
    assert elsewhere.get("/account/").status_code == 302
    assert [line.address for line in account_queries.sessions(world.owner)] == ["2001:db8:1:2::/64"]


def test_another_password_leaves_one_session(world: World) -> None:
    here, there = signed_in(), signed_in(REMOTE_ADDR="203.0.113.7")
    form = {"oldpassword": PASSWORD, "password1": "a louder caravan", "password2": "a louder caravan"}
    assert "Your password is changed" in text(here.post("/account/password/", form, follow=True))
    assert there.get("/account/").status_code == 302 and here.get("/account/").status_code == 200
    assert [line.address for line in account_queries.sessions(world.owner)] == ["127.0.0.1"]


def test_a_session_that_goes_on_is_seen_where_it_is(world: World) -> None:
    client = signed_in(REMOTE_ADDR="203.0.113.7")
    session = client.session
    session["seen"] -= 3600
    session.save()
    client.get("/account/", REMOTE_ADDR="203.0.113.9")
    assert [line.address for line in account_queries.sessions(world.owner)] == ["203.0.113.9"]


def test_owners_are_told_by_email(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    client = signed_in(HTTP_USER_AGENT=FIREFOX, REMOTE_ADDR="203.0.113.7")
    (letter,) = mailoutbox
    assert letter.to == ["lena@example.org"] and letter.subject == "Naqala Arena: Signed in from a new browser"
    assert "203.0.113.7" in letter.body and "Firefox, Linux" in letter.body and "/account/" in letter.body
    client.post("/sign-out/")
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    assert len(mailoutbox) == 1, "this browser is known"
    client.post(TOKENS, {"label": "box"})
    form = {"oldpassword": PASSWORD, "password1": "a louder caravan", "password2": "a louder caravan"}
    client.post("/account/password/", form)
    assert [letter.subject.partition(": ")[2] for letter in mailoutbox[1:]] == ["Token issued", "Password changed"]
    assert not any("naqala_" in letter.body for letter in mailoutbox)


def test_an_email_that_cannot_be_sent_undoes_nothing(world: World, settings: Any) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nobody listens there
    assert 'id="token"' in text(signed_in().post(TOKENS))


def test_the_history_tells_what_was_done_and_from_where(world: World) -> None:
    client = signed_in(REMOTE_ADDR="203.0.113.7")
    client.post(TOKENS, {"label": "box"})
    client.post("/account/bots/long-ledger/state/", {"state": "PAUSED"})
    client.post(f"{TOKENS}{world.token.token_id}/revoke/")
    lines = account_queries.audit(world.owner)
    assert [line.act for line in lines[:4]] == [
        Act.TOKEN_REVOKED, Act.BOT_PAUSED, Act.TOKEN_ISSUED, Act.SIGNED_IN_ELSEWHERE
    ]  # fmt: skip
    assert {(line.actor, line.address) for line in lines[:4]} == {("lena", "203.0.113.7")}
    page = text(client.get("/account/history/"))
    assert "Token revoked" in page and "Long Ledger" in page and "by the operator" in page
    assert "Long Ledger" not in text(world.client("other").get("/account/history/"))


def test_the_history_has_pages(world: World) -> None:
    for _ in range(60):
        account_actions.record_act(Act.SIGNED_IN, world.owner, by=account_values.OPERATOR)
    client = world.client("owner")
    assert 'rel="next"' in text(client.get("/account/history/"))
    assert 'rel="prev"' in text(client.get("/account/history/?page=2"))
    assert client.get("/account/history/?page=x").status_code == 404


@pytest.fixture
def verified(settings: Any) -> None:
    """An arena that asks for confirmed addresses."""
    settings.VERIFIED_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "optional"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]


@pytest.mark.usefixtures("verified")
def test_without_a_confirmed_address_no_token(mailoutbox: list[Any]) -> None:
    client = Client()
    assert "This field is required" in text(client.post("/sign-up/", {"username": "hanae", "password1": PASSWORD}))
    form = {"username": "hanae", "password1": PASSWORD, "email": "hanae@example.org"}
    answer = client.post("/sign-up/", form, follow=True)
    assert answer.status_code == 403 and "hanae@example.org" in text(answer)
    assert client.post("/account/bots/new/", {"name": "Sirocco"}).status_code == 403
    (letter,) = mailoutbox
    (link,) = re.findall(r"http://testserver(/account/email/verify/\S+)", letter.body)
    assert "Yes, it is mine" in text(client.get(link)), "opening the link is not enough: programs read mail, too"
    assert "does not work any more" in text(client.get(link[:-3] + "x/"))
    assert "is confirmed" in text(client.post(link, follow=True))
    assert client.post("/account/bots/new/", {"name": "Sirocco"}).status_code == 200
    client.post("/account/email/", {"email": "new@example.org"})
    assert client.get("/account/bots/sirocco/tokens/").status_code == 403, "another address is not confirmed yet"
    owner = bot_queries.user_id("hanae")
    assert owner is not None and Act.EMAIL_VERIFIED in {line.act for line in account_queries.audit(owner)}


def test_an_account_causes_so_many_emails_an_hour_of_each_act(
    world: World, mailoutbox: list[Any], settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "notice": "2/d/key"}
    account_actions.set_email(world.owner, "lena@example.org")
    client = signed_in()
    mailoutbox.clear()
    for _ in range(3):
        assert client.post(TOKENS, {"label": "one of many"}).status_code == 200
    assert len(mailoutbox) == 2 and BotToken.objects.count() == 4
    assert client.post("/account/email/", {"email": "lena@example.net"}).status_code == 302
    assert sorted(one.to[0] for one in mailoutbox[2:]) == ["lena@example.net", "lena@example.org"], "another act"


def test_strangers_are_not_written_to_by_many_accounts(world: World, mailoutbox: list[Any], settings: Any) -> None:
    # One tells of the sign-in.
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "notice_to": "2/d/key"}
    account_actions.set_email(world.owner, "victim@example.org")
    client = signed_in()
    mailoutbox.clear()
    for _ in range(2):
        client.post(TOKENS, {"label": "one"})
    assert len(mailoutbox) == 1
    EmailAddress.objects.update_or_create(
        user_id=world.owner, email="victim@example.org", defaults={"verified": True, "primary": True}
    )
    client.post(TOKENS, {"label": "one"})
    assert len(mailoutbox) == 2, "it is the owner's own"
    assert client.post("/account/email/", {"email": "thief@example.net"}).status_code == 302
    assert sorted(one.to[0] for one in mailoutbox[2:]) == ["thief@example.net", "victim@example.org"], "and was"
