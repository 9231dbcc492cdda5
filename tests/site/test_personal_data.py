"""One's own data, closed sign-up, security.txt, and reports of the Content-Security-Policy."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import authenticate
from django.db.models.functions import Now
from django.test import Client

from tests.site.seed import PASSWORD
from tests.site.world import World, text
from webui import settings as module
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.accounts.models import ApiRequest, ApiToken, AuditEntry, User
from webui.accounts.values import Act, Actor, AnsweredWrite
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_actions, token_queries
from webui.bots.models import BotVersion
from webui.core.errors import BadRequest
from webui.matches.models import Match, Participant
from webui.pairing.models import Exclusion
from webui.staff import doctor

pytestmark = pytest.mark.django_db


def test_all_of_ones_data_and_no_secrets(world: World) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    token_actions.note_token_used(world.token.token_id, "203.0.113.7")
    newest = BotVersion.objects.get(bot=world.bot, name="2.2")
    Exclusion.objects.create(version=newest, matches=[world.finished])
    api_token = token_actions.issue_api_token(world.owner, ["read"], label="laptop").token
    answer = world.client("owner").post("/account/export/")
    assert (
        answer["Content-Disposition"] == 'attachment; filename="naqala-lena.zip"'
        and "no-store" in answer["Cache-Control"]
    )
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    lines = [json.loads(line) for line in files["matches.jsonl"].splitlines()]
    parts = {name.removesuffix(".json"): json.loads(one) for name, one in files.items() if name.endswith(".json")}
    assert set(parts) == {
        "account", "bots", "weights", "trials", "lessons", "events", "challenges", "person", "notices", "following",
        "webhooks", "history",
    }  # fmt: skip
    account = parts["account"]
    assert (account["name"], account["email"]) == ("lena", "lena@example.org")
    (bot,) = parts["bots"]
    assert [(version["name"], version["note"]) for version in bot["versions"]] == [("2.1", ""), ("2.2", "")]
    assert bot["name"] == "Long Ledger" and bot["tokens"][0]["last_address"] == "203.0.113.7"
    seats = Participant.objects.filter(version__bot=world.bot).order_by("pk")
    assert [line["match"] for line in lines] == list(seats.values_list("match_id", flat=True))
    assert world.finished in {line["match"] for line in lines} and {line["bot"] for line in lines} == {"Long Ledger"}
    assert [(one["label"], one["scopes"]) for one in account["api_tokens"]] == [("laptop", ["read"])]
    (excluded,) = bot["exclusions"]
    assert (excluded["version"], excluded["forfeited_matches"], excluded["ended"]) == ("2.2", [world.finished], None)
    assert parts["history"]["account"][0]["what"] == "DATA_EXPORTED" and parts["history"]["elsewhere"] == []
    told = "".join(files.values())
    assert api_token not in told and world.token.token not in told and "tariq" not in told and PASSWORD not in told
    assert not re.search(r"[0-9a-f]{64}|md5\$", told), "no digests"


def test_what_staff_did_elsewhere_is_theirs_without_the_other(world: World) -> None:
    account_actions.record_act(Act.BOT_PAUSED, world.owner, by=Actor(world.staff, "203.0.113.9"), subject="lena")
    history: Any = personal_data.personal_data(world.staff)["history"]
    assert [one["what"] for one in history["elsewhere"]] == ["BOT_PAUSED"] and "lena" not in json.dumps(history)


def test_exports_are_limited(world: World, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "export": "5/d/user"}
    client = world.client("owner")
    assert [client.post("/account/export/").status_code for _ in range(6)] == [200] * 5 + [429]


def test_an_erased_account_leaves_matches_and_no_name(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    account_actions.create_user(f"former-author-{world.owner}", PASSWORD)  # by somebody who wants to be in the way
    api_token = token_actions.issue_api_token(world.owner, ["read"]).token
    account_actions.answer_once(world.owner, "key", "digest", lambda: AnsweredWrite(200, "lena"))
    client = world.client("owner")
    assert "Long Ledger" in text(Client().get(f"/matches/{world.finished}/")), "so that parts of the page are cached"
    assert client.post("/account/erase/", {"name": "Lena"}).status_code == 422
    assert "Your account is erased" in text(client.post("/account/erase/", {"name": "lena"}, follow=True))
    (letter,) = mailoutbox
    assert letter.to == ["lena@example.org"] and letter.subject.endswith("Account erased")
    assert client.get("/account/").status_code == 302 and authenticate(username="lena", password=PASSWORD) is None
    assert token_queries.session_for_token(world.token.token) is None and bot_queries.user_id("lena") is None
    assert token_queries.caller(api_token) is None and not ApiRequest.objects.exists() and not ApiToken.objects.exists()
    pages = ("/", "/bots/", f"/matches/{world.finished}/", "/matches/", "/ladder/3-players-60-s-1-s/")
    for where in pages:
        page = text(Client().get(where))
        assert "lena" not in page and "Long Ledger" not in page and "Counts" not in page, where
    for where in ("/users/lena/", "/bots/long-ledger/"):
        assert Client().get(where).status_code == 404
    assert "Retired bot" in text(Client().get(f"/matches/{world.finished}/"))
    history = AuditEntry.objects.filter(account_id=world.owner)
    assert set(history.values_list("subject", "address")) == {("", "")} and history.count() > 3
    assert history.order_by("-id")[0].act == Act.ACCOUNT_ERASED
    Match.objects.filter(state="SCHEDULED").update(waits_since=Now())  # the world may be older than a match may wait
    assert doctor.examine(sample=None).findings == []
    assert Client().post("/sign-up/", {"username": "lena", "password1": PASSWORD}).status_code == 302, (
        "the name is free"
    )


def test_who_erases_an_account_hides_that_by_no_other_account(
    world: World, mailoutbox: list[Any], settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "notice_to": "0/h/key"}
    account_actions.set_email(world.owner, "lena@example.org")
    EmailAddress.objects.filter(user_id=world.owner).update(verified=True)
    assert world.client("owner").post("/account/erase/", {"name": "lena"}).status_code == 302
    assert [letter.to for letter in mailoutbox] == [["lena@example.org"]]


def test_an_older_account_with_a_long_name_can_be_erased(world: World) -> None:
    name = "l" * 150
    User.objects.filter(pk=world.owner).update(username=name)
    assert "Your account is erased" in text(world.client("owner").post("/account/erase/", {"name": name}, follow=True))


def test_staff_and_the_house_are_not_erased(world: World) -> None:
    with pytest.raises(BadRequest):
        erasure.erase_account(world.staff)
    house = account_actions.create_user("house", None, role="house")
    bot_actions.register_bot(house, "Greedy", is_house=True)
    with pytest.raises(BadRequest):
        erasure.erase_account(house)
    assert "Accounts of staff" in text(world.client("staff").post("/account/erase/", {"name": "warden"}))


def test_erasing_needs_a_fresh_password(world: World) -> None:
    client = world.client("owner")
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    assert client.post("/account/erase/", {"name": "lena"})["Location"].startswith("/account/confirm/")
    assert client.post("/account/export/")["Location"].startswith("/account/confirm/")


def test_sign_up_can_be_closed(settings: Any) -> None:
    settings.SIGN_UP = False
    client = Client()
    assert "Sign-up is closed" in text(client.get("/sign-up/"))
    assert "Sign-up is closed" in text(client.post("/sign-up/", {"username": "hanae", "password1": PASSWORD}))
    assert bot_queries.user_id("hanae") is None
    account_actions.create_user("hanae", PASSWORD)
    assert client.post("/sign-in/", {"login": "hanae", "password": PASSWORD}).status_code == 302


def test_whom_to_tell_of_a_fault(settings: Any) -> None:
    assert Client().get("/.well-known/security.txt").status_code == 404
    settings.SECURITY_CONTACT, settings.SECURITY_EXPIRES = module.security_contact(
        "mailto:security@example.org", "2027-12-31T00:00:00Z"
    )
    answer = Client().get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert text(answer).splitlines() == [
        "Contact: mailto:security@example.org",
        "Expires: 2027-12-31T00:00:00+00:00",
        "Preferred-Languages: en, es, fr, ru",
        "Canonical: http://testserver/.well-known/security.txt",
    ]


@pytest.mark.parametrize(
    ("contact", "expires"),
    [("security@example.org", "2027-12-31T00:00:00Z"), ("mailto:a@example.org", ""), ("mailto:a@example.org", "soon"),
     ("mailto:a@example.org", "2027-12-31"), ("mailto:a\n@example.org", "2027-12-31T00:00:00Z")],
)  # fmt: skip
def test_half_a_contact_is_refused(contact: str, expires: str) -> None:
    with pytest.raises(ValueError, match="write it as"):
        module.security_contact(contact, expires)


REPORT = {
    "type": "csp-violation",
    "body": {
        "effectiveDirective": "script-src-elem",
        "blockedURL": "https://evil.example/x.js?token=naqala_secret",
        "documentURL": "https://arena.example/account/?next=secret",
    },
}


def report(body: Any, form: str = "application/reports+json", **extra: Any) -> Any:
    return Client().post("/csp-reports/", body if isinstance(body, str) else json.dumps(body), form, **extra)


def test_reports_of_the_policy_are_logged(capfd: pytest.CaptureFixture[str]) -> None:
    policy = Client().get("/")["Content-Security-Policy"]
    assert "report-to csp" in policy and "report-uri /csp-reports/" in policy
    assert Client().get("/")["Reporting-Endpoints"] == 'csp="/csp-reports/"'
    former = {
        "csp-report": {"violated-directive": "img-src", "blocked-uri": "inline", "document-uri": "https://a.example/"}
    }
    assert report([REPORT]).status_code == 204 and report(former, "application/csp-report").status_code == 204
    logged = "".join(capfd.readouterr())
    assert "script-src-elem" in logged and "https://evil.example/x.js" in logged and "img-src" in logged
    assert "secret" not in logged


@pytest.mark.parametrize(
    ("body", "status"),
    [("x" * 16_385, 413), ("not json", 400), ("[" * 15_000, 400), ([1, None, {"body": 3}], 204), ({}, 204),
     ([REPORT] * 30, 204)],
    ids=["long", "text", "deep", "other", "empty", "many"],
)  # fmt: skip
def test_hostile_reports(body: Any, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert report(body).status_code == status
    assert "".join(capfd.readouterr()).count("csp_violation") <= 10


def test_reports_are_limited(settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "csp_report": "3/d/ip"}
    assert [report({}).status_code for _ in range(4)] == [204, 204, 204, 429]


def test_files_of_messages_are_limited(world: World, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "messages": "2/d/user"}
    path = f"/account/bots/long-ledger/matches/{world.finished}/"
    client = world.client("owner")
    assert [client.get(f"{path}?format=txtpb").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get(path).status_code == 200, "the page itself is not"
