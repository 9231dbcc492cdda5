"""Rests of bots that do not take what they are offered: how long, for whom, and what they cost other bots."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db.models.functions import Now

from tests.kit.ladder import Kit
from tests.ladder.online import Online, finish_or_abort, later, tables
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots.models import BotVersion
from webui.bots.values import BotRef
from webui.matches.models import Match, Participant
from webui.pairing import matchmaking, rests
from webui.pairing.rests import Rest

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def bot_of(version: int) -> BotRef:
    found = bot_queries.find_bot(BotVersion.objects.get(pk=version).bot.name)
    assert found is not None
    return found


def rest_of(bot: BotRef) -> Rest | None:
    return rests.rests_of([bot]).get(bot.id)


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
    rest = rest_of(bot_of(broken))
    assert rest is not None and rest.bots == (bot_of(broken).name,)
    assert rest_of(bot_of(new)) is None


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
