"""Challenges: the order on the pages and by JSON, what a challenge waits for, its match, and a rematch."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.bus import Presence
from tests.kit.ladder import LEASE, Kit, play_out
from tests.site.world import World, text
from webui.ladder import actions, queries
from webui.ladder.actions import Actor
from webui.ladder.models import BotVersion, Challenge, User
from webui.ladder.values.challenges import WantedSeat
from webui.site import presence
from webui.site.views.challenges import AGAIN_S

pytestmark = pytest.mark.django_db


class Arena:
    """The world with a bot of the house and one of somebody else, and who is online."""

    def __init__(self, world: World, kit: Kit) -> None:
        self.world = world
        self.house = kit.version(owner=actions.create_user("keeper", None), is_house=True)
        self.theirs = actions.register_bot(world.other, "Salt Road")
        self.guest = actions.register_version(self.theirs, "1")
        self.own = BotVersion.objects.get(bot=world.bot, name="2.2").pk
        self.online: list[Presence] = [self.session(self.own), self.session(self.house)]

    def session(self, version: int) -> Presence:
        row = BotVersion.objects.select_related("bot").get(pk=version)
        return Presence(str(version), "g", row.bot_id, version, row.bot.owner_id, "p", capacity=8)

    def accept(self, accepts: str, friends: str = "") -> Any:
        form = {"accepts": accepts, "at_once": "1", "friends": friends}
        return self.world.client("other").post("/account/bots/salt-road/challenges/", form)

    def order(self, *seats: str, **more: str) -> Any:
        form = {f"seat_{number}": seat for number, seat in enumerate(seats, 1)}
        return self.world.client("owner").post(f"/bots/{self.slug}/challenge/", {**form, **more})

    @property
    def slug(self) -> str:
        return BotVersion.objects.get(pk=self.house).bot.slug

    def play(self, challenge: str) -> str:
        """The match of a challenge, played to its end."""
        actions.advance_challenges(self.online, 8)
        match = queries.challenge(challenge).match
        assert match is not None
        claim = actions.claim_match(match, "worker", LEASE)
        assert claim is not None
        played = play_out(claim)
        actions.append(match, claim.epoch, 0, played.entries, LEASE)
        actions.finish_match(match, claim.epoch, played.verdict, played.document)
        return match


@pytest.fixture
def arena(world: World, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Arena:
    found = Arena(world, kit)
    actions.withdraw_challenge(world.challenge, world.owner)

    def online() -> dict[int, list[Presence]]:
        by_bot: dict[int, list[Presence]] = {}
        for session in found.online:
            by_bot.setdefault(session.bot, []).append(session)
        return by_bot

    monkeypatch.setattr(presence, "online", online)
    return found


def bot_of(version: int) -> int:
    return BotVersion.objects.get(pk=version).bot_id


def test_from_a_bots_page_to_the_match_and_a_rematch(arena: Arena) -> None:
    client, house = arena.world.client("owner"), bot_of(arena.house)
    assert f"/bots/{arena.slug}/challenge/" in text(client.get(f"/bots/{arena.slug}/"))
    assert "/challenge/" not in text(Client().get(f"/bots/{arena.slug}/")), "strangers sign in first"
    page = text(client.get(f"/bots/{arena.slug}/challenge/"))
    assert re.findall(r'<option value="(\w+)" selected', page) == [f"v{arena.own}", f"b{house}"]
    assert "A seat with nobody is left out" in page
    assert "Long Ledger 2.2 · online" in page and "Long Ledger 2.1 · offline" in page and "Salt Road" not in page
    where = arena.order(f"v{arena.own}", f"b{house}")["Location"]
    waiting = client.get(where)
    assert waiting["Refresh"] == str(AGAIN_S) and "All are here" in text(waiting)
    assert "Withdraw</button>" in text(waiting) and arena.world.client("other").get(where).status_code == 404
    match = arena.play(where.split("/")[-2])
    assert client.get(where)["Location"] == f"/matches/{match}/"
    shown = text(client.get(f"/matches/{match}/"))
    assert "challenge, not rated" in shown and "Rematch, seats turned" in shown
    assert "Rematch" not in text(arena.world.client("other").get(f"/matches/{match}/"))
    assert "challenge, not rated" in text(Client().get("/matches/"))
    listed = text(client.get("/account/bots/long-ledger/challenges/"))
    assert f"/matches/{match}/" in listed and "played" in listed and 'class="plc p' in listed
    own_page = text(client.get("/bots/long-ledger/"))
    assert f"/matches/{match}/" in own_page and "without challenges and comparisons" in own_page
    again = client.post(f"/matches/{match}/rematch/")["Location"].split("/")[-2]
    assert [seat.bot.id for seat in queries.challenge(again).seats] == [house, arena.world.bot]


def test_an_opponent_who_is_offline_is_told_at_once_and_the_challenge_withdrawn(arena: Arena) -> None:
    client = arena.world.client("owner")
    arena.online = [arena.session(arena.own)]
    where = arena.order(f"v{arena.own}", f"b{bot_of(arena.house)}")["Location"]
    page = text(client.get(where))
    name = BotVersion.objects.get(pk=arena.house).bot.name
    assert f"{name} is offline." in page and "waits up to 10 minutes" in page
    arena.online.append(replace_player_counts(arena.session(arena.house)))
    assert f"{name} is online, but does not play this game." in text(client.get(where))
    client.post(where)
    ended = client.get(where)
    assert "You have withdrawn it" in text(ended) and "Refresh" not in ended and "Withdraw<" not in text(ended)


def replace_player_counts(session: Presence) -> Presence:
    fields = {name: getattr(session, name) for name in session.__struct_fields__}
    return Presence(**{**fields, "player_counts": (3,)})


def test_tables_of_five_with_chosen_seats(arena: Arena, kit: Kit) -> None:
    keeper = BotVersion.objects.get(pk=arena.house).bot.owner_id
    bots = [bot_of(kit.version(owner=keeper, is_house=True)) for _ in range(2)]
    old = BotVersion.objects.get(bot=arena.world.bot, name="2.1").pk
    seats = [f"b{bots[0]}", f"v{old}", f"b{bots[1]}", f"v{arena.own}", f"b{bot_of(arena.house)}"]
    assert "At a table of five an expansion is in play" in text(arena.order(*seats))
    order = arena.order(*seats, whims="on", artisans="on")["Location"].split("/")[-2]
    line = queries.challenge(order)
    assert line.ruleset == {"players": 5, "expansions": ["artisans", "whims"]}
    assert [(seat.bot.id, seat.version and seat.version.id) for seat in line.seats] == [
        (bots[0], None), (arena.world.bot, old), (bots[1], None), (arena.world.bot, arena.own),
        (bot_of(arena.house), None),
    ]  # fmt: skip
    for wrong in (seats[:1], [seats[0], seats[2]], [seats[1], seats[1]], [seats[1], "b999"], [seats[1], "", seats[0]]):
        assert arena.order(*wrong).status_code == 422
    assert Challenge.objects.count() == 2


def test_who_may_be_challenged_is_the_owners_choice(arena: Arena) -> None:
    owner, other = arena.world.client("owner"), arena.world.client("other")
    assert owner.get("/bots/salt-road/challenge/").status_code == 404
    assert "There is no account nobody." in text(arena.accept("FRIENDS", "lena\nnobody"))
    assert arena.accept("FRIENDS", "lena, warden").status_code == 302
    page = text(other.get("/account/bots/salt-road/challenges/"))
    assert "lena\nwarden</textarea>" in page and '<option value="FRIENDS" selected' in page
    assert "Salt Road" in text(owner.get("/bots/salt-road/challenge/"))
    assert "/bots/salt-road/challenge/" in text(owner.get("/bots/salt-road/"))
    match = arena.order(f"v{arena.own}", f"b{arena.theirs}")["Location"]
    arena.online.append(arena.session(arena.guest))
    played = arena.play(match.split("/")[-2])
    assert arena.accept("NEVER").status_code == 302
    assert "Rematch" not in text(owner.get(f"/matches/{played}/"))
    refused = owner.post(f"/matches/{played}/rematch/")
    assert refused.status_code == 409 and "Salt Road does not accept your challenges." in text(refused)
    assert "Setting of challenges changed" in text(other.get("/account/history/"))


# JSON


def call(arena: Arena, method: str, where: str = "", body: Any = None, token: str | None = None) -> Any:
    header = {"Authorization": f"Bearer {arena.world.token.token if token is None else token}"}
    client = Client(enforce_csrf_checks=True, headers=header)
    return client.generic(method, f"/api/challenges/{where}", body or b"", "application/json")


def post(arena: Arena, document: str, token: str | None = None) -> Any:
    return call(arena, "POST", body=document, token=token)


def test_a_bots_token_challenges_follows_and_withdraws(arena: Arena) -> None:
    name = BotVersion.objects.get(pk=arena.house).bot.name
    made = post(arena, f'{{"seats": [{{"bot": "{name}"}}, {{}}, {{"version": "2.1"}}], "expansions": ["whims"]}}')
    assert made.status_code == 201
    found = made.json()
    assert [(seat["bot"], seat["version"], seat["state"]) for seat in found["seats"]] == [
        (name, None, "other game"), ("Long Ledger", None, "other game"), ("Long Ledger", "2.1", "offline")
    ]  # fmt: skip
    assert (found["state"], found["match"]) == ("waiting", None)
    assert call(arena, "GET", f"{found['id']}/").json() == found
    assert call(arena, "DELETE", f"{found['id']}/").json()["state"] == "withdrawn"
    order = post(arena, f'{{"seats": [{{}}, {{"bot": "{name}"}}]}}').json()["id"]
    match = arena.play(order)
    ended = call(arena, "GET", f"{order}/").json()
    assert ended["url"].endswith(f"/matches/{match}/") and ended["match_state"] == "finished"
    assert sorted(ended["placements"]) in ([1, 2], [1, 1])
    assert [(seat["bot"], seat["version"]) for seat in ended["seats"]] == [("Long Ledger", "2.2"), (name, "1")]
    assert len(ended["scores"]) == 2 and max(ended["scores"]) == ended["scores"][ended["placements"].index(1)]
    again = post(arena, f'{{"rematch": "{match}"}}').json()
    assert [seat["bot"] for seat in again["seats"]] == [name, "Long Ledger"]


def test_what_the_arena_refuses_by_json(arena: Arena) -> None:
    theirs = actions.issue_token(arena.theirs).token
    own = f'{{"seats": [{{}}, {{"bot": "{BotVersion.objects.get(pk=arena.house).bot.name}"}}]}}'
    made = post(arena, own).json()["id"]
    for token in ("", "naqala_nope", theirs):
        assert call(arena, "GET", f"{made}/", token=token).status_code == (404 if token == theirs else 401)
        assert call(arena, "DELETE", f"{made}/", token=token).status_code == (404 if token == theirs else 401)
    actions.withdraw_challenge(made, arena.world.owner)
    for document, status, code in (
        ('{"seats": [{}, {"bot": "Salt Road"}]}', 409, "NOT_ACCEPTED"),
        ('{"seats": [{"bot": "Salt Road"}, {"bot": "Salt Road"}]}', 409, "NO_OWN"),
        ('{"seats": [{}, {}]}', 409, "TWICE"),
        ('{"seats": [{}, {"bot": "Nobody"}]}', 404, "NOT_FOUND"),
        ('{"seats": [{}, {"version": "9"}]}', 404, "NOT_FOUND"),
        ('{"rematch": "nope"}', 404, "NOT_FOUND"),
        (r'{"rematch": "\ud800"}', 400, "BAD_REQUEST"),
        (r'{"rematch": "no\u0000pe"}', 400, "BAD_REQUEST"),
        ('{"rematch": 3}', 400, "BAD_REQUEST"),
        (r'{"seats": [{}, {"version": "\ud800"}]}', 400, "BAD_REQUEST"),
        (r'{"seats": [{}, {"version": "2\u0000"}]}', 400, "BAD_REQUEST"),
        (r'{"seats": [{}, {"bot": "Salt\ud800"}]}', 400, "BAD_REQUEST"),
        (r'{"seats": [{}, {"version": "2.1"}], "expansions": ["\ud800"]}', 400, "BAD_REQUEST"),
        ('{"seats": [{"bot": "Nobody"}, {}, {}, {}, {}, {}]}', 400, "BAD_REQUEST"),
        ('{"seats": [{}]}', 400, "BAD_REQUEST"),
        ('{"seats": 3}', 400, "BAD_REQUEST"),
        ('{"seats": [3, {}]}', 400, "BAD_REQUEST"),
        ('{"seats": [{"bot": 3}, {}]}', 400, "BAD_REQUEST"),
        ('{"seats": [{}, {"version": "2.1"}], "expansions": ["sea"]}', 400, "BAD_REQUEST"),
        ('{"seats": [{}, {"version": "2.1"}], "expansions": [[]]}', 400, "BAD_REQUEST"),
        ("[]", 400, "BAD_REQUEST"),
        ("nope", 400, "BAD_REQUEST"),
        ("[" * 15_000, 400, "BAD_REQUEST"),
        ('"' + "x" * 20_000 + '"', 400, "BAD_REQUEST"),
    ):
        answer = post(arena, document)
        assert (answer.status_code, answer.json()["code"]) == (status, code), document[:80]
    assert Challenge.objects.filter(state="WAITING").count() == 0
    User.objects.filter(pk=arena.world.owner).update(is_active=False)
    assert post(arena, own).status_code == 401


def test_questions_by_json_are_limited(arena: Arena, settings: Any) -> None:
    limits = {"challenge_api": "3/d/ip", "challenge_look": "2/d/key"}
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, **limits}
    assert [post(arena, "[]").status_code for _ in range(4)] == [400, 400, 400, 429]
    another = actions.issue_token(arena.world.bot).token
    looks = [call(arena, "GET", "nope/", token=token) for token in (None, another, None, another)]
    assert [look.status_code for look in looks] == [404, 404, 429, 429], "of one account, whatever the token"
    assert call(arena, "GET", "nope/", token=actions.issue_token(arena.theirs).token).status_code == 404
    for refused in (post(arena, "[]"), looks[-1]):
        assert refused.json()["code"] == "BUSY" and refused["Retry-After"] == "60"


def test_pages_of_challenges_cost_a_fixed_number_of_queries(arena: Arena, django_assert_max_num_queries: Any) -> None:
    client = arena.world.client("owner")

    def costs() -> list[int]:
        found = []
        for where in ("/account/bots/long-ledger/challenges/", f"/bots/{arena.slug}/challenge/"):
            with django_assert_max_num_queries(16, info=where) as seen:
                assert client.get(where).status_code == 200
            found.append(len(seen))
        return found

    arena.play(actions.challenge(arena.world.owner, [WantedSeat(arena.world.bot), WantedSeat(bot_of(arena.house))]))
    before = costs()
    arena.play(actions.challenge(arena.world.owner, [WantedSeat(arena.world.bot), WantedSeat(bot_of(arena.house))]))
    actions.accept_challenges(arena.theirs, "ALL", 1, [], by=Actor(arena.world.other))
    assert costs() == before
