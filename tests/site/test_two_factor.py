"""Second factors: an app with codes, recovery codes, and how they are switched on and off."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core.cache import cache
from django.test import Client
from typer.testing import CliRunner

from arena.cli.files import InputError
from tests.site.seed import PASSWORD
from tests.site.world import World, text
from webui.commands import user
from webui.ladder import actions, queries
from webui.ladder.actions import Act
from webui.site import encryption

pytestmark = pytest.mark.django_db


def code_of(secret: str) -> str:
    """What an app shows now."""
    _, now, _ = yield_hotp_counters_from_time()
    return format_hotp_value(hotp_value(secret, now))


def with_app(client: Client) -> str:
    """Set up an app; its key."""
    secret = re.search(r'<code class="key"[^>]*>([A-Z2-7]+)</code>', text(client.get("/account/app/")))
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
    actions.set_email(world.owner, "lena@example.org")
    secret = with_app(world.client("owner"))
    assert queries.second_factors(world.owner).has_app
    client = Client()
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    assert "_auth_user_id" not in client.session, "the password alone opens nothing"
    assert "is wrong" in text(client.post("/sign-in/code/", {"code": "abcdef"}))
    assert "_auth_user_id" not in client.session
    code = code_of(secret)
    client.post("/sign-in/code/", {"code": f"{code[:3]} {code[3:]}"})
    assert client.session["_auth_user_id"] == str(world.owner)
    assert "is wrong" in text(signed_in(code)[1]), "a code that somebody has seen opens nothing"
    assert Act.APP_ADDED in {line.act for line in queries.audit(world.owner)}
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
    row.data["secret"] = secret
    row.save()
    assert opens(), "one that was stored in clear is read as it is"
    assert secret not in encryption.encrypt(secret) and encryption.encrypt(secret) != stored


def test_guessing_codes_ends(world: World, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login_failed": "100/d/ip,5/d/key"}
    secret = with_app(world.client("owner"))
    client = Client()
    client.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    for number in range(5):
        assert "is wrong" in text(client.post("/sign-in/code/", {"code": f"wrong{number}"}))
    assert "Too many attempts" in text(client.post("/sign-in/code/", {"code": code_of(secret)}))
    assert "_auth_user_id" not in client.session


def test_a_recovery_code_opens_once_and_only_its_hash_is_kept(world: World) -> None:
    owner = world.client("owner")
    with_app(owner)
    first, second, *_ = codes(owner)
    kept = str(Authenticator.objects.get(type="recovery_codes").data)
    assert first not in kept and first.replace("-", "") not in kept
    client, _ = signed_in(first.upper().replace("-", " "))
    assert client.session["_auth_user_id"] == str(world.owner)
    assert queries.second_factors(world.owner).codes_left == 9
    assert "is wrong" in text(signed_in(first)[1])
    digest = Authenticator.objects.get(type="recovery_codes").data["migrated_codes"][0]
    assert "is wrong" in text(signed_in(digest)[1]), "what is kept opens nothing"
    assert "9 codes are left" in text(owner.get("/account/"))
    codes(owner)
    assert "is wrong" in text(signed_in(second)[1]), "new codes end the former"
    assert {Act.CODES_MADE, Act.CODE_USED} <= {line.act for line in queries.audit(world.owner)}


@pytest.mark.django_db(transaction=True)
def test_the_operator_removes_what_is_lost_and_its_owner_is_told(world: World, mailoutbox: list[Any]) -> None:
    actions.set_email(world.owner, "lena@example.org")
    owner = world.client("owner")
    with_app(owner)
    codes(owner)
    mailoutbox.clear()
    assert CliRunner().invoke(user.app, ["remove-second-factors", "lena"]).exit_code == 0
    assert not Authenticator.objects.exists()
    line = queries.audit(world.owner)[0]
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
    assert queries.second_factors(world.owner).are_on
    session["account_authentication_methods"] = fresh
    session.save()
    assert "The app is removed" in text(client.post("/account/app/remove/", follow=True))
    assert not Authenticator.objects.exists(), "the recovery codes end with it"


def test_a_forgotten_password_does_not_go_around_the_second_factor(world: World, mailoutbox: list[Any]) -> None:
    actions.set_email(world.owner, "lena@example.org")
    with_app(world.client("owner"))
    client = Client()
    client.post("/account/password/forgotten/", {"email": "lena@example.org"})
    (link,) = re.findall(r"http://testserver(/account/password/new/\S+)", mailoutbox[-1].body)
    form = {"password1": "a louder caravan", "password2": "a louder caravan"}
    client.post(client.get(link, follow=True).redirect_chain[-1][0], form)
    answer = client.post("/sign-in/", {"login": "lena", "password": "a louder caravan"})
    assert answer["Location"].startswith("/sign-in/code/") and "_auth_user_id" not in client.session
