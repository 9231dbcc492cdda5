"""The matchmaker on the tables: who is online, how much room there is, what was played."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import pytest

from tests.kit.ladder import CLOCK, POLICY, Kit
from webui.ladder import actions, queries
from webui.ladder.ladders import SHARES
from webui.ladder.models import Bot, BotVersion, Match, Participant

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Online:
    """A bot process that is online, as the bus announces it."""

    bot_version: int
    capacity: int = 4
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    connected: bool = True
    leaving: bool = False


def tables(match_ids: list[str]) -> list[list[int]]:
    return [[seat.version.id for seat in queries.match_page(match_id).line.seats] for match_id in match_ids]


def test_rated_matches_of_all_sizes_are_scheduled(kit: Kit) -> None:
    versions = kit.versions(6)
    scheduled = actions.matchmake([Online(version) for version in versions], 6)
    lines = [queries.match_page(match_id).line for match_id in scheduled]
    assert Counter(line.players for line in lines) == {2: 2, 3: 2, 4: 2}
    assert all(line.rated and line.ladder and line.ladder.players == line.players for line in lines)
    match = Match.objects.first()
    assert match and (match.clock, match.policy) == (CLOCK, POLICY)


def test_no_more_than_wanted_are_in_flight(kit: Kit) -> None:
    online = [Online(version) for version in kit.versions(4)]
    first = actions.matchmake(online, 2)
    assert len(first) == 2
    kit.claim(first[0])
    assert actions.matchmake(online, 2) == []
    claim = kit.claim(first[1], "other")
    actions.abort_match(claim.match_id, claim.epoch, "declined")
    assert len(actions.matchmake(online, 2)) == 1


def test_nobody_is_asked_for_more_than_there_is_room(kit: Kit) -> None:
    versions = kit.versions(4)
    online = [Online(versions[0], capacity=1), *(Online(version, capacity=3) for version in versions[1:])]
    online.append(Online(versions[1], capacity=1))  # a second process of the same version
    scheduled = tables(actions.matchmake(online, 50))
    taken = Counter(version for table in scheduled for version in table)
    assert all(taken[version] <= room for version, room in zip(versions, (1, 4, 3, 3), strict=True))
    assert actions.matchmake(online, 50) == []


def test_only_who_is_really_there_is_paired(kit: Kit) -> None:
    here, also, lost, leaving, paused, barred = kit.versions(6)
    bots = dict(BotVersion.objects.values_list("pk", "bot_id"))
    actions.set_bot_state(bots[paused], "PAUSED")
    owner = Bot.objects.get(pk=bots[barred]).owner
    owner.is_active = False
    owner.save()
    online = [
        Online(here),
        Online(also),
        Online(lost, connected=False),
        Online(leaving, leaving=True),
        Online(paused),
        Online(barred),
        Online(999_999),
    ]
    scheduled = tables(actions.matchmake(online, 3))
    assert {frozenset(table) for table in scheduled} == {frozenset({here, also})}


def test_a_bot_plays_only_the_sizes_it_knows(kit: Kit) -> None:
    versions = kit.versions(4)
    online = [Online(version, player_counts=(2,)) for version in versions]
    assert {len(table) for table in tables(actions.matchmake(online, 5))} == {2}


def test_expansions_and_five_players_are_for_those_who_say_so(kit: Kit) -> None:
    versions = kit.versions(10)
    base, whims, both = versions[:3], versions[3:5], versions[5:]
    everybody = (2, 3, 4, 5)
    online = [Online(version, 40, everybody) for version in base]
    online += [Online(version, 40, everybody, ("whims",)) for version in whims]
    online += [Online(version, 40, everybody, ("artisans", "whims")) for version in both]
    lines = [queries.match_page(match_id).line for match_id in actions.matchmake(online, 60)]
    assert {(line.players, *line.expansions) for line in lines} == {
        (ruleset.players, *ruleset.expansions) for ruleset in SHARES
    }
    for line in lines:
        able = {(): versions, ("whims",): whims + both}.get(tuple(line.expansions), both)
        assert {seat.version.id for seat in line.seats} <= set(able)
        assert line.ladder and (line.ladder.players, line.ladder.expansions) == (line.players, tuple(line.expansions))
    base_matches = sum(not line.expansions for line in lines)
    assert 24 <= base_matches <= 27, "the base game has twelve of twenty-seven shares"


def test_a_version_plays_what_all_its_processes_play(kit: Kit) -> None:
    versions = kit.versions(5)
    online = [Online(version, 4, (5,), ("whims",)) for version in versions]
    assert len(actions.matchmake(online, 1)) == 1
    assert actions.matchmake([*online, Online(versions[0], 4, (5,))], 2) == []


def test_a_ladder_is_there_with_its_first_match(kit: Kit) -> None:
    online = [Online(version, player_counts=(3,)) for version in kit.versions(3)]
    actions.matchmake(online, 1)
    assert [summary.ladder.players for summary in queries.ladders()] == [3]


def test_bots_of_one_owner_never_meet_but_the_house_does(kit: Kit) -> None:
    owner = actions.create_user("nadir", None)
    house = actions.create_user("house", None)
    mine = [kit.version(owner=owner) for _ in range(3)]
    theirs = [kit.version(owner=house, is_house=True) for _ in range(2)]
    scheduled = tables(actions.matchmake([Online(version, capacity=9) for version in mine + theirs], 30))
    pairs = {frozenset(pair) for table in scheduled for pair in combinations(table, 2)}
    assert not any(frozenset(pair) in pairs for pair in combinations(mine, 2))
    assert frozenset(theirs) in pairs
    assert all(len(table) <= 3 for table in scheduled)


def test_seats_and_games_even_out_over_a_season(kit: Kit) -> None:
    versions = kit.versions(5)
    online = [Online(version) for version in versions]
    for _ in range(40):
        for number, match_id in enumerate(actions.matchmake(online, 3)):
            kit.claim(match_id, str(number))
            # Only the pairing matters here, so the games are not played.
            Match.objects.filter(pk=match_id).update(
                state="FINISHED",
                owner="",
                lease_expires_at=None,
                finished_at="2026-01-01T00:00Z",
                ladder_number=Match.objects.filter(ladder__isnull=False).count(),
            )
    seats = Counter(Participant.objects.values_list("match__ladder__ruleset__players", "version_id", "seat"))
    for players in (2, 3, 4):
        games = [sum(seats[players, version, seat] for seat in range(1, 5)) for version in versions]
        assert max(games) - min(games) <= 4
        for version in versions:
            sat = [seats[players, version, seat] for seat in range(1, players + 1)]
            assert max(sat) - min(sat) <= 3


def test_nobody_online_writes_nothing(kit: Kit) -> None:
    assert actions.matchmake([], 5) == []
    assert actions.matchmake([Online(kit.version())], 5) == []
    assert not Match.objects.exists()
