"""Quotas of hosted bots: places of runners, seats of bots and owners, and who comes first when places are scarce."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from django.db.models.functions import Now

from arena.hosting.limits import DEFAULT_LIMITS
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from tests.ladder.online import Online, tables
from tests.ladder.organised import Organised
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges.models import Challenge
from webui.challenges.pairing import advance_challenges, advance_tables
from webui.challenges.values import WantedSeat
from webui.comparisons import actions as comparison_actions
from webui.events.models import EventBot
from webui.matches.models import Match, Participant
from webui.pairing import matchmaking
from webui.pairing.models import Exclusion
from webui.pairing.quotas import kept_for_people
from webui.pairing.sessions import PlaceTaken, RunnersFull, claim_places
from webui.people import actions as people_actions
from webui.people.models import Person
from webui.people.values import Visitor

pytestmark = pytest.mark.django_db


def on_runners(versions: Iterable[int], *places: int) -> list[Online]:
    """Return the sessions of hosted versions at runners with these numbers of places."""
    versions = list(versions)
    return [
        Online(version, capacity=count, player_counts=(2,), gateway=f"runner {number}", places=count)
        for number, count in enumerate(places)
        for version in versions
    ]


def seats_in_flight() -> Counter[int]:
    rows = Participant.objects.filter(match__state__in=["SCHEDULED", "RUNNING"], version__is_hosted=True)
    return Counter(rows.values_list("version", flat=True))


def end_all() -> None:
    Match.objects.filter(state__in=["SCHEDULED", "RUNNING"]).update(state="ABORTED", finished_at=Now())


def bot_of(version: int) -> Bot:
    return BotVersion.objects.get(pk=version).bot


def challenge(own: int, other: int) -> str:
    bot = bot_of(own)
    return challenge_actions.challenge(bot.owner_id, [WantedSeat(bot.pk, own), WantedSeat(bot_of(other).pk)])


def at_work(online: list[Online]) -> Any:
    """Return the services of the upkeep process while these bots are online."""

    class Worker:
        def presences(self) -> list[Online]:
            return online

    return Worker()


def step(online: list[Online], capacity: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run one step of the matchmaker, as the upkeep does."""
    monkeypatch.setattr(matchmaking, "match_capacity", lambda *, overloaded: capacity)
    matchmaking.matchmake_now(at_work(online))


def test_no_more_matches_are_made_than_runners_have_places(kit: Kit) -> None:
    online = on_runners((kit.hosted_version() for _ in range(10)), 3, 2)
    matchmaking.matchmake(online, 100)
    assert seats_in_flight().total() == 4, "two tables of two; a third one would wait for its second place"
    dialled = [Online(version, player_counts=(2,)) for version in kit.versions(3)]
    matchmaking.matchmake([*online, *dialled], 100)
    assert seats_in_flight().total() <= 5


def test_bots_that_dial_in_play_on_while_runners_are_full(kit: Kit) -> None:
    online = on_runners((kit.hosted_version() for _ in range(6)), 2)
    matchmaking.matchmake(online, 100)
    dialled = [Online(version, capacity=1, player_counts=(2,)) for version in kit.versions(2)]
    (match,) = matchmaking.matchmake([*online, *dialled], 2)
    assert sorted(tables([match])[0]) == sorted(bot.bot_version for bot in dialled)


def test_a_bot_and_an_owner_play_at_most_so_many_matches_at_once(kit: Kit) -> None:
    owner = account_actions.create_user("nour", None)
    several = [kit.hosted_version(owner=owner) for _ in range(4)]
    alone = kit.hosted_version()
    partners = [Online(version, capacity=50, player_counts=(2,)) for version in kit.versions(4)]
    matchmaking.matchmake([*on_runners([*several, alone], 60), *partners], 100)
    seats = seats_in_flight()
    assert sum(seats[version] for version in several) == DEFAULT_LIMITS.matches_of_owner
    assert max(seats.values()) <= DEFAULT_LIMITS.matches_of_bot == seats[alone]


def test_an_owner_leaves_a_quarter_of_few_places_to_others(kit: Kit) -> None:
    owner = account_actions.create_user("nour", None)
    several = [kit.hosted_version(owner=owner) for _ in range(4)]
    partners = [Online(version, capacity=50, player_counts=(2,)) for version in kit.versions(4)]
    matchmaking.matchmake([*on_runners(several, 4), *partners], 100)
    assert seats_in_flight().total() == 3


def test_house_bots_share_no_quota_of_their_owner(kit: Kit) -> None:
    keeper = account_actions.create_user("keeper", None)
    house = [kit.hosted_version(owner=keeper, is_house=True) for _ in range(6)]
    matchmaking.matchmake(on_runners(house, 40), 100)
    assert seats_in_flight().total() == 36, "nothing but the places limits them, and four are kept for people"


@pytest.mark.parametrize(("places", "kept"), [(0, 0), (2, 0), (5, 0), (6, 1), (8, 1), (9, 2), (40, 4), (400, 4)])
def test_places_are_kept_for_one_table_of_people(places: int, kept: int) -> None:
    assert kept_for_people(places) == kept


def sit_down(guest: str, bot: int) -> str:
    return people_actions.sit_down(Visitor(None, 64 * guest), [bot], (), "none")


def people_online() -> list[Online]:
    return [Online(person, capacity=1) for person in Person.objects.values_list("pk", flat=True)]


def test_people_get_a_place_at_once_while_the_ladders_take_all_others(kit: Kit) -> None:
    """Two of nine places are kept. Nothing else gets them, not even when people need one of the two."""
    house = [kit.hosted_version(is_house=True) for _ in range(6)]
    online = on_runners(house, 9)
    matchmaking.matchmake(online, 100)
    assert seats_in_flight().total() == 6, "tables of two; seven places are not kept"
    rival = kit.version()
    kit.match([house[0], rival])
    with pytest.raises(RunnersFull):
        claim_places([*online, Online(rival, player_counts=(2,))], Ruleset(2), [house[1], rival])
    tables = [sit_down(guest, bot_of(house[0]).pk) for guest in "ab"]
    advance_tables(at_work([*online, *people_online()]))
    assert set(Challenge.objects.filter(pk__in=tables).values_list("state", flat=True)) == {"MATCHED"}
    assert seats_in_flight().total() == 9


def test_a_table_with_a_person_comes_before_older_challenges(kit: Kit) -> None:
    house = [kit.hosted_version(is_house=True) for _ in range(4)]
    own = kit.version()
    for rival in house[1:]:
        kit.match([rival, kit.version()])
    older = challenge(own, house[0])
    table = sit_down("a", bot_of(house[0]).pk)
    online = [*on_runners(house, 4), *people_online(), Online(own, player_counts=(2,))]
    advance_challenges(online, 8)
    assert Challenge.objects.get(pk=table).state == "MATCHED"
    assert Challenge.objects.get(pk=older).state == "WAITING"


def test_a_house_bot_that_dials_in_keeps_its_last_place_for_people(kit: Kit) -> None:
    house = [kit.version(is_house=True) for _ in range(3)]
    online = [Online(version, capacity=2, player_counts=(2,)) for version in house]
    matchmaking.matchmake(online, 100)
    seats = Counter(Participant.objects.values_list("version", flat=True))
    assert seats.total() == 2 and max(seats.values()) == 1


def test_places_are_counted_again_when_they_are_claimed(kit: Kit) -> None:
    one, other = kit.hosted_version(), kit.hosted_version()
    online = on_runners([one, other], 2)
    claim_places(online, Ruleset(2), [one, other])
    kit.match([kit.hosted_version(), kit.version()])
    with pytest.raises(RunnersFull):
        claim_places(online, Ruleset(2), [one, other])
    for _ in range(DEFAULT_LIMITS.matches_of_bot):
        kit.match([one, kit.version()])
    with pytest.raises(PlaceTaken) as taken:
        claim_places(on_runners([one], 99), Ruleset(2), [one])
    assert not isinstance(taken.value, RunnersFull), "its own places are taken, not those of runners"


def test_challenges_and_comparisons_come_last_and_get_their_share(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [kit.hosted_version() for _ in range(4)]
    own = kit.hosted_version()
    house = kit.hosted_version(is_house=True)
    bot = bot_of(own)
    old = bot_actions.register_version(bot.pk, "0")
    Exclusion.objects.filter(version=old).delete()
    comparison_actions.compare_versions(bot.owner_id, own, old, Ruleset(2))
    online = [*on_runners([own, house, *others], 2), Online(old, player_counts=(2,))]
    kinds: Counter[str] = Counter()
    for _ in range(48):
        if not Challenge.objects.filter(state="WAITING").exists():
            challenge(own, house)
        step(online, 9, monkeypatch)
        comparison_actions.advance_comparisons(online, 9)
        assert seats_in_flight().total() <= 2
        for match in Match.objects.filter(state="SCHEDULED"):
            kinds[kind_of(match)] += 1
        end_all()
    assert kinds["rated"] > kinds["challenge"] + kinds["comparison"], kinds
    assert kinds["challenge"] >= 3 and kinds["comparison"] >= 3, kinds


def kind_of(match: Match) -> str:
    if match.rated:
        return "rated"
    return "challenge" if hasattr(match, "challenge_match") else "comparison"


def test_a_challenge_gets_places_at_once_while_many_are_free(kit: Kit) -> None:
    own, house = kit.hosted_version(), kit.hosted_version(is_house=True)
    for made in (1, 2):
        challenge(own, house)
        advance_challenges(on_runners([own, house], 8), 9)
        assert Match.objects.count() == made


def test_an_event_and_an_examination_get_the_next_places(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    hosted = [kit.hosted_version() for _ in range(6)]
    for version in cup.versions:
        kit.host(version)
    cup.online = [*on_runners([*cup.versions, *hosted], 2)]
    matchmaking.matchmake(on_runners(hosted, 2), 9)
    cup.start()
    cup.advance()
    assert EventBot.objects.filter(is_awaited=True).count() == 2, "the event waits only for runners"
    rated = Match.objects.get(state="SCHEDULED")
    Match.objects.filter(pk=rated.pk).update(state="ABORTED", finished_at=Now())
    step(cup.online, 9, monkeypatch)
    assert not seats_in_flight(), "rated matches leave it the places"
    cup.advance()
    assert set(seats_in_flight()) == set(cup.versions)


def test_an_examination_that_lacks_places_of_runners_gets_the_next_ones(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, house = kit.hosted_version(), kit.hosted_version(is_house=True)
    others = [kit.hosted_version() for _ in range(6)]
    Exclusion.objects.create(version_id=new, matches=[], asked_at=Now())
    online = on_runners([new, house, *others], 2)
    half = kit.match([others[0], kit.version()])
    step(online, 9, monkeypatch)
    assert Match.objects.filter(state="SCHEDULED").get().pk == half, "one place is free, and nobody else takes it"
    end_all()
    step(online, 9, monkeypatch)
    assert set(seats_in_flight()) == {new, house}
