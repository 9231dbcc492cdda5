"""Challenges: the order on the pages, what a challenge waits for, its match, and a rematch."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from arena.bus import Presence
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from tests.site.challenge_arena import Arena, bot_of, challenge_arena
from tests.site.world import World, text
from webui.accounts.values import Actor
from webui.bots.models import BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges import queries as challenge_queries
from webui.challenges.models import Challenge
from webui.challenges.pages import AGAIN_S
from webui.challenges.values import WantedSeat

pytestmark = pytest.mark.django_db


@pytest.fixture
def arena(world: World, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Arena:
    return challenge_arena(world, kit, monkeypatch)


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
    assert waiting["Refresh"] == str(AGAIN_S) and "All bots are online" in text(waiting)
    assert "Withdraw</button>" in text(waiting) and arena.world.client("other").get(where).status_code == 404
    match = arena.play(where.split("/")[-2])
    assert client.get(where)["Location"] == f"/matches/{match}/"
    shown = text(client.get(f"/matches/{match}/"))
    assert "challenge, not rated" in shown and "Rematch, seats turned" in shown
    assert "Rematch" not in text(arena.world.client("other").get(f"/matches/{match}/"))
    assert "challenge, not rated" in text(Client().get("/matches/"))
    listed = text(client.get("/account/bots/long-ledger/challenges/"))
    assert f"/matches/{match}/" in listed and "played" in listed and 'class="place place-' in listed
    own_page = text(client.get("/bots/long-ledger/"))
    assert f"/matches/{match}/" in own_page and "without challenges and comparisons" in own_page
    again = client.post(f"/matches/{match}/rematch/")["Location"].split("/")[-2]
    assert [seat.bot.id for seat in challenge_queries.challenge(again).seats] == [house, arena.world.bot]


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
    line = challenge_queries.challenge(order)
    assert line.ruleset == Ruleset(5, ("artisans", "whims"))
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


def test_pages_of_challenges_cost_a_fixed_number_of_queries(arena: Arena, django_assert_max_num_queries: Any) -> None:
    client = arena.world.client("owner")

    def costs() -> list[int]:
        found = []
        for where in ("/account/bots/long-ledger/challenges/", f"/bots/{arena.slug}/challenge/"):
            with django_assert_max_num_queries(16, info=where) as seen:
                assert client.get(where).status_code == 200
            found.append(len(seen))
        return found

    arena.play(
        challenge_actions.challenge(arena.world.owner, [WantedSeat(arena.world.bot), WantedSeat(bot_of(arena.house))])
    )
    before = costs()
    arena.play(
        challenge_actions.challenge(arena.world.owner, [WantedSeat(arena.world.bot), WantedSeat(bot_of(arena.house))])
    )
    challenge_actions.accept_challenges(arena.theirs, "ALL", 1, [], by=Actor(arena.world.other))
    assert costs() == before
