"""Challenges: who may make them, when their matches are made, how they end, and that the ladders do not notice."""

from __future__ import annotations

from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from tests.kit.ladder import LEASE, Kit, play_out
from tests.ladder.online import Online
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.accounts import queries as account_queries
from webui.accounts.models import User
from webui.accounts.values import Actor
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges import pairing
from webui.challenges import queries as challenge_queries
from webui.challenges.models import Challenge, ChallengeMatch, ChallengeTerms
from webui.challenges.pairing import HOUSE_AT_ONCE
from webui.challenges.queries import WAIT_S
from webui.challenges.values import ChallengeRefusal
from webui.challenges.values import WantedSeat as Seat
from webui.core.errors import BadRequest, NotFound
from webui.events.models import EventBot, EventRow
from webui.fairness import actions as fairness_actions
from webui.fairness.models import FairnessReport
from webui.ladders.models import Ladder
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchState, Participant
from webui.pairing import matchmaking, rests
from webui.pairing.models import Exclusion
from webui.profiles import queries as profile_queries
from webui.ratings.models import Standing

pytestmark = pytest.mark.django_db


class World:
    """Lena and Tariq with a bot each, of two versions and of one, and two bots of the house."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.lena, self.tariq = account_actions.create_user("lena", None), account_actions.create_user("tariq", None)
        self.old, self.guest = kit.version(owner=self.lena), kit.version(owner=self.tariq)
        self.own, self.theirs = bot_of(self.old), bot_of(self.guest)
        self.new = bot_actions.register_version(self.own, "2")
        keeper = account_actions.create_user("keeper", None)
        self.house = [kit.version(owner=keeper, is_house=True) for _ in range(2)]

    def accept(self, accepts: str, *friends: str, at_once: int = 1) -> None:
        challenge_actions.accept_challenges(self.theirs, accepts, at_once, friends, by=Actor(self.tariq))

    def challenge(self, *others: int, owner: int | None = None) -> str:
        seats = [Seat(self.own), *(Seat(bot_of(version)) for version in others or self.house[:1])]
        return challenge_actions.challenge(self.lena if owner is None else owner, seats)

    def online(self, capacity: int = 4) -> list[Online]:
        return [Online(version, capacity) for version in (self.new, self.guest, *self.house)]


def bot_of(version: int) -> int:
    return BotVersion.objects.get(pk=version).bot_id


def state(challenge: str) -> str:
    return challenge_queries.challenge(challenge).state


def match_of(challenge: str) -> str:
    found = challenge_queries.challenge(challenge).match
    assert found is not None
    return found


def seated(match_id: str) -> list[int]:
    return [seat.version.id for seat in match_queries.match_page(match_id).line.seats]


def end(match_id: str) -> None:
    """With a result, of which the record is nobody's business here."""
    Match.objects.filter(pk=match_id).update(state=MatchState.FINISHED, finished_at=F("created_at"))


def refused(world: World, *others: int) -> str:
    with pytest.raises(ChallengeRefusal) as refusal:
        world.challenge(*others)
    return refusal.value.reason


@pytest.fixture
def world(kit: Kit) -> World:
    return World(kit)


def test_a_bot_accepts_whom_its_owner_lets(world: World) -> None:
    assert refused(world, world.guest) == "NOT_ACCEPTED", "nobody, before its owner has said anything"
    world.accept("FRIENDS")
    assert refused(world, world.guest) == "NOT_ACCEPTED"
    with pytest.raises(ChallengeRefusal, match="no account nobody"):
        world.accept("FRIENDS", "lena", "nobody")
    world.accept("FRIENDS", "lena")
    assert state(world.challenge(world.guest)) == "WAITING"
    world.accept("NEVER", "lena")
    assert refused(world, world.guest) == "NOT_ACCEPTED"
    world.accept("ALL")
    assert state(world.challenge(world.guest)) == "WAITING"
    settings = [line.subject for line in account_queries.audit(world.tariq) if line.act == "CHALLENGES_SET"]
    assert settings == ["Bot 2: all", "Bot 2: never", "Bot 2: friends", "Bot 2: friends"]
    for accepts, at_once in (("SOME", 1), ("ALL", 0), ("ALL", 5)):
        with pytest.raises(BadRequest):
            world.accept(accepts, at_once=at_once)


def test_who_may_challenge_with_what(world: World) -> None:
    world.accept("ALL")
    house, theirs, own = (Seat(bot_of(world.house[0])), Seat(world.theirs), Seat(world.own))
    for owner, seats, reason in (
        (world.lena, [theirs, house], "NO_OWN"),
        (world.tariq, [own, theirs], "NOT_ACCEPTED"),
        (world.lena, [own, own], "TWICE"),
        (world.lena, [own, Seat(world.theirs, world.guest)], "NOT_YOURS"),
    ):
        with pytest.raises(ChallengeRefusal) as refusal:
            challenge_actions.challenge(owner, seats)
        assert refusal.value.reason == reason
    bot_actions.release_version(world.own, "3", "")
    ready = Seat(world.own, BotVersion.objects.get(name="3").pk)
    for wrong in ([own, Seat(10**6)], [own, Seat(world.own, world.guest)], [ready, house]):
        with pytest.raises(NotFound):
            challenge_actions.challenge(world.lena, wrong)
    for seats, expansions in (([own], []), ([own, house, theirs], ["nope"]), ([own] * 6, [])):
        with pytest.raises(BadRequest):
            challenge_actions.challenge(world.lena, seats, expansions)
    bot_actions.set_bot_state(world.theirs, "PAUSED")
    assert refused(world, world.guest) == "PAUSED"
    Exclusion.objects.create(version_id=world.new, matches=["one"])
    with pytest.raises(ChallengeRefusal, match="taken off"):
        challenge_actions.challenge(world.lena, [Seat(world.own, world.new), house])
    User.objects.filter(pk=world.lena).update(is_active=False)
    with pytest.raises(NotFound):
        world.challenge()


def test_an_owner_has_few_challenges_at_a_time_and_some_an_hour(world: World) -> None:
    first, second = world.challenge(), world.challenge(world.house[1])
    assert refused(world) == "OPEN"
    assert not challenge_actions.withdraw_challenge(first, world.tariq) and challenge_actions.withdraw_challenge(
        first, world.lena
    )
    assert not challenge_actions.withdraw_challenge(first, world.lena) and state(first) == "WITHDRAWN"
    pairing.advance_challenges(world.online(), 8)
    assert state(second) == "MATCHED"
    world.challenge()
    assert refused(world) == "OPEN", "one waits, one is played"
    end(match_of(second))
    for _ in range(challenge_actions.NEW_AN_HOUR - 3):
        challenge_actions.withdraw_challenge(world.challenge(), world.lena)
    assert refused(world) == "HOURLY"
    Challenge.objects.filter(pk=first).update(created_at=F("created_at") - timedelta(hours=1))
    world.challenge()


def test_a_match_is_made_when_all_are_there(world: World) -> None:
    world.accept("ALL")
    challenge = challenge_actions.challenge(
        world.lena, [Seat(bot_of(world.house[0])), Seat(world.own, world.old), Seat(world.theirs), Seat(world.own)]
    )
    here = world.online()
    assert not pairing.advance_challenges(here, 8) and state(challenge) == "WAITING", "the old version is not there"
    four = Online(world.old, player_counts=(2, 3))
    assert not pairing.advance_challenges([*here, four], 8) and state(challenge) == "WAITING", "or not for four"
    pairing.advance_challenges([*here, Online(world.old)], 8)
    line = match_queries.match_page(match_of(challenge)).line
    assert seated(line.id) == [world.house[0], world.old, world.guest, world.new]
    assert line.is_challenge and not line.rated and line.ladder is None
    assert not pairing.advance_challenges([*here, Online(world.old)], 8)
    assert Match.objects.count() == ChallengeMatch.objects.count() == 1


def test_a_challenge_that_nobody_comes_to_expires(world: World) -> None:
    challenge = world.challenge()
    Challenge.objects.update(created_at=F("created_at") - timedelta(seconds=WAIT_S - 10))
    pairing.advance_challenges([Online(world.new)], 8)
    assert state(challenge) == "WAITING"
    Challenge.objects.update(created_at=F("created_at") - timedelta(seconds=11))
    pairing.advance_challenges(world.online(), 8)
    assert state(challenge) == "EXPIRED" and not Match.objects.exists()


@pytest.mark.parametrize("what", ["setting", "paused", "blocked", "erased", "own", "taken off"])
def test_what_is_asked_again_when_the_match_is_made(world: World, what: str) -> None:
    world.accept("ALL")
    challenge = challenge_actions.challenge(world.lena, [Seat(world.own, world.new), Seat(world.theirs)])
    match what:
        case "setting":
            world.accept("FRIENDS")
        case "paused":
            bot_actions.set_bot_state(world.theirs, "PAUSED")
        case "blocked":
            User.objects.filter(pk=world.tariq).update(is_active=False)
        case "erased":
            erasure.erase_account(world.tariq)
        case "own":
            User.objects.filter(pk=world.lena).update(is_active=False)
        case "taken off":
            Exclusion.objects.create(version_id=world.new, matches=["one"])
    pairing.advance_challenges(world.online(), 8)
    assert not Match.objects.exists()
    # Of a version that is off nobody is there; its owner may put it back.
    assert state(challenge) == ("WAITING" if what == "taken off" else "REFUSED")


def test_an_opponents_version_that_was_taken_off_does_not_play(world: World) -> None:
    world.accept("ALL")
    challenge = world.challenge(world.guest)
    Exclusion.objects.create(version_id=world.guest, matches=["one"])
    pairing.advance_challenges(world.online(), 8)
    assert state(challenge) == "WAITING"
    newer = bot_actions.register_version(world.theirs, "2")
    pairing.advance_challenges([*world.online(), Online(newer)], 8)
    assert seated(match_of(challenge)) == [world.new, newer]


def test_the_erasure_of_an_account_ends_its_challenges_and_settings(world: World) -> None:
    world.accept("FRIENDS", "lena")
    challenge_actions.accept_challenges(world.own, "ALL", 2, [], by=Actor(world.lena))
    challenge = world.challenge()
    assert personal_data.personal_data(world.lena)["challenges"]["challenges"][0]["state"] == "WAITING"
    assert personal_data.personal_data(world.tariq)["bots"][0]["challenges"]["friends"] == ("lena",)
    erasure.erase_account(world.lena)
    assert state(challenge) == "WITHDRAWN"
    assert list(ChallengeTerms.objects.values_list("bot", flat=True)) == [world.theirs]
    assert challenge_queries.accepted_challenges(world.theirs).friends == ()


def test_a_bot_plays_as_many_challenges_of_others_as_its_owner_allows(world: World) -> None:
    """Those of its own owner are not counted."""
    world.accept("ALL")
    own = challenge_actions.challenge(world.tariq, [Seat(world.theirs), Seat(bot_of(world.house[0]))])
    first, second = world.challenge(world.guest), world.challenge(world.guest)
    pairing.advance_challenges(world.online(8), 20)
    assert [state(one) for one in (own, first, second)] == ["MATCHED", "MATCHED", "WAITING"]
    world.accept("ALL", at_once=2)
    pairing.advance_challenges(world.online(8), 20)
    assert state(second) == "MATCHED"


def test_a_bot_of_the_house_plays_few_challenges(world: World) -> None:
    for _ in range(HOUSE_AT_ONCE + 1):
        owner = account_actions.create_user(f"user{_}", None)
        challenge_actions.challenge(owner, [Seat(bot_of(world.kit.version(owner=owner))), Seat(bot_of(world.house[0]))])
    others = [Online(version) for version in BotVersion.objects.values_list("pk", flat=True)]
    pairing.advance_challenges([Online(one.bot_version, 8) for one in others], 20)
    assert Challenge.objects.filter(state="MATCHED").count() == HOUSE_AT_ONCE


def test_a_place_stays_for_rated_matches_and_half_the_arena(world: World) -> None:
    first, second = world.challenge(world.house[0]), world.challenge(world.house[1])
    pairing.advance_challenges(world.online(2), 8)
    assert (state(first), state(second)) == ("MATCHED", "WAITING"), "of two places one is the ladders'"
    pairing.advance_challenges(world.online(3), 3)
    assert state(second) == "WAITING", "half of three is one"
    pairing.advance_challenges(world.online(3), 4)
    assert state(second) == "MATCHED"


def test_a_bot_with_one_place_plays_a_challenge(world: World) -> None:
    challenge = world.challenge()
    pairing.advance_challenges(world.online(1), 8)
    assert state(challenge) == "MATCHED"


def test_a_place_of_the_challenger_is_kept_while_the_opponent_has_none(world: World) -> None:
    world.accept("ALL")
    rival = world.kit.version()
    busy = world.kit.match([world.guest, rival])
    challenge = world.challenge(world.guest)
    online = [Online(version, 1) for version in (world.new, world.guest, rival, world.kit.version())]
    kept = pairing.advance_challenges(online, 8)
    assert kept == {world.new: 1}
    assert matchmaking.matchmake(online, 8, reserved=kept) == [] and matchmaking.matchmake(online, 2)
    Match.objects.filter(pk=busy).update(state=MatchState.FINISHED, ladder_number=1, finished_at=F("created_at"))
    ladders = Match.objects.filter(state="SCHEDULED").get()
    Match.objects.filter(pk=ladders.pk).update(state=MatchState.FINISHED, ladder_number=2, finished_at=F("created_at"))
    assert pairing.advance_challenges(online, 8) == {} and state(challenge) == "MATCHED"


def test_nothing_is_kept_for_an_opponent_who_is_offline_or_that_an_event_waits_for(world: World) -> None:
    world.accept("ALL")
    challenge = world.challenge(world.guest)
    assert pairing.advance_challenges([Online(world.new, 1)], 8) == {}
    event = EventRow.objects.create(slug="cup", owner_id=world.lena, name="Cup", state="running", players=2)
    EventBot.objects.create(event=event, number=1, bot_id=world.theirs, is_awaited=True)
    assert pairing.advance_challenges(world.online(1), 8) == {} and state(challenge) == "WAITING"


def test_challenges_whose_bots_are_not_there_cost_nothing(world: World) -> None:
    costs = []
    for _ in range(2):
        world.challenge()
        with CaptureQueriesContext(connection) as seen:
            pairing.advance_challenges([Online(world.new)], 4)
        costs.append(len(seen))
    assert costs[0] == costs[1]


def played(world: World, challenge: str, *, late: bool = False) -> str:
    """The match of a challenge, played to its end."""
    claim = world.kit.claim(match_of(challenge))
    record = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, record.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, record.verdict, record.document)
    return claim.match_id


def test_many_owners_do_not_keep_one_from_its_challenge(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lena has a match in flight, so everybody without one comes first; one turn is hers nevertheless."""
    monkeypatch.setattr(pairing, "is_turn_of_earliest", cycle([False, False, False, True]).__next__)
    world.accept("ALL")
    first, waiting = world.challenge(), world.challenge()
    for number in range(10):
        owner = account_actions.create_user(f"sybil{number}", None)
        version = world.kit.version(owner=owner)
        challenge_actions.challenge(owner, [Seat(bot_of(version)), Seat(bot_of(world.house[0]))])
    ChallengeMatch.objects.create(challenge_id=first, match_id=world.kit.match(rated=False))
    rows = list(Challenge.objects.exclude(pk=first).order_by("created_at", "pk"))
    turns = []
    for _ in range(4):
        row = pairing._in_turn(rows, {world.lena: 1})[0]
        turns.append(row.pk)
        rows.remove(row)
        ChallengeMatch.objects.create(challenge=row, match_id=world.kit.match(rated=False))
    assert waiting in turns


def test_the_ladders_do_not_notice(world: World) -> None:
    world.accept("ALL")
    challenge = world.challenge(world.guest)
    pairing.advance_challenges(world.online(), 8)
    played(world, challenge)
    Match.objects.update(finished_at=F("finished_at") - timedelta(minutes=2))
    line = challenge_queries.challenge(challenge)
    assert line.match_state == "FINISHED" and sorted(line.placements) in ([1, 2], [1, 1])
    assert not Ladder.objects.exists() and not Standing.objects.exists()
    assert rests.seats_a_minute() == 0 and profile_queries.bot_page(Bot.objects.get(pk=world.own).slug).past == []
    assert fairness_actions.report_fairness() == 0 and not FairnessReport.objects.filter(folded__gt=0).exists()


def test_an_offer_of_a_challenge_that_is_declined_costs_no_rest(world: World) -> None:
    """Neither does a challenge that is played show that a bot plays."""
    world.accept("ALL")
    challenge = world.challenge(world.guest)
    pairing.advance_challenges(world.online(), 8)
    claim = world.kit.claim(match_of(challenge))
    ending.abort_match(claim.match_id, claim.epoch, "declined", [2])
    assert (
        Participant.objects.filter(has_declined=True).exists()
        and rests.rests_of([line.bot for line in profile_queries.bots()]) == {}
    )
    assert matchmaking.matchmake(world.online(), 8)
    again = challenge_actions.rematch(world.lena, claim.match_id)
    assert [seat.bot.id for seat in challenge_queries.challenge(again).seats] == [world.own, world.theirs]


def test_a_rematch_turns_the_seats(world: World) -> None:
    world.accept("ALL")
    seats = [Seat(world.own, world.old), Seat(world.own, world.new), Seat(world.theirs), Seat(bot_of(world.house[0]))]
    challenge = challenge_actions.challenge(world.lena, seats)
    pairing.advance_challenges([*world.online(), Online(world.old)], 8)
    match = match_of(challenge)
    with pytest.raises(NotFound):
        challenge_actions.rematch(world.lena, match)
    assert not challenge_queries.can_have_rematch(match, world.lena)
    end(match)
    stranger = account_actions.create_user("stranger", None)
    for other in (stranger, world.tariq):
        assert not challenge_queries.can_have_rematch(match, other), "Lena's bot accepts nobody"
    assert challenge_queries.can_have_rematch(match, world.lena)
    again = challenge_queries.challenge(challenge_actions.rematch(world.lena, match))
    assert [(seat.bot.id, seat.version and seat.version.id) for seat in again.seats] == [
        (bot_of(world.house[0]), None), (world.own, world.old), (world.own, world.new), (world.theirs, None)
    ]  # fmt: skip
    world.accept("NEVER")
    assert not challenge_queries.can_have_rematch(match, world.lena)
    with pytest.raises(NotFound):
        challenge_actions.rematch(world.lena, world.kit.match())


def test_a_rematch_that_is_asked_for_twice_is_made_once(world: World) -> None:
    first = world.challenge()
    pairing.advance_challenges(world.online(), 8)
    end(match_of(first))
    again = challenge_actions.rematch(world.lena, match_of(first))
    assert challenge_actions.rematch(world.lena, match_of(first)) == again, "it waits"
    pairing.advance_challenges(world.online(), 8)
    assert challenge_actions.rematch(world.lena, match_of(first)) == again, "it is played"
    end(match_of(again))
    assert challenge_actions.rematch(world.lena, match_of(first)) not in (first, again)


def test_a_match_that_the_arena_could_not_finish_is_played_again(world: World) -> None:
    challenge = world.challenge()
    pairing.advance_challenges(world.online(), 8)
    first = match_of(challenge)
    assert ending.void_match(first, "ours", again=True)
    assert match_of(challenge) != first and match_queries.match_page(first).line.is_challenge
    assert match_queries.match_page(match_of(challenge)).line.is_challenge


def test_of_two_advancers_at_once_one_makes_the_match(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one has found the challenge waiting before the first one wrote."""
    world.challenge()
    from webui.challenges import pairing

    advance = pairing._advance

    def after_another(row: Challenge, step: object) -> None:
        for _ in range(2):
            advance(row, step)  # type: ignore[arg-type]

    monkeypatch.setattr(pairing, "_advance", after_another)
    pairing.advance_challenges(world.online(), 8)
    assert Match.objects.count() == 1


def test_one_that_was_withdrawn_meanwhile_gets_no_match(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from webui.challenges import pairing
    from webui.challenges import queries as challenge_queries

    challenge = world.challenge()
    check = challenge_queries.check_seats

    def withdraw(*args: object) -> None:
        check(*args)  # type: ignore[arg-type]
        challenge_actions.withdraw_challenge(challenge, world.lena)

    monkeypatch.setattr("webui.challenges.pairing.check_seats", withdraw)
    pairing.advance_challenges(world.online(), 8)
    assert state(challenge) == "WITHDRAWN" and not Match.objects.exists()


def test_whom_an_owner_may_challenge(world: World) -> None:
    own, others = challenge_queries.opponents(world.lena)
    assert [version.id for version in own] == [world.new, world.old]
    assert [bot.id for bot in others] == [bot_of(version) for version in world.house]
    assert not challenge_queries.is_challengeable(world.theirs, world.lena)
    world.accept("FRIENDS", "lena")
    assert world.theirs in {bot.id for bot in challenge_queries.opponents(world.lena)[1]}
    assert challenge_queries.is_challengeable(world.theirs, world.lena)
    mine = world.challenge(world.guest)
    assert [line.id for line in challenge_queries.challenges_of(world.lena, world.own, 5)] == [mine]
    assert challenge_queries.challenges_of(world.tariq, world.theirs, 5) == [], (
        "one that waits is its owner's alone to see"
    )
    pairing.advance_challenges(world.online(), 8)
    assert [line.id for line in challenge_queries.challenges_of(world.tariq, world.theirs, 5)] == [mine]


class Watched:
    """A session that notes what is asked of it."""

    def __init__(self, session: Online) -> None:
        self._session = session
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self._session, name)


def test_a_challenge_looks_at_the_sessions_of_its_own_bots_alone(kit: Kit) -> None:
    """With a thousand bots online and hundreds of challenges a step took twenty seconds, most of it in transactions."""
    world = World(kit)
    stranger, own = Watched(Online(kit.version())), Watched(world.online()[0])
    for _ in range(2):
        world.challenge()
    pairing.advance_challenges([own, *world.online()[1:], stranger], 8)
    assert ChallengeMatch.objects.count() == 2
    assert own.asked.count("capacity") >= 2 and "capacity" not in stranger.asked
