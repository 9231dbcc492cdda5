"""The matchmaker on the tables: who is online, how much room there is, what was played."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from arena.scheduling import TableFormat
from tests.kit.ladder import CLOCK, POLICY, Kit
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots.models import Bot, BotVersion
from webui.bots.values import BotRef
from webui.core import errors
from webui.core.upkeep import UpkeepWorker
from webui.ladders import terms
from webui.ladders.games import SHARES
from webui.ladders.models import Ladder
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.pairing import matchmaking, rests
from webui.pairing.rests import Rest
from webui.pairing.sessions import Online as Ready
from webui.ratings import folding
from webui.ratings import queries as rating_queries
from webui.ratings.folding import rate_finish
from webui.ratings.models import Standing
from webui.status import actions as status_actions

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


@dataclass(frozen=True)
class Online:
    """A bot process that is online, as the bus announces it."""

    bot_version: int
    capacity: int = 4
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    connected: bool = True
    leaving: bool = False
    connected_at_ns: int = 0
    running: int = 0
    matches: tuple[str, ...] = ()


def tables(match_ids: list[str]) -> list[list[int]]:
    lines = [match_queries.match_page(match_id, hidden_too=True).line for match_id in match_ids]
    return [[seat.version.id for seat in line.seats] for line in lines]


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
            matchmaking._load(matchmaking._candidates(online, by_ladder, {}, clocks.keys()), by_ladder, {})
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


# Bots that do not take what they are offered


def later(seconds: float) -> None:
    """So much time passes: everything that was is older."""
    gone = timedelta(seconds=seconds)
    Match.objects.filter(finished_at__isnull=False).update(finished_at=F("finished_at") - gone)
    Match.objects.update(created_at=F("created_at") - gone)


def bot_of(version: int) -> BotRef:
    found = bot_queries.find_bot(BotVersion.objects.get(pk=version).bot.name)
    assert found is not None
    return found


def rest_of(bot: BotRef) -> Rest | None:
    return rests.rests_of([bot]).get(bot.id)


def finish_or_abort(kit: Kit, match_id: str, silent: set[int], reason: str = "NO_ANSWER") -> bool:
    """The match ends as its bots make it end; whether it was played."""
    claim = kit.claim(match_id, match_id)
    blamed = [seat.seat for seat in claim.seats if seat.version_id in silent]
    if blamed:
        ending.abort_match(match_id, claim.epoch, reason, blamed)
        return False
    # Only the pairing matters here: the game is not played, and counted as if it had been.
    ladder = Match.objects.get(pk=match_id).ladder
    assert ladder is not None
    Ladder.objects.filter(pk=ladder.pk).update(finished=F("finished") + 1)
    ladder.refresh_from_db()
    rate_finish(ladder.pk, ladder.finished, match_id, [1] * len(claim.seats))
    Match.objects.filter(pk=match_id).update(
        state="FINISHED", owner="", lease_expires_at=None, finished_at=Now(), verdict={}, ladder_number=ladder.finished
    )
    return True


@pytest.mark.parametrize("kind", ["versions", "bots"])
def test_one_account_does_not_stop_the_ladder(kit: Kit, kind: str) -> None:
    """Sixteen streams of one account that never answer offers: by versions of one bot, or by bots."""
    honest = kit.versions(4)
    attacker = account_actions.create_user("attacker", None)
    if kind == "bots":
        silent = {kit.version(owner=attacker) for _ in range(16)}
    else:
        bot = bot_actions.register_bot(attacker, "Silent")
        silent = {bot_actions.register_version(bot, f"v{number}") for number in range(16)}
    online = [Online(version) for version in (*honest, *silent)]
    played = aborted = 0
    while played + aborted < 60:
        for match_id in matchmaking.matchmake(online, 4):
            if finish_or_abort(kit, match_id, silent):
                played += 1
            else:
                aborted += 1
        later(10)
    assert aborted <= 12, f"{aborted} of {played + aborted} matches were aborted"


def test_bots_that_go_between_draw_and_offer_do_not_stop_the_ladder(kit: Kit) -> None:
    """Four bots of different owners, of twenty, are always gone when the offer comes, and back at once."""
    honest, gone = kit.versions(16), set(kit.versions(4))
    online = [Online(version) for version in (*honest, *gone)]
    aborted: list[bool] = []
    while len(aborted) < 60:
        for match_id in matchmaking.matchmake(online, 4):
            aborted.append(not finish_or_abort(kit, match_id, gone, "NO_PLACE"))
        later(30)
    assert sum(aborted[20:]) <= 24, f"{sum(aborted)} of {len(aborted)} matches were aborted"
    assert not Participant.objects.filter(has_declined=True).exists()


def test_who_was_gone_when_the_offer_came_has_had_its_turn(kit: Kit) -> None:
    gone, *others = kit.versions(4)
    online = [Online(version, player_counts=(2,)) for version in (gone, *others)]
    waiting = {gone, *others}
    while gone in waiting:
        (match_id,) = matchmaking.matchmake(online, 1)
        waiting -= set(tables([match_id])[0])
        finish_or_abort(kit, match_id, {gone}, "NO_PLACE")
    for _ in others[::2]:
        (match_id,) = matchmaking.matchmake(online, 1)
        assert gone not in tables([match_id])[0]
        finish_or_abort(kit, match_id, {gone}, "NO_PLACE")
    assert rest_of(bot_of(gone)) is None, "a connection may break"
    for _ in range(2):
        later(11)
        (match_id,) = matchmaking.matchmake(online[:2], 1)
        finish_or_abort(kit, match_id, {gone}, "NO_PLACE")
    rest = rest_of(bot_of(gone))
    assert rest is not None and rest.failures == 1 and 10 < rest.seconds <= 15


def test_offers_that_a_bot_misses_at_one_moment_are_one_absence(kit: Kit) -> None:
    gone, other = kit.versions(2)
    rested = []
    for _ in range(3):
        matches = [kit.match([gone, other]) for _ in range(3)]  # open when its connection breaks
        for match_id in matches:
            finish_or_abort(kit, match_id, {gone}, "NO_PLACE")
        Match.objects.filter(pk__in=matches).update(finished_at=Now())  # on a slow machine they end one by one
        rested.append(rest_of(bot_of(gone)) is not None)
        later(11)
    assert rested == [False, False, True]


def test_the_misses_of_a_bot_cost_no_other_bot_of_its_owner_anything(kit: Kit) -> None:
    owner = account_actions.create_user("sen", None)
    broken, new = kit.version(owner=owner), kit.version(owner=owner)
    (rival,) = kit.versions(1)
    for _ in range(3):
        (match_id,) = matchmaking.matchmake([Online(broken, player_counts=(2,)), Online(rival)], 1)
        finish_or_abort(kit, match_id, {broken})
        rest = rest_of(bot_of(broken))
        assert rest is not None
        later(rest.seconds + 1)
    (match_id,) = matchmaking.matchmake([Online(broken, player_counts=(2,)), Online(rival)], 1)
    finish_or_abort(kit, match_id, {broken})
    assert rest_of(bot_of(broken)) is not None
    assert rest_of(bot_of(new)) is None


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


def test_an_account_whose_bots_leave_after_each_match_has_no_more_turns(kit: Kit) -> None:
    owner = account_actions.create_user("crowd", None)
    honest, crowd = kit.versions(8), [kit.version(owner=owner) for _ in range(6)]
    seats, sat_last = Counter[int](), dict.fromkeys(crowd, -1)
    for number in range(48):
        gone = max(crowd, key=sat_last.__getitem__)
        there = [version for version in (*honest, *crowd) if version != gone or sat_last[gone] < 0]
        (match_id,) = matchmaking.matchmake([Online(version, player_counts=(2,)) for version in there], 1)
        finish_or_abort(kit, match_id, set())
        for version in tables([match_id])[0]:
            seats[version] += 1
            sat_last |= {version: number} if version in sat_last else {}
    assert sum(seats[version] for version in crowd) < 1.5 * sum(seats[version] for version in honest) / len(honest)


def test_a_bot_that_declines_waits_longer_each_time(kit: Kit) -> None:
    picky, other, third = kit.versions(3)
    online = [Online(picky, player_counts=(2,)), Online(other, player_counts=(2,))]
    bot = bot_of(picky)
    for seconds in (15, 30, 60):
        (match_id,) = matchmaking.matchmake(online, 1)
        finish_or_abort(kit, match_id, {picky})
        assert matchmaking.matchmake(online, 1) == []
        rest = rest_of(bot)
        assert rest is not None and seconds - 5 < rest.seconds <= seconds
        later(seconds - 1 if rest.seconds > seconds - 1 else 0)
        later(seconds)
        assert rest_of(bot) is None
    assert rest_of(bot_of(other)) is None
    # The others do not wait for it.
    (match_id,) = matchmaking.matchmake(online, 1)
    finish_or_abort(kit, match_id, {picky})
    assert tables(matchmaking.matchmake([*online, Online(third, player_counts=(2,))], 1)) in (
        [[other, third]],
        [[third, other]],
    )


def play_two_seats(
    kit: Kit, versions: list[int], declines: Callable[[int, list[int]], bool], offers: int
) -> list[list[int]]:
    """Tables of two that are played one after the other, an hour apart so that no rest costs anything; a bot declines
    what `declines` says of its version and the table. Those that were played, seat 1 first."""
    online = [Online(version, player_counts=(2,)) for version in versions]
    played = []
    for _ in range(offers):
        (match_id,) = matchmaking.matchmake(online, 1)
        (table,) = tables([match_id])
        if finish_or_abort(kit, match_id, {version for version in table if declines(version, table)}):
            played.append(table)
        later(3601)
    return played


@pytest.mark.slow
def test_to_decline_an_opponent_costs_a_game_each_time(kit: Kit) -> None:
    picky, strong, *others = versions = kit.versions(4)
    played = play_two_seats(kit, versions, lambda version, table: version == picky and strong in table, 60)
    games = Counter(version for table in played for version in table)
    declined = Participant.objects.filter(version_id=picky, has_declined=True).count()
    assert declined >= 5
    assert games[picky] + declined <= max(games[version] for version in others) + 3


@pytest.mark.slow
def test_to_decline_a_seat_brings_it_again(kit: Kit) -> None:
    picky, *_ = versions = kit.versions(4)
    played = play_two_seats(kit, versions, lambda version, table: version == picky and table[0] != picky, 40)
    sat = Counter(table.index(picky) for table in played if picky in table)
    assert sat[0] <= 2, "whoever never takes the second seat plays no more"


def test_an_offer_that_was_missed_is_forgotten_after_a_day(kit: Kit) -> None:
    versions = kit.versions(2)
    online = [Online(version, player_counts=(2,)) for version in versions]
    for _ in range(9):
        (match_id,) = matchmaking.matchmake(online, 1)
        finish_or_abort(kit, match_id, {versions[0]})
        later(3601)
    bot = bot_of(versions[0])
    later(22 * 3600)
    assert rest_of(bot) is None
    (match_id,) = matchmaking.matchmake(online, 1)
    finish_or_abort(kit, match_id, {versions[0]})
    rest = rest_of(bot)
    assert rest is not None and rest.failures == 2 and rest.seconds <= 30


def test_a_bot_that_plays_is_not_blamed_for_its_owners_other_bots(kit: Kit) -> None:
    owner = account_actions.create_user("nadir", None)
    good, bad = kit.version(owner=owner), kit.version(owner=owner)
    other = kit.version()
    (match_id,) = matchmaking.matchmake([Online(good, player_counts=(2,)), Online(other, player_counts=(2,))], 1)
    finish_or_abort(kit, match_id, set())
    (match_id,) = matchmaking.matchmake([Online(bad, player_counts=(2,)), Online(other, player_counts=(2,))], 1)
    finish_or_abort(kit, match_id, {bad})
    online = [Online(version, player_counts=(2,)) for version in (good, bad, other)]
    assert tables(matchmaking.matchmake(online, 1)) in ([[good, other]], [[other, good]])


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
