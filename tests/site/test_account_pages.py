"""Accounts and what their owners do with their bots: signing up and in, passwords, addresses, tokens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests.kit.ladder import Kit
from tests.site.seed import PASSWORD
from tests.site.world import World, a_day_long, text
from webui.accounts import actions as account_actions
from webui.bots import queries as bot_queries
from webui.bots import token_queries
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db


def test_a_new_token_comes_with_the_address_to_dial(world: World, settings: Any) -> None:
    for address, shown in (
        ("", "http://testserver:50051"),
        ("https://bots.example.org:4000", "https://bots.example.org:4000"),
        ("127.0.0.1:4000", "127.0.0.1:4000"),
    ):
        settings.GATEWAY_ADDRESS = address
        page = text(world.client("owner").post("/account/bots/long-ledger/tokens/"))
        assert f'export ARENA_SERVER=<span class="code-literal">{shown}</span>' in page, (
            "what bots in every language read"
        )


def test_sign_up_bot_token_and_away_with_it(kit: Kit) -> None:
    client = Client()
    answer = client.post("/sign-up/", {"username": "hanae", "password1": PASSWORD}, follow=True)
    assert answer.redirect_chain[-1][0] == "/account/bots/new/"
    shown = client.post("/account/bots/new/", {"name": "Sirocco", "description": "Drops last."})
    assert "no-store" in shown["Cache-Control"]
    token = re.search(r'id="token"[^>]*value="(naqala_[^"]+)"', text(shown))
    assert token is not None
    identity = token_queries.session_for_token(token[1])
    assert identity is not None and identity.bot_name == "Sirocco"
    page = text(client.get("/bots/sirocco/"))
    assert token[1] not in page and token[1][:11] in page
    answer = client.post(f"/account/bots/sirocco/tokens/{identity.token_id}/revoke/", follow=True)
    assert "The token is revoked" in text(answer)
    assert token_queries.session_for_token(token[1]) is None


def test_pause_and_play_again(world: World) -> None:
    client = world.client("owner")
    for state in ("PAUSED", "ACTIVE", "ACTIVE"):
        client.post("/account/bots/long-ledger/state/", {"state": state})
        assert profile_queries.bot_page("long-ledger").state == state
    client.post("/account/bots/long-ledger/state/", {"state": "DRUNK"})
    assert profile_queries.bot_page("long-ledger").state == "ACTIVE"


@pytest.mark.parametrize(
    ("form", "complaint"),
    [
        ({"username": "lena", "password1": PASSWORD}, "This name is taken"),
        ({"username": "LENA", "password1": PASSWORD}, "This name is taken"),
        ({"username": "no spaces", "password1": PASSWORD}, "Enter a valid username"),
        ({"username": "x" * 41, "password1": PASSWORD}, "at most 40"),
        ({"username": "hanae", "password1": "12345678"}, "too common"),
        ({"username": "hanae", "password1": "hanae"}, "too short"),
        ({"username": "hanae-of-the-dunes", "password1": "hanae-of-the-dunes"}, "too similar"),
        ({"username": "hanae", "password1": PASSWORD, "email": "nowhere"}, "valid email"),
        ({}, "This field is required"),
    ],
)
def test_sign_up_says_what_is_wrong(form: dict[str, str], complaint: str) -> None:
    account_actions.create_user("lena", PASSWORD)
    answer = Client().post("/sign-up/", form)
    assert complaint in text(answer) and 'role="alert"' in text(answer)
    assert "_auth_user_id" not in answer.client.session


@pytest.mark.parametrize("name", ["", "x" * 41, "!!!", "long ledger", "Long-Ledger"])
def test_bot_names_that_are_refused(world: World, name: str) -> None:
    answer = world.client("owner").post("/account/bots/new/", {"name": name})
    assert answer.status_code == 422 and 'role="alert"' in text(answer)


def test_a_description_has_emoji_and_is_refused_beside_its_own_field(world: World) -> None:
    client = world.client("owner")
    refused = client.post("/account/bots/new/", {"name": "Heart", "description": "\u202eback"})
    assert refused.context["form"].errors == {"description": ["Use visible characters."]}
    heart = "\u2764\ufe0f \U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert client.post("/account/bots/new/", {"name": "Heart", "description": heart}).status_code == 200
    assert profile_queries.bot_page("heart").description == heart


def test_sign_in_and_out_and_only_to_our_own_pages(world: World) -> None:
    client = Client()
    assert "name or the password is wrong" in text(client.post("/sign-in/", {"login": "lena", "password": "wrong"}))
    away = client.post("/sign-in/", {"login": "lena", "password": PASSWORD, "next": "https://evil.example/"})
    assert away["Location"] == "/"
    assert "Your bots" in text(client.get("/"))
    client.post("/sign-out/")
    assert "Sign in" in text(client.get("/"))
    away = Client().post("/sign-up/", {"username": "new", "password1": PASSWORD, "next": "//evil.example/"})
    assert away["Location"] == "/account/bots/new/"
    wanted = Client().post("/sign-up/", {"username": "newer", "password1": PASSWORD, "next": "/bots/"})
    assert wanted["Location"] == "/bots/"


def test_who_is_shut_out_cannot_sign_in(world: World) -> None:
    get_user_model().objects.filter(pk=world.owner).update(is_active=False)
    answer = Client().post("/sign-in/", {"login": "lena", "password": PASSWORD}, follow=True)
    assert "name or the password is wrong" in text(answer) or "This account is closed" in text(answer)
    assert "_auth_user_id" not in answer.client.session


def sign_in(client: Client, password: str, name: str = "lena", **headers: str) -> str:
    """What is said; empty for a success."""
    answer = client.post("/sign-in/", {"login": name, "password": password}, **headers)
    return "" if answer.status_code == 302 else text(answer)


def test_guessing_a_password_ends_and_keeps_its_owner_out_nowhere_else(world: World, settings: Any) -> None:
    a_day_long(settings)
    guesser = "2001:db8:0:7::1"
    for _ in range(5):
        assert "name or the password is wrong" in sign_in(Client(REMOTE_ADDR=guesser), "guess")
    for address in (guesser, "2001:db8:0:7::2"):
        assert "Too many attempts" in sign_in(Client(REMOTE_ADDR=address), PASSWORD)
    assert not sign_in(Client(REMOTE_ADDR=guesser), PASSWORD, "tariq"), "another account"
    assert not sign_in(Client(REMOTE_ADDR="203.0.113.9"), PASSWORD), "another address"


def test_guessing_from_everywhere_ends_and_keeps_out_no_device_of_the_owner(world: World, settings: Any) -> None:
    a_day_long(settings)
    settings.ACCOUNT_RATE_LIMITS |= {"password_anywhere": "8/d/key"}
    home = Client(REMOTE_ADDR="203.0.113.9")
    assert not sign_in(home, PASSWORD)
    home.post("/sign-out/")
    for number in range(8):
        assert "name or the password is wrong" in sign_in(Client(REMOTE_ADDR=f"8.8.8.{number}"), "guess", "LENA")
    assert "Too many attempts" in sign_in(Client(REMOTE_ADDR="8.8.4.4"), PASSWORD)
    forged = Client(REMOTE_ADDR="8.8.4.5")
    forged.cookies["device"] = home.cookies["device"].value.replace("lena", "tariq")
    assert "Too many attempts" in sign_in(forged, PASSWORD)
    assert not sign_in(home, PASSWORD)


def test_who_is_a_moment_too_late_for_a_name_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    check = account_actions.check_user_name

    def check_and_be_overtaken(name: str) -> str:
        found = check(name)
        monkeypatch.setattr(account_actions, "check_user_name", check)
        account_actions.create_user("Mira", PASSWORD)
        return found

    monkeypatch.setattr(account_actions, "check_user_name", check_and_be_overtaken)
    answer = Client().post("/sign-up/", {"username": "m\u0456ra", "password1": PASSWORD})
    assert "This name is taken" in text(answer)
    assert list(get_user_model().objects.values_list("username", flat=True)) == ["Mira"]


def test_links_lead_to_the_sites_own_address(world: World, settings: Any, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    settings.SITE_URL = "https://arena.example.org"
    answer = Client().post("/account/password/forgotten/", {"email": "lena@example.org"}, HTTP_HOST="localhost")
    assert answer["Strict-Transport-Security"] == "max-age=31536000"
    assert "\nhttps://arena.example.org/account/password/new/" in mailoutbox[0].body
    assert "localhost" not in mailoutbox[0].body


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://arena.example.org/", "https://arena.example.org True True"),
        ("http://arena.example.org:81", "http://arena.example.org:81 False True"),
        ("", " False False"),
        ("arena.example.org", "write it as https://arena.example.org"),
        ("https://arena.example.org/arena", "write it as https://arena.example.org"),
    ],
)
def test_the_address_of_the_site_is_a_setting_for_all_that_depends_on_it(address: str, told: str) -> None:
    code = (
        "from webui import settings as s;"
        "print(s.SITE_URL, s.SESSION_COOKIE_SECURE, 'arena.example.org' in s.ALLOWED_HOSTS)"
    )
    environment = {**os.environ, "ARENA_SITE_URL": address}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert told in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("address", "code", "told"),
    [
        ("https://bots.example.org", 0, "https://bots.example.org"),
        ("127.0.0.1:4000", 0, "127.0.0.1:4000"),
        ("bots.example.org:4000", 1, "write it as https://bots.example.org:4000, or as http://"),
    ],
)
def test_the_address_for_bots_says_whether_to_encrypt(address: str, code: int, told: str) -> None:
    program = "from webui import settings as s; print(s.GATEWAY_ADDRESS)"
    environment = {**os.environ, "ARENA_GATEWAY_ADDRESS": address}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == code, run.stderr
    assert told in run.stdout + run.stderr


def test_signing_up_in_masses_ends(settings: Any) -> None:
    a_day_long(settings)
    for number in range(20):
        assert Client().post("/sign-up/", {"username": f"mass{number}", "password1": PASSWORD}).status_code == 302
    answer = Client().post("/sign-up/", {"username": "mass20", "password1": PASSWORD})
    assert answer.status_code == 429 and "Too many attempts" in text(answer)
    assert bot_queries.user_id("mass20") is None
    assert Client().get("/sign-up/").status_code == 200
    limits = settings.ACCOUNT_RATE_LIMITS["signup"]
    assert "60/h/ip,100/d/ip" in limits, "and who is patient does not make more of them"
    settings.ACCOUNT_RATE_LIMITS |= {"signup": limits.replace("20/", "99/").replace("60/", "2/")}
    answers = [
        Client(REMOTE_ADDR="203.0.113.9").post("/sign-up/", {"username": f"slow{number}", "password1": PASSWORD})
        for number in range(3)
    ]
    assert [answer.status_code for answer in answers] == [302, 302, 429]


def test_another_password(world: World) -> None:
    client = Client()
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    form = {"oldpassword": "wrong", "password1": "a louder caravan", "password2": "a louder caravan"}
    assert "This is not your password" in text(client.post("/account/password/", form))
    changed = client.post("/account/password/", {**form, "oldpassword": PASSWORD}, follow=True)
    assert "Your password is changed" in text(changed) and changed.redirect_chain == [("/account/", 302)]
    assert Client().post("/sign-in/", {"login": "lena", "password": PASSWORD}).status_code == 200
    assert Client().post("/sign-in/", {"login": "lena", "password": "a louder caravan"}).status_code == 302


def test_a_forgotten_password(mailoutbox: list[Any]) -> None:
    Client().post("/sign-up/", {"username": "hanae", "password1": PASSWORD, "email": "hanae@example.org"})
    client = Client()
    for email in ("hanae@example.org", "nobody@example.org"):
        answer = client.post("/account/password/forgotten/", {"email": email}, follow=True)
        assert "Look into your mail" in text(answer), "the answer does not tell who has an account"
    letter, other = mailoutbox
    assert letter.subject == "Naqala Arena: a new password" and "hanae" in letter.body
    assert "No account here" in other.body and "/account/password/new/" not in other.body
    (link,) = re.findall(r"http://testserver(/\S+)", letter.body)
    page = client.get(link, follow=True)
    assert page.redirect_chain[-1][0].endswith("-set-password/"), "the secret leaves the address"
    form = {"password1": "a louder caravan", "password2": "a louder caravan"}
    assert "The password is changed" in text(client.post(page.redirect_chain[-1][0], form, follow=True))
    assert "too old, or was used" in text(Client().get(link, follow=True))
    assert Client().post("/sign-in/", {"login": "hanae", "password": "a louder caravan"}).status_code == 302


def test_another_email_address(world: World, mailoutbox: list[Any]) -> None:
    client = Client()
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    for address in ("old@example.org", "New@example.org"):
        answer = client.post(
            "/account/email/",
            {
                "email": address,
            },
            follow=True,
        )
        assert "Your e-mail address is changed" in text(answer)
    assert "is changed" not in text(client.post("/account/email/", {"email": "new@example.org"}, follow=True))
    notices = [(letter.to[0], letter.subject) for letter in mailoutbox]
    said = "Naqala Arena: E-mail address changed"
    assert sorted(notices) == [("new@example.org", said), ("old@example.org", said), ("old@example.org", said)]
    mailoutbox.clear()
    wrong = client.post("/account/email/", {"email": "no address"})
    assert wrong.status_code == 422 and 'role="alert"' in text(wrong)
    for address in ("old@example.org", "new@example.org"):
        Client().post("/account/password/forgotten/", {"email": address})
    assert [("lena" in letter.body) for letter in mailoutbox] == [False, True]
    client.post("/account/email/", {"email": ""})
    Client().post("/account/password/forgotten/", {"email": "new@example.org"})
    assert "No account here" in mailoutbox[-1].body
