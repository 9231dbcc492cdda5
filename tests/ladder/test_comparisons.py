"""Comparisons of versions: who may order them, how blocks are scheduled and counted, and how they end."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from arena.ratings.sequential import Trial
from arena.rules import Ruleset
from arena.scheduling.ladder import SHORTEST_REST_S
from tests.kit.ladder import LEASE, Kit, play_out
from tests.ladder.online import Online
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.comparisons import actions as comparison_actions
from webui.comparisons import queries as comparison_queries
from webui.comparisons.models import Comparison, ComparisonMatch
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.events.models import EventBot, EventRow
from webui.matches import ending, ownership
from webui.matches.models import Match, MatchSecret, MatchState, Participant
from webui.notices import queries as notice_queries
from webui.notices.emails import path, sentence
from webui.notices.models import BotNotice, MailState
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db
TWO = Ruleset(2)


class World:
    """An owner with a bot of two versions, another bot, and bots of the house."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.old = kit.version()
        self.bot = BotVersion.objects.get(pk=self.old).bot_id
        self.owner = Bot.objects.get(pk=self.bot).owner_id
        self.new = bot_actions.register_version(self.bot, "2")
        house = account_actions.create_user("keeper", None)
        self.house = [kit.version(owner=house, is_house=True) for _ in range(3)]

    def order(self, players: int = 2, **more: object) -> str:
        return comparison_actions.compare_versions(self.owner, self.new, self.old, Ruleset(players), **more)  # type: ignore[arg-type]

    def online(self, capacity: int = 5) -> list[Online]:
        return [Online(version, capacity) for version in (self.new, self.old, *self.house)]

    def win(self, match_id: str, version: int) -> None:
        """End a match, with this version first; its record is nobody's business here."""
        others = Participant.objects.filter(match=match_id).exclude(version=version)
        Participant.objects.filter(match=match_id, version=version).update(placement=1)
        for place, seat in enumerate(others, start=2):
            Participant.objects.filter(pk=seat.pk).update(placement=place)
        Match.objects.filter(pk=match_id).update(state=MatchState.FINISHED, finished_at=F("created_at"))


@pytest.fixture
def world(kit: Kit) -> World:
    return World(kit)


def in_flight() -> list[ComparisonMatch]:
    lines = ComparisonMatch.objects.filter(match__state=MatchState.SCHEDULED).order_by("block", "game")
    return list(lines)


def test_who_may_order_what(world: World) -> None:
    stranger = world.kit.version()
    own, house = world.order(), world.house[0]
    bot_actions.release_version(world.bot, "3", "")
    ready = BotVersion.objects.get(name="3").pk
    assert comparison_queries.comparison_page(own).owner_id == world.owner
    for new, old, error in (
        (stranger, world.old, NotFound),
        (world.new, stranger, NotFound),
        (house, world.old, NotFound),
        (ready, world.old, NotFound),
        (world.new, ready, NotFound),
        (world.new, world.new, BadRequest),
    ):
        with pytest.raises(error):
            comparison_actions.compare_versions(world.owner, new, old, TWO)
    for wrong in ({"margin": 1}, {"games": 1}, {"games": 5000}, {"players": 5}):
        with pytest.raises(BadRequest):
            world.order(**wrong)  # type: ignore[arg-type]
    comparison_actions.compare_versions(world.owner, world.new, house, TWO)
    with pytest.raises(TooMany, match="running"):
        world.order()
    for _ in range(comparison_actions.NEW_A_DAY - 2):
        for row in Comparison.objects.filter(state="RUNNING"):
            comparison_actions.stop_comparison(row.pk)
        world.order()
    comparison_actions.stop_comparison(own)
    Comparison.objects.filter(state="RUNNING").update(state="STOPPED", ended_at=F("created_at"))
    with pytest.raises(TooMany, match="within a day"):
        world.order()


def test_a_blocks_games_start_together_on_one_deal_with_the_seats_turned(world: World) -> None:
    comparison = world.order(3)
    assert comparison_actions.advance_comparisons(world.online(), 3) == [comparison]
    lines = in_flight()
    assert [(line.block, line.game, line.tries) for line in lines] == [(0, 0, 1), (0, 1, 1), (0, 2, 1)]
    assert len({MatchSecret.objects.get(match=line.match_id).deal for line in lines}) == 1
    sat = Counter((p.version_id, p.seat) for p in Participant.objects.filter(match__comparison_match__in=lines))
    assert len(sat) == 9 and sat[world.new, 1] == sat[world.old, 1] == 1
    assert not Match.objects.filter(rated=True).exists()
    assert comparison_actions.advance_comparisons(world.online(), 3) == []  # the capacity is used up


def test_the_house_is_the_same_in_all_games_of_a_block_and_sits_everywhere_once(world: World) -> None:
    """Also where they are scheduled one after the other."""
    world.order(4)
    for _ in range(12):
        (line,) = in_flight() if comparison_actions.advance_comparisons(world.online(), 1) else ()
        world.win(line.match_id, world.new)
    for block in range(3):
        seats = Participant.objects.filter(match__comparison_match__block=block).values_list("version_id", "seat")
        assert len(set(seats)) == len(seats) == 16


def test_a_house_bot_that_is_full_stays_in_its_block(world: World) -> None:
    """It is waited for, also where another one has come that would have been taken first."""
    world.order(3)
    busy = world.house[1]
    assert comparison_actions.advance_comparisons(
        [one for one in world.online() if one.bot_version != world.house[0]], 1
    )
    (first,) = in_flight()
    world.win(first.match_id, world.new)
    matches = [world.kit.match([busy, world.house[2]], rated=False) for _ in range(4)]
    assert comparison_actions.advance_comparisons(world.online(capacity=4), 8) == []
    Match.objects.filter(pk__in=matches).update(state=MatchState.FINISHED, finished_at=F("created_at"))
    assert comparison_actions.advance_comparisons(world.online(), 8)
    assert Participant.objects.filter(match__comparison_match__block=0, version=busy).count() == 3


def test_comparisons_play_what_others_leave_and_one_match_at_least(world: World) -> None:
    world.order()
    others = [world.kit.version() for _ in range(2)]
    for _ in range(4):
        world.kit.match(others)
    comparison_actions.advance_comparisons(world.online(), 6)
    assert len(in_flight()) == 2
    for line in in_flight():
        world.win(line.match_id, world.new)
    comparison_actions.advance_comparisons(world.online(), 4)
    assert len(in_flight()) == 1


def test_a_bot_with_several_places_keeps_one_free(world: World) -> None:
    world.order()
    comparison_actions.advance_comparisons(world.online(capacity=1), 8)
    assert len(in_flight()) == 1
    comparison_actions.advance_comparisons(world.online(capacity=4), 8)
    assert len(in_flight()) == 3


def test_a_bot_that_rests_plays_no_comparison(world: World) -> None:
    """As after an offer of a comparison that it declined: the next one comes when its rest is over."""
    world.order()
    comparison_actions.advance_comparisons(world.online(), 1)
    match = in_flight()[0].match_id
    seat = Participant.objects.get(match=match, version=world.new)
    claim = world.kit.claim(match)
    ending.abort_match(claim.match_id, claim.epoch, "declined", [seat.seat])
    assert comparison_actions.advance_comparisons(world.online(), 4) == []
    Match.objects.filter(pk=match).update(finished_at=F("finished_at") - timedelta(seconds=SHORTEST_REST_S + 1))
    assert comparison_actions.advance_comparisons(world.online(), 1)


def test_versions_that_are_not_there_are_waited_for_and_then_no_more(world: World) -> None:
    comparison = world.order()
    assert comparison_actions.advance_comparisons([Online(world.new), Online(world.house[0])], 4) == []
    assert not in_flight()
    Comparison.objects.update(moved_at=F("moved_at") - timedelta(seconds=comparison_actions.IDLE_S + 60))
    assert comparison_actions.advance_comparisons([Online(world.new)], 4) == [comparison]
    assert comparison_queries.comparison_page(comparison).line.state == "IDLE"
    assert not comparison_actions.stop_comparison(comparison)


def test_comparisons_whose_versions_are_not_there_cost_nothing(world: World) -> None:
    costs = []
    for _ in range(2):
        world.order()
        with CaptureQueriesContext(connection) as seen:
            comparison_actions.advance_comparisons(
                [Online(world.new), *(Online(version) for version in world.house)], 4
            )
        costs.append(len(seen))
    assert costs[0] == costs[1]


def test_a_bot_that_is_paused_or_that_an_event_waits_for_plays_no_comparison(world: World) -> None:
    world.order()
    bot_actions.set_bot_state(world.bot, "PAUSED")
    assert comparison_actions.advance_comparisons(world.online(), 4) == []
    bot_actions.set_bot_state(world.bot, "ACTIVE")
    event = EventRow.objects.create(slug="cup", owner_id=world.owner, name="Cup", state="running", players=2)
    EventBot.objects.create(event=event, number=1, bot_id=world.bot, is_awaited=True)
    assert comparison_actions.advance_comparisons(world.online(), 4) == []
    EventBot.objects.update(is_awaited=False)
    assert comparison_actions.advance_comparisons(world.online(), 4) and len(in_flight()) == 4


def test_room_is_what_matches_in_flight_leave(world: World) -> None:
    world.order()
    world.kit.match([world.new, world.house[0]])
    comparison_actions.advance_comparisons(world.online(capacity=3), 8)
    assert len(in_flight()) == 1


def test_blocks_count_in_their_order_and_a_game_without_a_result_is_played_again(world: World) -> None:
    comparison = world.order()
    comparison_actions.advance_comparisons(world.online(), 4)
    first, second, third, fourth = in_flight()
    for line in (second, third, fourth):
        world.win(line.match_id, world.new)
    claim = world.kit.claim(first.match_id)
    ending.abort_match(claim.match_id, claim.epoch, "declined")
    comparison_actions.advance_comparisons(world.online(), 1)
    assert comparison_queries.comparison_page(comparison).trial.blocks == 0
    (again,) = [line for line in in_flight() if line.block == 0]
    assert (again.game, again.tries) == (0, 2)
    assert MatchSecret.objects.get(match=again.match_id).deal == MatchSecret.objects.get(match=first.match_id).deal
    assert ending.void_match(again.match_id, "ours", again=True)
    (again,) = [line for line in in_flight() if line.block == 0]
    assert (again.game, again.tries) == (0, 3)
    world.win(again.match_id, world.old)
    comparison_actions.advance_comparisons([], 1)
    row = Comparison.objects.get()
    assert row.scores == [2, 4] and row.length == 2


def test_a_game_that_never_has_a_result_ends_it(world: World) -> None:
    comparison = world.order()
    for _ in range(comparison_actions.MOST_TRIES):
        comparison_actions.advance_comparisons(world.online(), 1)
        claim = world.kit.claim(in_flight()[0].match_id)
        ending.abort_match(claim.match_id, claim.epoch, "declined")
    comparison_actions.advance_comparisons(world.online(), 1)
    assert comparison_queries.comparison_page(comparison).line.state == "FAILED" and not in_flight()


@pytest.mark.parametrize("winner", ["new", "old"])
def test_it_stops_by_itself_with_the_answer_of_the_test(world: World, winner: str) -> None:
    comparison = world.order(margin=300)
    while Comparison.objects.get().state == "RUNNING":
        comparison_actions.advance_comparisons(world.online(), 4)
        for line in in_flight():
            world.win(line.match_id, getattr(world, winner))
    page = comparison_queries.comparison_page(comparison)
    trial = Trial(page.trial.hypotheses)
    while trial.answer is None:
        trial.add(4 if winner == "new" else 0)
    assert (page.trial.curve, page.line.state) == (trial.curve, {"new": "YES", "old": "NO"}[winner])
    assert page.line.ended_at is not None and comparison_actions.advance_comparisons(world.online(), 4) == []


def test_a_bots_page_counts_no_games_of_comparisons(world: World) -> None:
    world.order()
    slug = Bot.objects.get(pk=world.bot).slug
    world.kit.finish([world.new, world.kit.version()])
    comparison_actions.advance_comparisons(world.online(), 2)
    assert len(in_flight()) == 2 and len(profile_queries.bot_page(slug).past) == 1


def test_a_real_record_counts_as_it_was_played(world: World) -> None:
    world.order()
    comparison_actions.advance_comparisons(world.online(), 2)
    due = 0
    for seed, line in enumerate(in_flight()):
        claim = world.kit.claim(line.match_id)
        played = play_out(claim, seed)
        ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
        ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
        places = {seat.version_id: played.verdict["placements"][seat.seat - 1] for seat in claim.seats}
        new, old = places[world.new], places[world.old]
        due += 2 * (new < old) + (new == old)
    comparison_actions.advance_comparisons([], 0)
    assert Comparison.objects.get().scores == [due]


def test_of_two_advancers_at_once_one_moves_it_on(world: World) -> None:
    """The second has read the row before the first wrote."""
    world.order()
    before = Comparison.objects.get()
    comparison_actions.advance_comparisons(world.online(), 2)
    for line in in_flight():
        world.win(line.match_id, world.new)
    assert comparison_actions.advance_comparison(Comparison.objects.get(), [], 0) == (0, True)
    assert comparison_actions.advance_comparison(before, [], 0) == (0, False)
    assert Comparison.objects.get().scores == [4]


def test_the_owner_is_told_how_it_ended(world: World) -> None:
    """Once, with an email; but not of what the owner did."""
    first, second = world.order(), world.order()
    staff = account_actions.create_user("overseer", None)
    assert comparison_actions.stop_comparison(first, world.owner) and comparison_actions.stop_comparison(second, staff)
    third = world.order()
    Comparison.objects.filter(pk=third).update(moved_at=F("moved_at") - timedelta(days=30))
    assert comparison_actions.advance_comparisons([], 4) == [third]
    assert not comparison_actions.stop_comparison(third, staff) and comparison_actions.advance_comparisons([], 4) == []
    idle, stopped = notice_queries.notices(world.owner)
    assert (idle.about, idle.data.state, stopped.about, stopped.data.state) == (third, "IDLE", second, "STOPPED")
    assert sentence(stopped) == "Bot 1: the staff stopped the comparison of 2 with 1."
    assert path(stopped) == f"/account/comparisons/{second}/"
    assert set(BotNotice.objects.values_list("user", "mail")) == {(world.owner, MailState.DUE)}


def test_one_that_was_stopped_meanwhile_gets_no_match(world: World) -> None:
    comparison = world.order()
    before = Comparison.objects.get()
    assert comparison_actions.stop_comparison(comparison)
    assert comparison_actions.advance_comparison(before, world.online(), 4) == (0, False)
    assert not Match.objects.exists() and Comparison.objects.get().state == "STOPPED"


def test_what_an_owner_may_choose_from(world: World) -> None:
    other = world.kit.version(owner=world.owner)
    world.kit.version()
    own, against = comparison_queries.versions_to_compare(world.bot)
    assert [version.id for version in own] == [world.new, world.old]
    assert [version.id for version in against] == [world.new, world.old, other, *world.house]
    comparison = world.order()
    Comparison.objects.update(scores=[4, 2, 3], length=3)
    assert [(line.id, line.games) for line in comparison_queries.comparisons_of(world.bot)] == [(comparison, 6)]
    assert comparison_queries.comparisons_of(BotVersion.objects.get(pk=world.house[0]).bot_id) == []
