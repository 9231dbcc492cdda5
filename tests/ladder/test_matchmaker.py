"""The matchmaker on the tables: who is online, how much room there is, what was played."""

from collections import Counter
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from arena.scheduling import TableFormat
from tests.kit.ladder import CLOCK, POLICY, Kit
from tests.ladder.online import Online, finish_or_abort, tables
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.core import errors
from webui.core.upkeep import UpkeepWorker
from webui.ladders import terms
from webui.ladders.games import SHARES
from webui.ladders.models import Ladder
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.pairing import matchmaking
from webui.pairing.quotas import HostedQuotas
from webui.pairing.sessions import Online as Ready
from webui.ratings import folding
from webui.ratings import queries as rating_queries
from webui.ratings.models import Standing
from webui.status import actions as status_actions

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def test_rated_matches_of_all_sizes_are_scheduled(kit: Kit) -> None:
    versions = kit.versions(6)
    scheduled = matchmaking.matchmake([Online(version) for version in versions], 6)
    lines = [match_queries.match_page(match_id, hidden_too=True).line for match_id in scheduled]
    assert Counter(line.players for line in lines) == {2: 2, 3: 2, 4: 2}
    assert all(line.rated and line.ladder and line.ladder.players == line.players for line in lines)
    match = Match.objects.first()
    assert match and (match.clock, match.policy) == (CLOCK, POLICY)


def test_no_more_than_wanted_are_in_flight(kit: Kit) -> None:
    online = [Online(version) for version in kit.versions(4)]
    first = matchmaking.matchmake(online, 2)
    assert len(first) == 2
    kit.claim(first[0])
    assert matchmaking.matchmake(online, 2) == []
    claim = kit.claim(first[1], "other")
    ending.abort_match(claim.match_id, claim.epoch, "declined")
    assert len(matchmaking.matchmake(online, 2)) == 1


def test_nobody_is_asked_for_more_than_there_is_room(kit: Kit) -> None:
    versions = kit.versions(4)
    online = [Online(versions[0], capacity=1), *(Online(version, capacity=3) for version in versions[1:])]
    online.append(Online(versions[1], capacity=1))  # a second process of the same version
    scheduled = tables(matchmaking.matchmake(online, 50))
    taken = Counter(version for table in scheduled for version in table)
    assert all(taken[version] <= room for version, room in zip(versions, (1, 4, 3, 3), strict=True))
    assert matchmaking.matchmake(online, 50) == []


def test_who_says_that_all_places_are_taken_is_offered_nothing(kit: Kit) -> None:
    """A bot may say in a second process that it is in the match of the first: it would refuse offers without blame."""
    full, *others = kit.versions(3)
    online = [Online(full, capacity=1, running=1), Online(full, capacity=2, running=2), *map(Online, others)]
    assert {version for table in tables(matchmaking.matchmake(online, 3)) for version in table} == set(others)
    assert Ready.of(online, 2, ()).room == {full: 0, others[0]: 1, others[1]: 1}


def test_only_who_is_really_there_is_paired(kit: Kit) -> None:
    here, also, lost, leaving, paused, barred = kit.versions(6)
    bots = dict(BotVersion.objects.values_list("pk", "bot_id"))
    bot_actions.set_bot_state(bots[paused], "PAUSED")
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
    scheduled = tables(matchmaking.matchmake(online, 3))
    assert {frozenset(table) for table in scheduled} == {frozenset({here, also})}


def test_a_bot_plays_only_the_sizes_it_knows(kit: Kit) -> None:
    versions = kit.versions(4)
    online = [Online(version, player_counts=(2,)) for version in versions]
    assert {len(table) for table in tables(matchmaking.matchmake(online, 5))} == {2}


def test_expansions_and_five_players_are_for_those_who_say_so(kit: Kit) -> None:
    versions = kit.versions(10)
    base, whims, both = versions[:3], versions[3:5], versions[5:]
    everybody = (2, 3, 4, 5)
    online = [Online(version, 40, everybody) for version in base]
    online += [Online(version, 40, everybody, ("whims",)) for version in whims]
    online += [Online(version, 40, everybody, ("artisans", "whims")) for version in both]
    lines = [match_queries.match_page(match_id, hidden_too=True).line for match_id in matchmaking.matchmake(online, 60)]
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
    assert len(matchmaking.matchmake(online, 1)) == 1
    assert matchmaking.matchmake([*online, Online(versions[0], 4, (5,))], 2) == []


def test_a_ladder_is_there_with_its_first_match(kit: Kit) -> None:
    online = [Online(version, player_counts=(3,)) for version in kit.versions(3)]
    matchmaking.matchmake(online, 1)
    assert [summary.ladder.players for summary in rating_queries.ladders()] == [3]


def test_bots_of_one_owner_never_meet_but_the_house_does(kit: Kit) -> None:
    owner = account_actions.create_user("nadir", None)
    house = account_actions.create_user("house", None, role="house")
    mine = [kit.version(owner=owner) for _ in range(3)]
    theirs = [kit.version(owner=house, is_house=True) for _ in range(2)]
    scheduled = tables(matchmaking.matchmake([Online(version, capacity=9) for version in mine + theirs], 30))
    pairs = {frozenset(pair) for table in scheduled for pair in combinations(table, 2)}
    assert not any(frozenset(pair) in pairs for pair in combinations(mine, 2))
    assert frozenset(theirs) in pairs
    assert all(len(table) <= 3 for table in scheduled)


def test_an_overloaded_arena_makes_fewer_matches_and_has_house_bots_wait(kit: Kit, settings: Any) -> None:
    settings.MATCHES_IN_FLIGHT = 8
    house = account_actions.create_user("house", None, role="house")
    own = [kit.version(owner=house, is_house=True) for _ in range(2)]
    others = kit.versions(3)
    online = [Online(version, capacity=9) for version in own + others]
    worker = UpkeepWorker(lambda: online, lambda: False, lambda _: None)  # type: ignore[arg-type,return-value]
    status_actions.announce_process("r1", "referee", "1.0", is_starved=True)
    matchmaking.matchmake_now(worker)
    matchmaking.matchmake_now(worker)
    assert Match.objects.count() == 2 and not Participant.objects.filter(version__in=own).exists()
    status_actions.announce_process("r1", "referee", "1.0")
    matchmaking.matchmake_now(worker)
    assert Match.objects.count() == 8 and Participant.objects.filter(version__in=own).exists()


def test_house_bots_alone_play_one_match_at_a_time_on_an_overloaded_arena(kit: Kit, settings: Any) -> None:
    settings.MATCHES_IN_FLIGHT = 8
    house = account_actions.create_user("house", None, role="house")
    online = [Online(kit.version(owner=house, is_house=True), capacity=9) for _ in range(3)]
    worker = UpkeepWorker(lambda: online, lambda: False, lambda _: None)  # type: ignore[arg-type,return-value]
    status_actions.announce_process("r1", "referee", "1.0", is_starved=True)
    matchmaking.matchmake_now(worker)
    matchmaking.matchmake_now(worker)
    assert Match.objects.count() == 1


@pytest.mark.slow
def test_seats_and_games_even_out_over_a_season(kit: Kit) -> None:
    versions = kit.versions(5)
    online = [Online(version) for version in versions]
    for _ in range(40):
        for match_id in matchmaking.matchmake(online, 3):
            finish_or_abort(kit, match_id, set())
    seats = Counter(Participant.objects.values_list("match__ladder__ruleset__players", "version_id", "seat"))
    for players in (2, 3, 4):
        games = [sum(seats[players, version, seat] for seat in range(1, 5)) for version in versions]
        assert min(games) >= 0.6 * sum(games) / len(games)
        for version in versions:
            sat = [seats[players, version, seat] for seat in range(1, players + 1)]
            assert max(sat) - min(sat) <= 3


def test_seats_are_counted_with_the_ratings_and_again_in_a_rebuild(kit: Kit) -> None:
    versions = kit.versions(3)
    for _ in range(4):
        kit.finish(versions)
    sat = Counter(Participant.objects.values_list("version_id", "seat"))
    due = {version: [sat[version, seat] for seat in range(1, 6)] for version in versions}
    assert dict(Standing.objects.values_list("version_id", "seats")) == due
    Standing.objects.update(seats=[4, 0, 0, 0, 0])
    ladder = Ladder.objects.get()
    assert folding.rebuild_ratings(ladder.slug).is_rewritten
    assert dict(Standing.objects.values_list("version_id", "seats")) == due


def test_a_look_costs_the_same_however_many_bots_and_games_there_are(kit: Kit) -> None:
    def queries_of(online: list[Online]) -> list[str]:
        with CaptureQueriesContext(connection) as seen:
            clocks = {TableFormat(*one.ruleset): one.clock for one in terms.game_terms().values()}
            by_ladder = matchmaking._formats_by_ladder(clocks)
            candidates, _ = matchmaking._candidates(online, by_ladder, {}, clocks.keys(), HostedQuotas())
            matchmaking._load(candidates, by_ladder, {})
        return [query["sql"] for query in seen.captured_queries]

    versions = kit.versions(8)
    matchmaking.matchmake([Online(version) for version in versions[:4]], 3)
    few = queries_of([Online(version) for version in versions[:4]])
    for _ in range(4):
        for match_id in matchmaking.matchmake([Online(version) for version in versions], 3):
            finish_or_abort(kit, match_id, {versions[0]})
    many = queries_of([Online(version) for version in versions])
    assert len(few) <= len(many) <= len(few) + 1, "one more to see who has finished something, when offers were missed"
    # Seats of games that are over are read only where they were declined, or are a day old at most.
    of_seats = [sql for sql in many if 'FROM "matches_participant"' in sql]
    bounds = ('"has_declined"', '"finished_at" >', "'SCHEDULED'")
    assert of_seats and all(any(bound in sql for bound in bounds) for sql in of_seats)


def test_nobody_online_writes_nothing(kit: Kit) -> None:
    assert matchmaking.matchmake([], 5) == []
    assert matchmaking.matchmake([Online(kit.version())], 5) == []
    assert not Match.objects.exists()


def test_a_match_whose_end_is_on_its_way_still_takes_a_place(kit: Kit) -> None:
    """The gateway still counts the finished match and does not have the scheduled one yet."""
    bot, other, third = kit.versions(3)
    online = [Online(version, capacity=2, player_counts=(2,)) for version in (bot, other)]
    ended, scheduled = matchmaking.matchmake(online, 2)
    finish_or_abort(kit, ended, set())
    late = [Online(bot, capacity=2, player_counts=(2,), running=1, matches=(ended,)), Online(third, player_counts=(2,))]
    assert Ready.of(late, 2, ()).room[bot] == 0
    assert matchmaking.matchmake(late, 5) == []
    assert Match.objects.get(pk=scheduled).state == "SCHEDULED"


def test_new_versions_and_bots_are_limited_by_the_hour(kit: Kit) -> None:
    owner = account_actions.create_user("nadir", None)
    bot = bot_actions.register_bot(owner, "Fox")
    for number in range(20):
        bot_actions.register_version(bot, f"v{number}")
    with pytest.raises(errors.TooMany):
        bot_actions.register_version(bot, "one more")
    assert bot_actions.register_version(bot, "v3")
    BotVersion.objects.filter(bot=bot).update(created_at=Now() - timedelta(hours=1, seconds=1))
    assert bot_actions.register_version(bot, "one more")
    for number in range(9):
        bot_actions.register_bot(owner, f"Fox {number}", most_an_hour=10)
    with pytest.raises(errors.TooMany):
        bot_actions.register_bot(owner, "Fox again", most_an_hour=10)
