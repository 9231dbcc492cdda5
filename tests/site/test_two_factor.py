"""Second factors: an app with codes, recovery codes, and how they are switched on and off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.core import context
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client, RequestFactory
from typer.testing import CliRunner

from arena.cli.files import InputError
from tests.site.seed import PASSWORD
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.accounts.values import Act
from webui.commands import user
from webui.core import encryption

pytestmark = pytest.mark.django_db


def code_of(secret: str) -> str:
    """What an app shows now."""
    _, now, _ = yield_hotp_counters_from_time()
    return format_hotp_value(hotp_value(secret, now))


def with_app(client: Client) -> str:
    """Set up an app; its key."""
    secret = re.search(r'<code class="key-text"[^>]*>([A-Z2-7]+)</code>', text(client.get("/account/app/")))
    assert secret is not None
    answer = client.post("/account/app/", {"code": code_of(secret[1])}, follow=True)
    assert answer.redirect_chain == [("/account/recovery-codes/", 302)], "recovery codes come next"
    cache.clear()  # the same code is shown for some seconds, and a test does not wait
    return secret[1]


def codes(client: Client) -> list[str]:
    found = re.findall(r"<li>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})</li>", text(client.post("/account/recovery-codes/")))
    assert len(set(found)) == 10
    return found


def signed_in(code: str) -> tuple[Client, Any]:
    client = Client()
    assert client.post("/sign-in/", {"login": "lena", "password": PASSWORD})["Location"].startswith("/sign-in/code/")
    return client, client.post("/sign-in/code/", {"code": code})


@pytest.mark.django_db(transaction=True)  # what is told by email is told after the commit
def test_an_app_is_asked_for_at_sign_in(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    secret = with_app(world.client("owner"))
    assert account_queries.second_factors(world.owner).has_app
    client = Client()
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    assert "_auth_user_id" not in client.session, "the password alone opens nothing"
    assert "is wrong" in text(client.post("/sign-in/code/", {"code": "abcdef"}))
    assert "_auth_user_id" not in client.session
    code = code_of(secret)
    client.post("/sign-in/code/", {"code": f"{code[:3]} {code[3:]}"})
    assert client.session["_auth_user_id"] == str(world.owner)
    assert "is wrong" in text(signed_in(code)[1]), "a code that somebody has seen opens nothing"
    assert Act.APP_ADDED in {line.act for line in account_queries.audit(world.owner)}
    assert [letter.subject.partition(": ")[2] for letter in mailoutbox] == [
        "Authenticator app added", "Signed in from a new browser"
    ]  # fmt: skip


def test_the_key_of_an_app_is_encrypted_at_rest(world: World, settings: Any) -> None:
    secret = with_app(world.client("owner"))
    row = Authenticator.objects.get(type="totp")
    stored = row.data["secret"]
    assert secret not in str(row.data)

    def opens(**changed: Any) -> bool:
        cache.clear()
        for name, value in changed.items():
            setattr(settings, name, value)
        return "_auth_user_id" in signed_in(code_of(secret))[0].session

    assert opens()
    former = settings.SECRET_KEY
    assert opens(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[former])
    assert not opens(SECRET_KEY_FALLBACKS=[]), "a key that cannot be read opens nothing"
    assert secret not in encryption.encrypt(secret, encryption.Purpose.APPS)
    assert encryption.encrypt(secret, encryption.Purpose.APPS) != stored


def wrong_codes(secret: str) -> Iterator[str]:
    """Codes that no app with this key shows now or soon."""
    _, now, _ = yield_hotp_counters_from_time()
    right = {format_hotp_value(hotp_value(secret, now + step)) for step in range(-3, 20)}
    return (code for number in range(10**6) if (code := f"{number:06}") not in right)


def at_codes(address: str) -> Client:
    """Somebody who knows the password."""
    client = Client(REMOTE_ADDR=address)
    assert client.post("/sign-in/", {"login": "lena", "password": PASSWORD})["Location"].startswith("/sign-in/code/")
    return client


def days_long(settings: Any, **limits: str) -> None:
    settings.ACCOUNT_RATE_LIMITS = {
        **settings.ACCOUNT_RATE_LIMITS,
        "login_failed": "100/d/ip",
        "code": "5/d/key",
        **limits,
    }


def test_guessing_codes_ends_and_keeps_its_owner_out_nowhere_else(world: World, settings: Any) -> None:
    days_long(settings)
    secret = with_app(world.client("owner"))
    (recovery, *_), wrong = codes(world.client("owner")), wrong_codes(secret)
    thief = at_codes("2001:db8:0:7::1")
    for _ in range(5):
        assert "is wrong" in text(thief.post("/sign-in/code/", {"code": next(wrong)}))
    for client in (thief, at_codes("2001:db8:0:7::2")):
        assert "Too many attempts" in text(client.post("/sign-in/code/", {"code": code_of(secret)}))
        assert "_auth_user_id" not in client.session
    elsewhere = at_codes("203.0.113.9")
    elsewhere.post("/sign-in/code/", {"code": code_of(secret)})
    assert elsewhere.session["_auth_user_id"] == str(world.owner), "another address"
    thief.post("/sign-in/code/", {"code": recovery})
    assert thief.session["_auth_user_id"] == str(world.owner), "nobody guesses these"


def test_guessing_codes_from_everywhere_ends_and_keeps_out_no_device_of_the_owner(world: World, settings: Any) -> None:
    days_long(settings, code_anywhere="8/d/key")
    secret = with_app(world.client("owner"))
    wrong = wrong_codes(secret)
    home = at_codes("203.0.113.9")
    home.post("/sign-in/code/", {"code": code_of(secret)})
    home.post("/sign-out/")
    cache.delete(f"app-code:{world.owner}:{code_of(secret)}")  # the same code is shown for some seconds
    cache.delete(f"allauth.mfa.totp.used?user={world.owner}&code={code_of(secret)}")
    for number in range(8):
        assert "is wrong" in text(at_codes(f"8.8.8.{number}").post("/sign-in/code/", {"code": next(wrong)}))
    assert "Too many attempts" in text(at_codes("8.8.4.4").post("/sign-in/code/", {"code": code_of(secret)}))
    home.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    home.post("/sign-in/code/", {"code": code_of(secret)})
    assert home.session["_auth_user_id"] == str(world.owner)


def test_the_code_that_set_up_an_app_opens_nothing(world: World) -> None:
    client = world.client("owner")
    secret = re.search(r'<code class="key-text"[^>]*>([A-Z2-7]+)</code>', text(client.get("/account/app/")))
    assert secret is not None
    code = code_of(secret[1])
    assert client.post("/account/app/", {"code": code}).status_code == 302
    other, answer = signed_in(code)
    assert "is wrong" in text(answer) and "_auth_user_id" not in other.session


def test_nothing_that_the_library_counts_keeps_an_owner_out(world: World, rf: RequestFactory) -> None:
    """Wrong passkeys, too."""
    user = get_user_model().objects.get(pk=world.owner)
    for number in range(20):
        with context.request_context(rf.post("/", REMOTE_ADDR=f"8.8.8.{number}")):
            check_rate_limit(user)


def test_a_recovery_code_opens_once_and_only_its_hash_is_kept(world: World) -> None:
    owner = world.client("owner")
    with_app(owner)
    first, second, *_ = codes(owner)
    kept = str(Authenticator.objects.get(type="recovery_codes").data)
    assert first not in kept and first.replace("-", "") not in kept
    client, _ = signed_in(first.upper().replace("-", " "))
    assert client.session["_auth_user_id"] == str(world.owner)
    assert account_queries.second_factors(world.owner).codes_left == 9
    assert "is wrong" in text(signed_in(first)[1])
    digest = Authenticator.objects.get(type="recovery_codes").data["migrated_codes"][0]
    assert "is wrong" in text(signed_in(digest)[1]), "what is kept opens nothing"
    assert "9 codes are left" in text(owner.get("/account/"))
    codes(owner)
    assert "is wrong" in text(signed_in(second)[1]), "new codes end the former"
    assert {Act.CODES_MADE, Act.CODE_USED} <= {line.act for line in account_queries.audit(world.owner)}


@pytest.mark.django_db(transaction=True)
def test_the_operator_removes_what_is_lost_and_its_owner_is_told(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    owner = world.client("owner")
    with_app(owner)
    codes(owner)
    mailoutbox.clear()
    assert CliRunner().invoke(user.app, ["remove-second-factors", "lena"]).exit_code == 0
    assert not Authenticator.objects.exists()
    line = account_queries.audit(world.owner)[0]
    assert (line.act, line.actor) == (Act.APP_REMOVED, ""), "by the operator"
    (letter,) = mailoutbox
    assert letter.to == ["lena@example.org"] and "Authenticator app removed" in letter.subject
    for name in ("lena", "nobody-at-all"):
        assert isinstance(CliRunner().invoke(user.app, ["remove-second-factors", name]).exception, InputError)


def test_recovery_codes_need_a_second_factor(world: World) -> None:
    client = world.client("owner")
    assert "Add one first" in text(client.post("/account/recovery-codes/"))
    assert not Authenticator.objects.exists()


def test_a_code_stands_for_the_password(world: World) -> None:
    client = world.client("owner")
    secret = with_app(client)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    assert client.get("/account/email/")["Location"].startswith("/account/confirm/")
    assert "/account/confirm/code/" in text(client.get("/account/confirm/"))
    client.post("/account/confirm/code/?next=/account/email/", {"code": code_of(secret)})
    assert client.get("/account/email/").status_code == 200


@pytest.mark.parametrize("where", ["/account/app/", "/account/passkeys/new/", "/account/recovery-codes/"])
def test_adding_needs_a_fresh_password(world: World, where: str) -> None:
    client = world.client("owner")
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    for answer in (client.get(where), client.post(where, {"code": "123456"})):
        assert answer["Location"].startswith("/account/confirm/")


def test_removing_needs_a_fresh_password(world: World) -> None:
    client = world.client("owner")
    with_app(client)
    codes(client)
    session = client.session
    fresh, session["account_authentication_methods"] = session["account_authentication_methods"], []
    session.save()
    assert client.post("/account/app/remove/")["Location"].startswith("/account/confirm/")
    assert account_queries.second_factors(world.owner).are_on
    session["account_authentication_methods"] = fresh
    session.save()
    assert "The app is removed" in text(client.post("/account/app/remove/", follow=True))
    assert not Authenticator.objects.exists(), "the recovery codes are removed with it"


def test_a_forgotten_password_does_not_go_around_the_second_factor(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    with_app(world.client("owner"))
    client = Client()
    client.post("/account/password/forgotten/", {"email": "lena@example.org"})
    (link,) = re.findall(r"http://testserver(/account/password/new/\S+)", mailoutbox[-1].body)
    form = {"password1": "a louder caravan", "password2": "a louder caravan"}
    client.post(client.get(link, follow=True).redirect_chain[-1][0], form)
    answer = client.post("/sign-in/", {"login": "lena", "password": "a louder caravan"})
    assert answer["Location"].startswith("/sign-in/code/") and "_auth_user_id" not in client.session
