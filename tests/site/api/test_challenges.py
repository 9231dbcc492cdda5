"""Challenges by the API, and by the command that uses it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

from arena.cli import challenge
from arena.cli.app import app
from tests.kit.databases import POSTGRES
from tests.kit.ladder import Kit
from tests.site.api.calling import ROOT, Api, code, with_token
from tests.site.challenge_arena import Arena, challenge_arena
from tests.site.world import World
from webui.accounts import queries as account_queries
from webui.accounts.models import User
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.models import Bot, BotVersion
from webui.challenges.models import Challenge

pytestmark = pytest.mark.django_db
DATABASES = ["sqlite", POSTGRES]


@pytest.fixture
def arena(world: World, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Arena:
    return challenge_arena(world, kit, monkeypatch)


def house(arena: Arena) -> Bot:
    return BotVersion.objects.select_related("bot").get(pk=arena.house).bot


def test_a_bots_token_challenges_follows_and_withdraws(arena: Arena) -> None:
    api, name, slug = Api(arena.world.token.token), house(arena).name, house(arena).slug
    order = {"seats": [{"bot": name}, {}, {"version": "2.1"}], "expansions": ["whims"]}
    made = api.call("post", "/challenges", order, Idempotency_Key="one")
    found = made.json()
    assert [(seat["bot"], seat["name"], seat["version"], seat["state"]) for seat in found["seats"]] == [
        (slug, name, None, "other game"), ("long-ledger", "Long Ledger", None, "other game"),
        ("long-ledger", "Long Ledger", "2.1", "offline"),
    ]  # fmt: skip
    assert (made.status_code, found["state"], found["match"], found["match_state"]) == (201, "waiting", None, None)
    assert found["game"] == {"players": 3, "expansions": ["whims"]}
    assert api.get(f"/challenges/{found['id']}").json() == found
    assert api.call("post", "/challenges", order, Idempotency_Key="one").json() == found
    assert api.call("delete", f"/challenges/{found['id']}").json()["state"] == "withdrawn"
    second = api.call("post", "/challenges", {"seats": [{}, {"bot": slug}]}).json()["id"]
    match = arena.play(second)
    ended = api.get(f"/challenges/{second}").json()
    assert ended["url"].endswith(f"/matches/{match}/") and ended["match_state"] == "finished"
    assert sorted(ended["placements"]) in ([1, 2], [1, 1])
    assert [(seat["name"], seat["version"]) for seat in ended["seats"]] == [("Long Ledger", "2.2"), (name, "1")]
    assert len(ended["scores"]) == 2 and max(ended["scores"]) == ended["scores"][ended["placements"].index(1)]
    again = api.call("post", f"/matches/{match}/rematch").json()
    assert [seat["name"] for seat in again["seats"]] == [name, "Long Ledger"]
    account, where = with_token(arena.world.owner, "read"), "/bots/long-ledger/challenges?limit=2"
    first = account.get(where).json()
    rest = account.get(f"{where}&cursor={first['next']}").json()
    listed = [one["id"] for one in first["items"] + rest["items"]]
    assert listed == [again["id"], second, found["id"], arena.world.challenge]


def test_who_a_token_speaks_for(arena: Arena) -> None:
    second = bot_actions.register_bot(arena.world.owner, "Salt Fish")
    order = {"seats": [{"bot": "long-ledger"}, {"bot": house(arena).slug}]}
    account = with_token(arena.world.owner, "challenges")
    made = account.call("post", "/challenges", order).json()["id"]
    own, fish = Api(arena.world.token.token), Api(token_actions.issue_token(second).token)
    assert own.get(f"/challenges/{made}").status_code == 200
    for stranger in (fish, Api(token_actions.issue_token(arena.theirs).token), with_token(arena.world.other)):
        assert code(stranger.get(f"/challenges/{made}")) == "NOT_FOUND"
        assert code(stranger.call("delete", f"/challenges/{made}")) == "NOT_FOUND"
    assert fish.call("post", "/challenges", order).json()["reason"] == "NO_OWN", "it speaks for its bot alone"
    match = arena.play(made)
    assert code(fish.call("post", f"/matches/{match}/rematch")) == "NOT_FOUND"
    assert account.call("post", f"/matches/{match}/rematch").status_code == 201
    assert code(account.call("post", "/challenges", {"seats": [{}, {"bot": "long-ledger"}]})) == "BAD_REQUEST"


def test_what_is_refused(arena: Arena) -> None:
    api, own = Api(arena.world.token.token), {"seats": [{}, {"bot": house(arena).slug}]}
    for order, why in (
        ({"seats": [{}, {"bot": "Salt Road"}]}, "NOT_ACCEPTED"),
        ({"seats": [{"bot": "Salt Road"}, {"bot": "Salt Road"}]}, "NO_OWN"),
        ({"seats": [{}, {}]}, "TWICE"),
    ):
        answer = api.call("post", "/challenges", order)
        assert (code(answer), answer.status_code, answer.json()["reason"]) == ("CHALLENGE_REFUSAL", 409, why)
    for order, why in (
        ({"seats": [{}, {"bot": "Nobody"}]}, "NOT_FOUND"),
        ({"seats": [{}, {"version": "9"}]}, "NOT_FOUND"),
        ({"seats": [{}, {"version": "2\0"}]}, "BAD_REQUEST"),
        ('{"seats": [{}, {"bot": "Salt\\ud800"}]}', "BAD_REQUEST"),
        ({"seats": [{}, {"bot": "x" * 41}]}, "BAD_REQUEST"),
        ({"seats": [{"bot": "Nobody"}, {}, {}, {}, {}, {}]}, "BAD_REQUEST"),
        ({"seats": [{}]}, "BAD_REQUEST"),
        ({"seats": 3}, "BAD_REQUEST"),
        ({"seats": [3, {}]}, "BAD_REQUEST"),
        ({"seats": [{}, {"version": "2.1"}], "expansions": ["sea"]}, "BAD_REQUEST"),
        ({"seats": [{}, {"version": "2.1"}], "expansions": ["whims"] * 3}, "BAD_REQUEST"),
        ({"seats": [{}, {"version": "2.1"}], "clock": "fast"}, "BAD_REQUEST"),
        ([], "BAD_REQUEST"),
        ("nope", "BAD_REQUEST"),
    ):
        assert code(api.call("post", "/challenges", order)) == why, order
    assert code(api.call("post", "/matches/nope/rematch")) == "NOT_FOUND"
    assert Challenge.objects.filter(state="WAITING").count() == 0
    for _ in range(2):
        assert api.call("post", "/challenges", own).status_code == 201
    assert api.call("post", "/challenges", own).json()["reason"] == "OPEN"
    User.objects.filter(pk=arena.world.owner).update(is_active=False)
    assert code(api.call("post", "/challenges", own)) == "BAD_TOKEN"


def test_whose_challenges_a_bot_accepts(arena: Arena) -> None:
    api, where = with_token(arena.world.other, "bots"), "/bots/salt-road/challenge-terms"
    assert api.get(where).json() == {"accepts": "never", "at_once": 1, "friends": []}
    terms = {"accepts": "friends", "at_once": 2, "friends": ["lena"]}
    assert api.call("put", where, terms).json() == api.get(where).json() == terms
    assert account_queries.audit(arena.world.other, most=1)[0].subject == "Salt Road: friends"
    order = {"seats": [{}, {"bot": "salt-road"}]}
    assert Api(arena.world.token.token).call("post", "/challenges", order).status_code == 201
    assert api.call("put", where, {**terms, "friends": ["nobody"]}).json()["reason"] == "NO_ACCOUNT"
    for wrong in (
        {**terms, "at_once": 5}, {**terms, "accepts": "ALL"}, {**terms, "friends": ["lena"] * 51},
        {**terms, "friends": ["a\0"]}, {**terms, "friends": ["x" * 151]}, {"at_once": 2},
    ):  # fmt: skip
        assert code(api.call("put", where, wrong)) == "BAD_REQUEST"
    assert api.get(where).json() == terms


@pytest.mark.django_db(transaction=True)
def test_the_command_by_a_bots_token_and_by_an_api_token(
    live_server: Any, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(_: float) -> None:
        (waiting,) = Challenge.objects.filter(state="WAITING")
        arena.play(waiting.pk)

    def run(token: str, *words: str) -> Any:
        words = ("bot", "challenge", *words, "--site", live_server.url, "--token", token)
        return CliRunner().invoke(app, words)

    monkeypatch.setattr(challenge.time, "sleep", play)
    slug, account = house(arena).slug, token_actions.issue_api_token(arena.world.owner, ["challenges"]).token
    played = run(arena.world.token.token, slug, "--json")
    assert played.exit_code == 0, played.output
    found = json.loads(played.stdout)
    assert found["match_state"] == "finished" and [one["bot"] for one in found["seats"]] == ["long-ledger", slug]
    again = run(account, slug, "--bot", "Long Ledger", "--seat", "2")
    assert again.exit_code == 0 and "points" in again.stdout, again.output
    assert run(account, "--rematch", found["match"]).exit_code == 0
    assert "name the bot of each seat" in str(run(account, slug).exception)
    assert "does not accept your challenges" in str(run(account, "salt-road", "--bot", "long-ledger").exception)
    assert "unknown, expired or revoked" in str(run("naqala_nope", slug).exception)


@pytest.mark.django_db(transaction=True)
def test_two_requests_with_one_key_at_once_are_one(live_server: Any, world: World) -> None:
    token = token_actions.issue_api_token(world.owner, ["bots"]).token
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": "one"}

    def register(_: int) -> tuple[int, dict[str, Any], bool]:
        request = Request(f"{live_server.url}{ROOT}/bots", b'{"name": "Salt Road"}', headers)
        with urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer), "Idempotency-Replayed" in answer.headers

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(register, range(2))
    assert one[:2] == other[:2] and one[0] == 201 and {one[2], other[2]} == {False, True}
    assert Bot.objects.filter(name="Salt Road").count() == 1
