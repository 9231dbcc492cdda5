"""What owners do by the API: bots, tokens, releases, versions that were taken off, comparisons."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress

from tests.site.api.calling import Api, code, with_token
from tests.site.world import World
from webui.accounts import queries as account_queries
from webui.accounts.models import ApiRequest, User
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_actions, token_queries
from webui.bots.models import Bot, BotToken, BotVersion
from webui.bots.token_actions import MOST_TOKENS
from webui.events import actions as event_actions
from webui.events import advancing
from webui.events.models import EventBot
from webui.notices import actions as notice_actions
from webui.pairing.models import Exclusion

pytestmark = pytest.mark.django_db
BOT = "/bots/long-ledger"


@pytest.fixture
def api(world: World) -> Api:
    return with_token(world.owner, "bots", "challenges")


def test_a_bot_from_its_registration_to_its_first_token(
    world: World, api: Api, mailoutbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    User.objects.filter(pk=world.owner).update(email="lena@example.org")
    notice_actions.choose_mail(world.owner, is_wanted=True, language="fr")
    made = api.call("post", "/bots", {"name": "Salt Road", "description": "Trades salt."})
    assert made.status_code == 201 and made.json() == api.get("/bots/salt-road").json()
    assert bot_queries.own_bots(world.owner)[1].tokens == []
    order = {"label": "desk", "days": 30}
    with django_capture_on_commit_callbacks(execute=True):
        answer = api.call("post", "/bots/salt-road/tokens", order, Idempotency_Key="one")
    token = answer.json()
    bot = token_queries.session_for_token(token["token"])
    assert answer.status_code == 201 and bot is not None and bot.bot_name == "Salt Road"
    assert (token["label"], token["valid"]) == ("desk", True) and token["expires_at"] > token["created_at"]
    (mail,) = mailoutbox
    assert mail.to == ["lena@example.org"] and "Salt Road" in mail.body and "127.0.0.1" in mail.body
    assert "votre compte lena" in mail.body, "in the language that she has chosen"
    with django_capture_on_commit_callbacks(execute=True):
        again = api.call("post", "/bots/salt-road/tokens", order, Idempotency_Key="one")
    assert again.json() == token and again["Idempotency-Replayed"] == "true", "who lost the answer gets the token"
    assert len(mailoutbox) == BotToken.objects.filter(bot=bot.bot_id).count() == 1
    assert token["token"] not in ApiRequest.objects.get().answer
    listed = api.get("/bots/salt-road/tokens")
    (shown,) = listed.json()["items"]
    assert {**token, "last_used_at": None} == {**shown, "token": token["token"]} and token["token"] not in str(shown)
    where = f"/bots/salt-road/tokens/{token['id']}"
    revoked = api.call("delete", where).json()
    assert revoked["revoked_at"] and not revoked["valid"] and api.call("delete", where).json() == revoked
    assert token_queries.session_for_token(token["token"]) is None
    assert [line.act for line in account_queries.audit(world.owner, most=3)] == [
        "TOKEN_REVOKED",
        "TOKEN_ISSUED",
        "BOT_REGISTERED",
    ]
    assert {line.address for line in account_queries.audit(world.owner, most=3)} == {"127.0.0.1"}
    never = api.call("post", "/bots/salt-road/tokens", {"days": None}).json()
    assert never["expires_at"] is None and api.call("post", "/bots/salt-road/tokens", {}).json()["expires_at"]


def test_a_token_outlives_the_api_token_that_made_it_and_the_history_names_that(world: World) -> None:
    maker = token_actions.issue_api_token(world.owner, ["bots"], label="ci")
    made = Api(maker.token).call("post", f"{BOT}/tokens", {"label": "desk"}).json()
    (issued,) = account_queries.audit(world.owner, most=1)
    assert issued.subject.endswith(f"(desk) ← {maker.token[:15]}… (ci)"), issued.subject
    token_actions.revoke_api_token(maker.token_id, world.owner)
    assert token_queries.session_for_token(made["token"]) is not None


def test_without_a_confirmed_address_no_tokens(world: World, api: Api, settings: Any) -> None:
    settings.VERIFIED_EMAIL = True
    for path, body in (("/bots", {"name": "Salt Road"}), (f"{BOT}/tokens", {})):
        assert code(api.call("post", path, body)) == "EMAIL_UNCONFIRMED"
    assert api.call("post", f"{BOT}/releases", {"version": "2.2"}).status_code == 200
    EmailAddress.objects.create(user_id=world.owner, email="lena@example.org", primary=True, verified=True)
    assert api.call("post", "/bots", {"name": "Salt Road"}).status_code == 201


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("/bots", {"name": "LONG LEDGER"}, "NAME_TAKEN"),
        ("/bots", {"name": "…"}, "BAD_REQUEST"),
        ("/bots", {"name": "a\0b"}, "BAD_REQUEST"),
        ("/bots", {"name": "x" * 41}, "BAD_REQUEST"),
        ("/bots", {"name": "Salt Road", "description": "x" * 501}, "BAD_REQUEST"),
        ("/bots", {"name": "Salt Road", "description": "\0"}, "BAD_REQUEST"),
        ("/bots", {"name": "Salt Road", "house": True}, "BAD_REQUEST"),
        ("/bots", '{"name": "Salt\\ud800"}', "BAD_REQUEST"),
        ("/bots", "[" * 15_000, "BAD_REQUEST"),
        (f"{BOT}/tokens", {"days": 0}, "BAD_REQUEST"),
        (f"{BOT}/tokens", {"days": 3651}, "BAD_REQUEST"),
        (f"{BOT}/tokens", {"label": "x" * 41}, "BAD_REQUEST"),
        (f"{BOT}/tokens", {"label": "\0"}, "BAD_REQUEST"),
        (f"{BOT}/releases", {"version": "3", "note": "x" * 501}, "BAD_REQUEST"),
        (f"{BOT}/releases", {"version": "3", "note": "\0"}, "BAD_REQUEST"),
        (f"{BOT}/releases", {"version": "0123456789abcdef0123456789abcdef01234567"}, "BAD_REQUEST"),
        (f"{BOT}/exclusions/{2**70}/examination", None, "NOT_FOUND"),
    ],
)
def test_what_is_refused(api: Api, path: str, body: Any, why: str) -> None:
    bots = Bot.objects.count()
    assert code(api.call("post", path, body)) == why
    assert Bot.objects.count() == bots


def test_a_form_is_no_request(api: Api) -> None:
    headers = {"Authorization": f"Bearer {api.token}", "Idempotency-Key": "one"}
    assert code(api.client.post("/api/v1/bots", {"name": "Salt Road"}, headers=headers)) == "BAD_REQUEST"


def test_what_an_owner_may_have_is_limited(world: World, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.profiles.api.NEW_BOTS_AN_HOUR", 1)
    assert code(api.call("post", "/bots", {"name": "Salt Road"})) == "TOO_MANY"
    digests = map(str, range(MOST_TOKENS))
    BotToken.objects.bulk_create(BotToken(bot_id=world.bot, digest=digest) for digest in digests)
    assert code(api.call("post", f"{BOT}/tokens", {})) == "TOO_MANY"


def test_a_change_that_is_refused_in_part_changes_nothing(world: World, api: Api) -> None:
    before = api.get(BOT).json()
    for change in ({"retired": True, "state": "active"}, {"retired": True, "description": "\u202e"}):
        assert api.call("patch", BOT, change).status_code == 400
    assert api.call("patch", f"{BOT}/versions/2.1", {"retired": True, "note": "\u202e"}).status_code == 400
    assert api.get(BOT).json() == before and not any(line.retired_at for line in BotVersion.objects.all())


def test_a_release_and_its_note(world: World, api: Api) -> None:
    assert api.call("post", f"{BOT}/releases", {"version": "3", "note": "Faster."}).json() == {
        "version": "3",
        "ready": True,
    }
    assert api.call("post", f"{BOT}/releases", {"version": "2.2", "note": "Slower."}).json()["ready"] is False
    assert BotVersion.objects.get(bot=world.bot, name="3").note == "Faster."


def test_a_version_that_was_taken_off_is_examined(world: World, api: Api) -> None:
    version = BotVersion.objects.get(bot=world.bot, name="2.2")
    row = Exclusion.objects.create(version=version, matches=[world.finished])
    (shown,) = api.get(f"{BOT}/exclusions").json()["items"]
    assert (shown["version"], shown["forfeited"], shown["examination_asked"]) == ("2.2", [world.finished], False)
    where = f"{BOT}/exclusions/{row.pk}/examination"
    other = with_token(world.other)
    other.call("post", "/bots", {"name": "Salt Road"})
    assert code(other.call("post", where)) == code(other.call("post", where.replace("long-ledger", "salt-road")))
    assert api.call("post", where).json()["examination_asked"] is True
    row.refresh_from_db()
    assert row.asked_at is not None and account_queries.audit(world.owner, most=1)[0].subject == "Long Ledger 2.2"


def test_a_bot_enters_an_event_and_leaves_it(world: World) -> None:
    api, where = with_token(world.owner, "events"), f"/events/{world.draft}/entries/long-ledger"
    stranger = with_token(world.other, "events")
    assert code(stranger.call("put", where)) == "NOT_FOUND", "the draft is its organiser's"
    event_actions.ask_event(world.draft, world.owner, "publish")
    advancing.advance_events([], 9)
    entry = {"event": world.draft, "bot": "long-ledger", "state": "entered", "version": "2.2", "version_fixed": False}
    assert api.call("put", where).json() == entry
    assert EventBot.objects.get(event__slug=world.draft, is_in=True).bot_id == world.bot
    assert code(stranger.call("delete", where)) == "FORBIDDEN", "the bot is its owner's"
    assert api.call("put", f"{where}/check-in").json()["reason"] == "NO_CHECK_IN"
    assert api.call("delete", where).json()["state"] == "left"
    assert code(api.call("delete", where)) == code(api.call("put", where.replace("long-ledger", "nobody")))
    assert not EventBot.objects.filter(event__slug=world.draft, is_in=True).exists()


def test_a_comparison_is_started_followed_and_stopped(world: World, api: Api) -> None:
    old, new = ({"bot": "long-ledger", "version": version} for version in ("2.1", "2.2"))
    order = {"new": new, "old": old, "game": {"players": 3, "expansions": ["whims"]}, "margin": 50}
    made = api.call("post", "/comparisons", order, Idempotency_Key="one")
    found = made.json()
    assert made.status_code == 201 and found["state"] == "running" and found["game"] == order["game"]
    assert (found["margin"], found["difference"], found["evidence"], found["newest"]) == (50, None, 0, [])
    assert found["no_below"] < 0 < found["yes_above"]
    assert api.call("post", "/comparisons", order, Idempotency_Key="one").json() == found
    assert code(api.call("post", "/comparisons", order)) == "TOO_MANY", "two run"
    assert api.get(f"/comparisons/{found['id']}").json() == found
    first = api.get(f"{BOT}/comparisons?limit=1").json()
    second = api.get(f"{BOT}/comparisons?limit=1&cursor={first['next']}").json()
    assert [one["items"][0]["id"] for one in (first, second)] == [found["id"], world.comparison]
    assert second["next"] is None
    assert code(api.get(f"{BOT}/comparisons?cursor=IlwwIg")) == "BAD_REQUEST", "a NUL"
    assert code(api.get(f"{BOT}/comparisons?cursor=Im5vcGUi")) == "BAD_REQUEST"
    stopped = api.call("delete", f"/comparisons/{found['id']}").json()
    assert stopped["state"] == "stopped" and stopped["ended_at"]
    assert api.call("delete", f"/comparisons/{found['id']}").json() == stopped
    for wrong, why in (
        ({**order, "old": new}, "BAD_REQUEST"),
        ({**order, "margin": 1}, "BAD_REQUEST"),
        ({**order, "margin": 1e400}, "BAD_REQUEST"),
        ({**order, "game": {"players": 5}}, "BAD_REQUEST"),
        ({**order, "game": {"players": 6}}, "BAD_REQUEST"),
        ({**order, "new": {**new, "version": "9"}}, "NOT_FOUND"),
        ({**order, "new": {**new, "bot": "nobody"}}, "NOT_FOUND"),
    ):
        assert code(api.call("post", "/comparisons", wrong)) == why


def test_a_release_is_taken_back_until_its_version_says_hello(world: World) -> None:
    api, path = with_token(world.owner), "/bots/long-ledger/releases"

    def names() -> list[str]:
        return [one["name"] for one in api.get("/bots/long-ledger/versions").json()["items"]]

    for version in ("7.1", "7.2"):
        assert api.call("post", path, {"version": version}).json() == {"version": version, "ready": True}
    assert api.call("delete", f"{path}/7.1").json() == {"version": "7.1", "ready": True}
    assert "7.1" not in names() and "7.2" in names()
    assert code(api.call("delete", f"{path}/7.1")) == "NOT_FOUND"
    bot = Bot.objects.get(slug="long-ledger")
    bot_actions.register_version(bot.pk, "7.2")
    assert code(api.call("delete", f"{path}/7.2")) == "BAD_REQUEST" and "7.2" in names()
