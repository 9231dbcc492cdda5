"""Events on the tables: the advancer carries on, matches are played, results are hidden and shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, transaction
from django.db.models import F

from arena.events import EventState, FactKind
from arena.scheduling import Load, TableFormat
from tests.kit.ladder import CLOCK, LEASE, Kit, play_out
from tests.ladder.online import Online
from tests.ladder.organised import Organised
from webui.bots import actions as bot_actions
from webui.bots import retirement
from webui.bots.models import Bot, BotState, BotVersion
from webui.core.errors import BadRequest
from webui.events import actions as event_actions
from webui.events import eligibility, scheduling
from webui.events import queries as event_queries
from webui.events import subject as event_subject
from webui.events.facts import find_event, read_facts
from webui.events.models import EventBot, EventMatch, EventRow, EventSecret, FactRow
from webui.ladders.models import Ladder
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.matches.values import EVENT_CANCELLED, HiddenResult, LostOwnership
from webui.pairing import matchmaking, sessions
from webui.pairing.models import Exclusion
from webui.pairing.quotas import HostedQuotas
from webui.profiles import queries as profile_queries
from webui.ratings.models import Standing
from webui.words.badges import VOID_REASONS

pytestmark = pytest.mark.django_db


def test_an_event_from_its_draft_to_its_end(kit: Kit) -> None:
    cup = Organised(kit, 3)
    assert cup.event.state is EventState.OPEN and len(cup.event.commitment) == 64 and cup.event.seed is None
    cup.start()
    cup.to_the_end()
    event = cup.event
    assert event.seed is not None
    assert [fact.kind for fact in read_facts(find_event(cup.slug).pk, 99)] == [
        *(FactKind.CREATED, FactKind.PUBLISHED, *[FactKind.ENTERED] * 3, FactKind.FROZEN, FactKind.STARTED),
        *(FactKind.DRAWN, FactKind.RESULT, FactKind.DRAWN, FactKind.RESULT, FactKind.FINISHED),
    ]
    for line in EventMatch.objects.select_related("match"):
        seats = line.match.participants.order_by("seat")
        assert event.games[line.round, line.table, line.game].placements == tuple(seat.placement for seat in seats)
        names = [seat.version.bot.name for seat in seats.select_related("version__bot")]
        assert names == [event.entrants[n - 1].name for n in event.rounds[line.round - 1].tables[0].seats]
    assert not Match.objects.filter(rated=True).exists()


@pytest.mark.parametrize(("unit", "players", "games"), [("block", 2, 2), ("williams", 3, 6)])
def test_the_games_of_a_deal_block_have_one_deal(kit: Kit, unit: str, players: int, games: int) -> None:
    cup = Organised(kit, players, unit=unit, game={"players": players})
    cup.start()
    cup.play()  # a bot plays four matches at a time
    cup.advance()
    deals = [match.secret.deal for match in Match.objects.select_related("secret")]
    assert len(deals) == games and len(set(deals)) == 1 and len(deals[0]) == 64


def test_advancing_twice_does_nothing_twice(kit: Kit) -> None:
    cup = Organised(kit, 3)
    cup.start()
    before = cup.event.length, Match.objects.count()
    assert cup.advance() == cup.advance() == []
    assert (cup.event.length, Match.objects.count()) == before
    cup.play()
    assert cup.advance() == [cup.slug]


def test_who_does_not_come_loses_and_delays_nobody_beyond_the_limit(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 3, course={"no_show_s": 60})
    absent = cup.online.pop(1)
    cup.start()
    assert cup.scheduled() == []
    cup.advance()
    assert EventBot.objects.exclude(away_since=None).values_list("number", flat=True).get() == 2
    EventBot.objects.filter(number=2).update(away_since=datetime.now(UTC) - timedelta(seconds=61))
    cup.advance()
    cup.to_the_end()
    first = cup.event.history().rounds[0].tables[0]
    assert first.seats == (1, 2) and first.games[0].out == {2}
    assert [len(round.tables[0].games) for round in cup.event.history().rounds] == [1, 1]
    assert absent.bot_version == cup.versions[1]


def test_time_in_which_nobody_looked_is_nobodys_absence(kit: Kit) -> None:
    cup = Organised(kit, 2, course={"no_show_s": 60})
    cup.online.pop()
    cup.start()
    cup.advance()
    EventBot.objects.exclude(away_since=None).update(away_since=datetime.now(UTC) - timedelta(hours=1))
    row = find_event(cup.slug)
    type(row).objects.update(advanced_at=datetime.now(UTC) - timedelta(hours=1))
    cup.advance()
    assert cup.event.absent == {}
    online, cup.online = cup.online, []  # the gateways are away, not the bots
    EventBot.objects.exclude(away_since=None).update(away_since=datetime.now(UTC) - timedelta(hours=1))
    cup.advance()
    assert cup.event.absent == {} and not EventBot.objects.exclude(away_since=None).exists()
    cup.online = online


def lock(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(state=BotState.LOCKED)


def retire(bot: Bot) -> None:
    retirement.retire_bot(bot.pk)


@pytest.mark.parametrize("stop", [lock, retire])
def test_a_bot_that_may_not_play_gets_no_match_of_an_event(kit: Kit, stop: Callable[[Bot], None]) -> None:
    cup = Organised(kit, 2, course={"no_show_s": 60})
    cup.start()
    (match,) = cup.scheduled()
    claim = kit.claim(match)
    ending.abort_match(match, claim.epoch, "declined", declined=[2])
    stop(cup.bots[0])
    cup.advance()
    assert cup.scheduled() == []
    EventBot.objects.filter(number=1).update(away_since=datetime.now(UTC) - timedelta(seconds=61))
    cup.advance()
    assert cup.event.absent == {(1, 1): {1}}


def test_a_bot_of_the_house_that_may_not_play_sits_in_nowhere(kit: Kit) -> None:
    house = kit.version(is_house=True)
    online = [Online(house, player_counts=(3,))]
    assert sessions.Online.of(online, 3, ()).house == [house]
    lock(BotVersion.objects.get(pk=house).bot)
    assert sessions.Online.of(online, 3, ()).house == []


def test_offers_that_are_declined_are_repeated_and_then_count_as_absence(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    for _ in range(scheduling.MOST_TRIES):
        (match,) = cup.scheduled()
        claim = kit.claim(match)
        ending.abort_match(match, claim.epoch, "declined", declined=[2])
        cup.advance()
    assert cup.event.absent == {(1, 1): {2}}
    cup.advance()
    assert cup.event.state is EventState.FINISHED


def test_a_bot_of_the_house_sits_in_where_others_can_still_play(kit: Kit) -> None:
    cup = Organised(kit, 3, game={"players": 3})
    house = kit.version(is_house=True)
    cup.online.append(Online(house, player_counts=(3,)))
    cup.online.pop(1)
    cup.start()
    cup.advance()
    EventBot.objects.filter(number=2).update(away_since=datetime.now(UTC) - timedelta(hours=1))
    cup.advance()
    (match,) = cup.scheduled()
    assert list(Match.objects.get(pk=match).participants.order_by("seat").values_list("version", flat=True)) == [
        *(cup.versions[0], house, cup.versions[2])
    ]
    cup.play()
    cup.advance()
    (game,) = cup.event.history().rounds[0].tables[0].games
    assert game.out == {2} and game.placements[1] == 3


def test_what_the_arena_voids_is_played_again_with_the_same_seats(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    (match,) = cup.scheduled()
    kit.claim(match)
    assert ending.void_match(match, "the arena's fault", again=True)
    (again,) = cup.scheduled()
    assert [line.match_id for line in EventMatch.objects.order_by("tries")] == [match, again]
    cup.to_the_end()
    assert list(cup.event.matches.values()) == [again]


def test_the_ladder_leaves_a_place_to_an_event_that_waits_for_one(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.online = [Online(version, capacity=1, player_counts=(2,)) for version in cup.versions]
    (ladder,) = matchmaking.matchmake(cup.online, 1)
    cup.start()
    assert EventMatch.objects.count() == 0
    claim = kit.claim(ladder)
    ending.abort_match(ladder, claim.epoch, "for this test")
    assert matchmaking.matchmake(cup.online, 1) == []
    cup.advance()
    assert EventMatch.objects.count() == 1


@pytest.mark.slow
def test_hidden_results_are_shown_to_organisers_alone_and_rated_when_they_are_revealed(kit: Kit) -> None:
    cup = Organised(kit, 3, hidden=True, rated=True)
    cup.start()
    (first,) = cup.scheduled()
    open_match = kit.finish()
    cup.play()
    cup.advance()
    assert [line.id for line in match_queries.matches()] == [open_match.match_id]
    assert first not in [seat.match_id for seat in profile_queries.bot_page(cup.bots[0].slug).past]
    assert profile_queries.think_times([cup.versions[0]]) is None
    with pytest.raises(HiddenResult):
        match_queries.match_page(first)
    assert match_queries.match_page(first, hidden_too=True).line.seats[0].placement
    seen, known = event_queries.event_page(cup.slug), event_queries.event_page(cup.slug, cup.organiser)
    assert (seen.shown, known.shown) == (0, 2) and seen.games == {} and len(known.games) == 2
    assert all(row.games == 0 for row in seen.standings) and known.standings[0].games == 1
    assert FactKind.RESULT not in [fact.kind for fact in seen.facts]
    assert not Standing.objects.filter(version_id__in=cup.versions).exists()
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    cup.advance()
    assert match_queries.match_page(first).line.rated and event_queries.event_page(cup.slug).shown == 1
    assert Standing.objects.filter(version_id__in=cup.versions).count() == 2
    cup.to_the_end()
    cup.advance()
    cup.advance()
    # In the order in which they were scheduled: the other match finished before round 1 was revealed.
    assert [line.ladder_number for line in reversed(match_queries.matches())] == [2, 1, 3]
    assert Standing.objects.filter(version_id__in=cup.versions).count() == 3


def test_the_doctor_finds_an_event_that_does_not_follow(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    cup.to_the_end()
    assert list(event_subject.events()) == []
    harms: list[tuple[Callable[[], object], str]] = [
        (lambda: EventRow.objects.update(rounds=5), "its row says"),
        (lambda: EventSecret.objects.update(seed="00" * 32), "does not match its commitment"),
        (lambda: Participant.objects.filter(seat=1).update(placement=F("placement") % 2 + 1), "which ended"),
    ]
    for harm, says in harms:
        with transaction.atomic():
            harm()
            assert any(says in message for _, message in event_subject.events()), says
            transaction.set_rollback(True)
    row = EventRow.objects.get()
    FactRow.objects.create(event=row, number=row.length, kind="entered", data={})
    EventRow.objects.update(length=row.length + 1)
    assert [message for _, message in event_subject.events() if "are inconsistent" in message]


def test_facts_cannot_be_changed_even_behind_our_back(kit: Kit) -> None:
    Organised(kit, 1)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        FactRow.objects.update(why="another")


def test_a_match_of_a_hidden_round_stays_hidden_when_it_is_void(kit: Kit) -> None:
    cup = Organised(kit, 2, hidden=True)
    cup.start()
    (match,) = cup.scheduled()
    kit.claim(match)
    assert ending.void_match(match, "the arena's fault", again=True)
    for hidden in (match, *cup.scheduled()):
        with pytest.raises(HiddenResult):
            match_queries.match_page(hidden)
    assert match_queries.matches() == []


def test_an_event_that_is_over_waits_for_no_bot(kit: Kit) -> None:
    """Otherwise the ladder would give those bots no matches, for good."""
    cup = Organised(kit, 2)
    cup.online = [Online(version, capacity=1, player_counts=(2,)) for version in cup.versions]
    (ladder,) = matchmaking.matchmake(cup.online, 1)
    cup.start()
    assert EventBot.objects.filter(is_awaited=True).count() == 2
    event_actions.ask_event(cup.slug, cup.organiser, "cancel")
    cup.advance()
    claim = kit.claim(ladder)
    ending.abort_match(ladder, claim.epoch, "for this test")
    assert len(matchmaking.matchmake(cup.online, 1)) == 1


@pytest.mark.parametrize("hidden", [False, True], ids=["open", "hidden"])
def test_matches_of_a_cancelled_event_end_at_once_and_results_that_were_there_count(kit: Kit, *, hidden: bool) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 2}, entry={"entrants": 8}, rated=True, hidden=hidden)
    cup.start()
    running, ended = cup.scheduled()
    epoch = kit.claim(running).epoch
    claim = kit.claim(ended)
    played = play_out(claim)
    ownership.append(ended, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(ended, claim.epoch, played.verdict, played.document)
    event_actions.ask_event(cup.slug, cup.organiser, "cancel")
    cup.advance()
    assert cup.event.state is EventState.CANCELLED
    assert list(cup.event.matches.values()) == [ended]
    line = match_queries.match_page(running).line
    assert (line.state, line.reason) == ("VOID", EVENT_CANCELLED)
    with pytest.raises(LostOwnership):
        ownership.renew(running, epoch, LEASE)
    assert list(Match.objects.filter(rated=True, state="FINISHED").values_list("pk", flat=True)) == [ended]
    assert Standing.objects.filter(games=1).count() == 2
    assert cup.advance() == cup.scheduled() == []
    assert str(VOID_REASONS[EVENT_CANCELLED]) == EVENT_CANCELLED


def test_who_leaves_in_the_middle_of_a_match_has_lost_it(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    event_actions.leave_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
    cup.play()  # its match was under way, and whatever it ended with comes too late
    cup.advance()
    cup.advance()
    assert cup.event.games == {} and cup.event.state is EventState.FINISHED
    assert [(row.entrant, row.points) for row in cup.event.standings(None)] == [(2, 1), (1, 0)]


def test_declines_are_counted_by_seat(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    for seat in (1, 1, 2, 2):
        (match,) = cup.scheduled()
        ending.abort_match(match, kit.claim(match).epoch, "declined", declined=[seat])
        cup.advance()
    assert cup.event.absent == {}
    (match,) = cup.scheduled()
    ending.abort_match(match, kit.claim(match).epoch, "declined", declined=[2])
    cup.advance()
    assert cup.event.absent == {(1, 1): {2}}


def test_no_event_takes_all_places(kit: Kit) -> None:
    cup = Organised(kit, 9, format={"kind": "round_robin"}, entry={"entrants": 9})
    event_actions.freeze_now(cup.slug, cup.organiser)
    for _ in range(5):
        cup.advance(capacity=4)
    assert len(cup.scheduled()) == 3


def test_games_of_events_count_for_pairing_once_they_are_finished(kit: Kit) -> None:
    """Also where the event is rated, and so of a ladder."""
    cup = Organised(kit, 2, unit="block", rated=True)

    def load() -> Load:
        by_ladder = matchmaking._formats_by_ladder({TableFormat(2): CLOCK})
        candidates, _ = matchmaking._candidates(cup.online, by_ladder, {}, {TableFormat(2)}, HostedQuotas())
        return matchmaking._load(candidates, by_ladder, {})

    nothing = Load(Counter(), {TableFormat(2): 0}, {}, Counter(), Counter(), Counter())
    cup.start()
    first, _second = cup.scheduled()
    assert Ladder.objects.count() == 1 and load() == nothing, "while it is played"
    claim = kit.claim(first)
    ending.abort_match(first, claim.epoch, "seat 1 declined", declined=[1])
    assert load() == nothing, "and declined"
    cup.play()
    found = load()
    assert set(found.games.values()) == {1}, "what was played counts: it told the ladder as much as any other game"
    assert set(found.seated.values()) == {1} and found.made == {TableFormat(2): 1}
    assert (+Counter(found.seats)).total() == len(found.games) and not found.owners and not found.in_flight


def test_a_reason_of_several_lines_can_be_read_again(kit: Kit) -> None:
    cup = Organised(kit, 2)
    event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"}, "line one\r\nline two")
    assert read_facts(find_event(cup.slug).pk, 99)[-1].why == "line one\nline two"
    with pytest.raises(BadRequest, match="characters"):
        event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"}, "\x1b[2J")


def test_a_round_that_was_moved_is_not_drawn_before_its_time(kit: Kit) -> None:
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    course = {**cup.event.terms.course.document(), "next_round_at": "2099-01-01T00:00:00Z"}
    event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    cup.advance()
    assert len(cup.event.rounds) == 1 and cup.event.is_between_rounds
    bad = {"course": course | {"next_round_at": "2026-19-31T00:00:00Z"}}
    with pytest.raises(BadRequest, match="this time does not exist"):
        event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, bad)
    event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course | {"next_round_at": ""}})
    cup.to_the_end()


@pytest.mark.parametrize(
    ("versions", "plays"),
    [
        # name, excluded, online: newest last
        ([("v1", False, True), ("v2", False, False)], "v1"),
        ([("v1", False, True), ("v2", True, True)], "v1"),
        ([("v1", False, False), ("v2", True, True)], "v1"),
        ([("v1", False, True), ("v2", False, True)], "v2"),
        ([("v1", False, False), ("v2", False, False), ("v3", True, False)], "v2"),
        ([("v1", True, True), ("v2", True, False)], "v1"),
        ([("v1", True, False), ("v2", True, False)], "v2"),
    ],
)
def test_the_newest_version_that_may_play_rated_matches_plays_one_that_is_online_first(
    kit: Kit, versions: list[tuple[str, bool, bool]], plays: str
) -> None:
    cup = Organised(kit, 2, versions="free")
    bot = cup.bots[0]
    former = BotVersion.objects.filter(bot=bot)
    Exclusion.objects.bulk_create(Exclusion(version=one, matches=[]) for one in former)
    cup.online.pop(0)
    for name, is_excluded, is_online in versions:
        made = bot_actions.register_version(bot.pk, name)
        if is_excluded:
            Exclusion.objects.create(version_id=made, matches=[])
        if is_online:
            cup.online.append(Online(made, player_counts=(2, 3, 4, 5)))
    bot_actions.release_version(bot.pk, "later", "it has not said hello")
    online = [session.bot_version for session in cup.online]
    assert eligibility.versions_to_play(cup.slug, online)[1] == plays
    event_actions.freeze_now(cup.slug, cup.organiser, online)
    assert cup.event.entrants[0].version == plays
    cup.advance()
    drawn = FactRow.objects.get(kind="drawn")
    assert dict(drawn.data["versions"])[1] == plays
