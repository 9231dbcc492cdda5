"""Events on the tables: organisers and owners act, the advancer carries on, matches are played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.db.models import F

from arena.events import Event, EventState, FactKind
from arena.scheduling import Format, Load
from tests.kit.ladder import CLOCK, LEASE, Kit, play_out
from tests.ladder.test_matchmaker import Online
from webui.ladder import actions, event_checks, queries
from webui.ladder.actions import event_matches, matchmaking, organisers
from webui.ladder.actions.advancing import NOT_CHECKED_IN
from webui.ladder.actions.fitting import fit_due
from webui.ladder.events import find_event, fold_event, read_facts
from webui.ladder.models import (
    AuditEntry,
    Bot,
    BotVersion,
    EventBot,
    EventMatch,
    EventRow,
    EventSecret,
    FactRow,
    Ladder,
    Match,
    MatchState,
    Participant,
    Standing,
    User,
)
from webui.ladder.values import BadRequest, EventRefusal, Forbidden, HiddenResult, TooMany

pytestmark = pytest.mark.django_db

TERMS = {"name": "Autumn Cup", "format": {"kind": "gauntlet"}, "game": {"players": 2}}


class Organised:
    """An event with bots of its own, all of them online."""

    def __init__(self, kit: Kit, bots: int, **terms: Any) -> None:
        self.kit = kit
        self.organiser = actions.create_user("orga", None, role="admin" if terms.get("rated") else "player")
        self.slug = actions.create_event(self.organiser, {**TERMS, **terms})
        self.versions = kit.versions(bots)
        self.online = [Online(version, player_counts=(2, 3, 4, 5)) for version in self.versions]
        actions.ask_event(self.slug, self.organiser, "publish")
        self.advance()
        self.bots = [BotVersion.objects.get(pk=version).bot for version in self.versions]
        for bot in self.bots:
            actions.enter_event(self.slug, bot.slug, bot.owner_id)

    @property
    def event(self) -> Event:
        row = find_event(self.slug)
        return fold_event(row)

    def start(self) -> None:
        actions.freeze_now(self.slug, self.organiser)
        self.advance()

    def advance(self, capacity: int = 50) -> list[str]:
        return actions.advance_events(self.online, capacity)

    def scheduled(self) -> list[str]:
        waiting = Match.objects.filter(state=MatchState.SCHEDULED).order_by("created_at", "pk")
        return list(waiting.values_list("pk", flat=True))

    def play(self) -> None:
        """Play every match that is scheduled."""
        for match in self.scheduled():
            claim = self.kit.claim(match)
            played = play_out(claim)
            actions.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
            actions.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)

    def to_the_end(self, most: int = 50) -> None:
        for _ in range(most):
            if self.event.state is EventState.FINISHED:
                return
            self.play()
            self.advance()
        raise AssertionError("the event does not end")


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


def test_offers_that_are_declined_are_repeated_and_then_count_as_absence(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    for _ in range(event_matches.MOST_TRIES):
        (match,) = cup.scheduled()
        claim = kit.claim(match)
        actions.abort_match(match, claim.epoch, "declined", declined=[2])
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
    assert actions.void_match(match, "the arena's fault", again=True)
    (again,) = cup.scheduled()
    assert [line.match_id for line in EventMatch.objects.order_by("tries")] == [match, again]
    cup.to_the_end()
    assert list(cup.event.matches.values()) == [again]


def test_the_ladder_leaves_a_place_to_an_event_that_waits_for_one(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.online = [Online(version, capacity=1, player_counts=(2,)) for version in cup.versions]
    (ladder,) = actions.matchmake(cup.online, 1)
    cup.start()
    assert EventMatch.objects.count() == 0
    claim = kit.claim(ladder)
    actions.abort_match(ladder, claim.epoch, "for this test")
    assert actions.matchmake(cup.online, 1) == []
    cup.advance()
    assert EventMatch.objects.count() == 1


def test_rights(kit: Kit) -> None:
    cup = Organised(kit, 2)
    stranger = actions.create_user("stranger", None)
    with pytest.raises(Forbidden):
        actions.decide(cup.slug, stranger, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(Forbidden):
        actions.enter_event(cup.slug, cup.bots[0].slug, stranger)
    with pytest.raises(Forbidden):
        actions.leave_event(cup.slug, cup.bots[0].slug, stranger)
    actions.share_event(cup.slug, cup.organiser, "stranger")
    actions.decide(cup.slug, stranger, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(Forbidden):
        actions.hand_over_event(cup.slug, stranger, "stranger")
    actions.hand_over_event(cup.slug, cup.organiser, "stranger")
    with pytest.raises(Forbidden):
        actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})


def test_handing_events_over_makes_room_for_none_and_fills_nobodys(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(organisers, "MAX_EVENTS", 2)
    one, other = (actions.create_user(name, None) for name in ("one", "other"))
    slugs = [actions.create_event(one, TERMS) for _ in range(2)]
    with pytest.raises(BadRequest, match="share it first"):
        actions.hand_over_event(slugs[0], one, "other")
    for slug in slugs:
        actions.share_event(slug, one, "other")
    actions.share_event(slugs[1], other, "other", with_user=False)
    assert queries.event_page(slugs[1], one).helpers == [], "a co-organiser can leave"
    actions.hand_over_event(slugs[0], one, "other")
    with pytest.raises(BadRequest, match="2 events"):
        actions.create_event(one, TERMS)
    for _ in range(2):
        actions.create_event(other, TERMS)
    actions.share_event(slugs[1], one, "other")
    with pytest.raises(BadRequest, match="2 events"):
        actions.hand_over_event(slugs[1], one, "other")


def test_what_organisers_decide_and_whom_they_share_with_has_limits(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 1)
    actions.create_user("helper", None)
    for is_in in (True, True, False, False, True, False):
        actions.share_event(cup.slug, cup.organiser, "helper", with_user=is_in)
    assert AuditEntry.objects.filter(actor=cup.organiser, act__contains="SHARED").count() == 4
    with pytest.raises(TooMany):
        actions.share_event(cup.slug, cup.organiser, "helper")
    change = {"terms": cup.event.terms.document()}
    for limit, refusal in (("MOST_A_MINUTE", TooMany), ("MOST_DECISIONS", EventRefusal)):
        with monkeypatch.context() as patched:
            patched.setattr(organisers, limit, 1)
            if limit == "MOST_A_MINUTE":
                actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
            with pytest.raises(refusal):
                actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
            actions.leave_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
            actions.enter_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
    monkeypatch.setattr(organisers, "MAX_FACTS", 2 * len(str(change)))
    actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
    with pytest.raises(EventRefusal):
        actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)


@pytest.mark.parametrize(
    ("entry", "lacks"),
    [
        ({"by_invitation": True}, "invitation"),
        ({"least_games": 1}, "rated games"),
        ({"least_rating": 0}, "rating"),
    ],
)
def test_who_may_not_enter_is_told_why(kit: Kit, entry: dict[str, Any], lacks: str) -> None:
    cup = Organised(kit, 0, entry=entry)
    bot = Bot.objects.get(versions=kit.version())
    with pytest.raises(BadRequest, match=lacks):
        actions.enter_event(cup.slug, bot.slug, bot.owner_id)


def test_a_published_rating_lets_a_bot_in_and_orders_the_entrants(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"least_rating": 1500})
    table = kit.versions(cup.event.terms.ruleset.players)
    kit.finish(table)
    kit.finish(table)
    bots = [Bot.objects.get(versions=version) for version in table]
    with pytest.raises(BadRequest, match="rating of –"):
        actions.enter_event(cup.slug, bots[0].slug, bots[0].owner_id)
    fit_due()
    best, last = (row.version.bot for row in queries.ladder(queries.ladders()[0].ladder.slug).rows)
    assert actions.enter_event(cup.slug, best.slug, best.owner_id) == 1
    with pytest.raises(BadRequest, match="wants 1500 at least"):
        actions.enter_event(cup.slug, last.slug, last.owner_id)


def test_an_owner_enters_as_many_bots_as_the_terms_say_and_each_once(kit: Kit) -> None:
    cup = Organised(kit, 1)
    owner = User.objects.get(bots=cup.bots[0])
    other = Bot.objects.get(versions=kit.version(owner=owner.pk))
    with pytest.raises(BadRequest, match="1 at most"):
        actions.enter_event(cup.slug, other.slug, owner.pk)
    with pytest.raises(BadRequest, match="has entered"):
        actions.enter_event(cup.slug, cup.bots[0].slug, owner.pk)
    actions.leave_event(cup.slug, cup.bots[0].slug, owner.pk)
    assert actions.enter_event(cup.slug, other.slug, owner.pk) == 2


@pytest.mark.parametrize(
    "document",
    [
        {},
        {**TERMS, "clock": {"bank_ms": -1}},
        {**TERMS, "clock": {"bank_ms": 10**30}},
        {**TERMS, "policy": {"colour": 1}},
        {**TERMS, "policy": {"strikes": 10**20}},
        {**TERMS, "name": "Cup\u202e"},
        {**TERMS, "course": {"starts_at": "tomorrow"}},
        {**TERMS, "course": {"starts_at": "2026-02-30T00:00:00Z"}},
        {**TERMS, "course": {"starts_at": "0001-01-01T00:00:00+14:00"}},
        {**TERMS, "course": {"next_round_at": "9999-12-31T23:59:59-14:00"}},
    ],
)
def test_terms_that_cannot_be_are_refused_when_they_are_written_down(kit: Kit, document: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        actions.create_event(actions.create_user("orga", None), document)


def test_hidden_results_are_shown_to_organisers_alone_and_rated_when_they_are_revealed(kit: Kit) -> None:
    cup = Organised(kit, 3, hidden=True, rated=True)
    cup.start()
    (first,) = cup.scheduled()
    open_match = kit.finish()
    cup.play()
    cup.advance()
    assert [line.id for line in queries.matches()] == [open_match.match_id]
    assert first not in [seat.match_id for seat in queries.bot_page(cup.bots[0].slug).past]
    assert queries.think_times([cup.versions[0]]) is None
    with pytest.raises(HiddenResult):
        queries.match_page(first)
    assert queries.match_page(first, hidden_too=True).line.seats[0].placement
    seen, known = queries.event_page(cup.slug), queries.event_page(cup.slug, cup.organiser)
    assert (seen.shown, known.shown) == (0, 2) and seen.games == {} and len(known.games) == 2
    assert all(row.games == 0 for row in seen.standings) and known.standings[0].games == 1
    assert FactKind.RESULT not in [fact.kind for fact in seen.facts]
    assert not Standing.objects.filter(version_id__in=cup.versions).exists()
    actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    cup.advance()
    assert queries.match_page(first).line.rated and queries.event_page(cup.slug).shown == 1
    assert Standing.objects.filter(version_id__in=cup.versions).count() == 2
    cup.to_the_end()
    cup.advance()
    cup.advance()
    # In the order in which they were scheduled: the other match finished before round 1 was revealed.
    assert [line.ladder_number for line in reversed(queries.matches())] == [2, 1, 3]
    assert Standing.objects.filter(version_id__in=cup.versions).count() == 3


def test_the_doctor_finds_an_event_that_does_not_follow(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    cup.to_the_end()
    assert list(event_checks.events()) == []
    harms: list[tuple[Callable[[], object], str]] = [
        (lambda: EventRow.objects.update(rounds=5), "its row says"),
        (lambda: EventSecret.objects.update(seed="00" * 32), "has not the seed"),
        (lambda: Participant.objects.filter(seat=1).update(placement=F("placement") % 2 + 1), "which ended"),
    ]
    for harm, says in harms:
        with transaction.atomic():
            harm()
            assert any(says in message for _, message in event_checks.events()), says
            transaction.set_rollback(True)
    row = EventRow.objects.get()
    FactRow.objects.create(event=row, number=row.length, kind="entered", data={})
    EventRow.objects.update(length=row.length + 1)
    assert [message for _, message in event_checks.events() if "do not follow" in message]


def test_facts_cannot_be_changed_even_behind_our_back(kit: Kit) -> None:
    Organised(kit, 1)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        FactRow.objects.update(why="another")


def test_a_match_of_a_hidden_round_stays_hidden_when_it_is_void(kit: Kit) -> None:
    cup = Organised(kit, 2, hidden=True)
    cup.start()
    (match,) = cup.scheduled()
    kit.claim(match)
    assert actions.void_match(match, "the arena's fault", again=True)
    for hidden in (match, *cup.scheduled()):
        with pytest.raises(HiddenResult):
            queries.match_page(hidden)
    assert queries.matches() == []


def test_an_event_that_is_over_waits_for_no_bot(kit: Kit) -> None:
    """Otherwise the ladder would give those bots no matches, for good."""
    cup = Organised(kit, 2)
    cup.online = [Online(version, capacity=1, player_counts=(2,)) for version in cup.versions]
    (ladder,) = actions.matchmake(cup.online, 1)
    cup.start()
    assert EventBot.objects.filter(is_awaited=True).count() == 2
    actions.ask_event(cup.slug, cup.organiser, "cancel")
    cup.advance()
    claim = kit.claim(ladder)
    actions.abort_match(ladder, claim.epoch, "for this test")
    assert len(actions.matchmake(cup.online, 1)) == 1


def test_who_leaves_in_the_middle_of_a_match_has_lost_it(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    actions.leave_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
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
        actions.abort_match(match, kit.claim(match).epoch, "declined", declined=[seat])
        cup.advance()
    assert cup.event.absent == {}
    (match,) = cup.scheduled()
    actions.abort_match(match, kit.claim(match).epoch, "declined", declined=[2])
    cup.advance()
    assert cup.event.absent == {(1, 1): {2}}


def test_no_event_takes_all_places(kit: Kit) -> None:
    cup = Organised(kit, 9, format={"kind": "round_robin"}, entry={"entrants": 9})
    actions.freeze_now(cup.slug, cup.organiser)
    for _ in range(5):
        cup.advance(capacity=4)
    assert len(cup.scheduled()) == 3


def test_nobody_is_entered_against_the_owners_will(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"by_invitation": True, "invited": ["bot-1"]})
    bot, other = (Bot.objects.get(versions=kit.version()) for _ in range(2))
    with pytest.raises(Forbidden, match="invite"):
        actions.enter_event(cup.slug, bot.slug, cup.organiser)
    with pytest.raises(BadRequest, match="invitation"):
        actions.enter_event(cup.slug, other.slug, other.owner_id)
    for _ in range(3):
        actions.enter_event(cup.slug, bot.slug, bot.owner_id)
        actions.leave_event(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(BadRequest, match="3 times"):
        actions.enter_event(cup.slug, bot.slug, bot.owner_id)


def test_who_pairs_bots_decides_about_no_ratings(kit: Kit) -> None:
    user = actions.create_user("orga", None)
    with pytest.raises(Forbidden):
        actions.create_event(user, {**TERMS, "rated": True})
    slug = actions.create_event(user, TERMS)
    with pytest.raises(Forbidden):
        actions.decide(slug, user, FactKind.CHANGED, {"terms": {**TERMS, "rated": True}})


@pytest.mark.parametrize(
    "kind", [FactKind.PUBLISHED, FactKind.ENTERED, FactKind.DRAWN, FactKind.RESULT, FactKind.FINISHED]
)
def test_an_organiser_writes_no_facts_of_the_arena(kit: Kit, kind: FactKind) -> None:
    cup = Organised(kit, 2)
    with pytest.raises(BadRequest, match="not decided by an organiser"):
        actions.decide(cup.slug, cup.organiser, kind, {"seed": "00" * 32})


def test_an_event_that_cannot_start_yet_keeps_what_was_done(kit: Kit) -> None:
    cup = Organised(kit, 1, course={"starts_at": "2020-01-01T00:00:00Z"})
    cup.advance()
    assert cup.event.state is EventState.OPEN
    bot = Bot.objects.get(versions=kit.version())
    actions.enter_event(cup.slug, bot.slug, bot.owner_id)
    cup.advance()
    assert cup.event.state is EventState.RUNNING


def test_games_of_events_count_for_pairing_once_they_are_finished(kit: Kit) -> None:
    """Also where the event is rated, and so of a ladder."""
    cup = Organised(kit, 2, unit="block", rated=True)

    def load() -> Load:
        by_ladder = matchmaking._formats_by_ladder(CLOCK)
        return matchmaking._load(matchmaking._candidates(cup.online, by_ladder, {}), by_ladder)

    nothing = Load(Counter(), {Format(2): 0}, {}, Counter(), Counter(), Counter())
    cup.start()
    first, _second = cup.scheduled()
    assert Ladder.objects.count() == 1 and load() == nothing, "while it is played"
    claim = kit.claim(first)
    actions.abort_match(first, claim.epoch, "seat 1 declined", declined=[1])
    assert load() == nothing, "and declined"
    cup.play()
    found = load()
    assert set(found.games.values()) == {1}, "what was played counts: it told the ladder as much as any other game"
    assert set(found.seated.values()) == {1} and found.made == {Format(2): 1}
    assert (+Counter(found.seats)).total() == len(found.games) and not found.owners and not found.in_flight


def test_a_reason_of_several_lines_can_be_read_again(kit: Kit) -> None:
    cup = Organised(kit, 2)
    actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"}, "line one\r\nline two")
    assert read_facts(find_event(cup.slug).pk, 99)[-1].why == "line one\nline two"
    with pytest.raises(BadRequest, match="characters"):
        actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"}, "\x1b[2J")


def test_who_neither_checks_in_nor_is_online_at_the_start_is_withdrawn(kit: Kit) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    cup = Organised(kit, 4, course={"starts_at": start.isoformat(), "check_in_s": 600})
    first, *others = cup.bots
    with pytest.raises(BadRequest, match="check-in is not open"):
        actions.check_in(cup.slug, first.slug, first.owner_id)
    # Its time has come: the organiser moves the start.
    course = {**cup.event.terms.course.document(), "starts_at": (start - timedelta(minutes=55)).isoformat()}
    actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    with pytest.raises(Forbidden):
        actions.check_in(cup.slug, first.slug, others[0].owner_id)
    actions.check_in(cup.slug, first.slug, first.owner_id)
    with pytest.raises(BadRequest, match="to check in"):
        actions.check_in(cup.slug, first.slug, first.owner_id)
    course["starts_at"] = (start - timedelta(minutes=61)).isoformat()
    actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    online, cup.online = cup.online, []
    cup.advance()
    assert cup.event.state is EventState.OPEN, "nobody is online: it is the arena that is away"
    cup.online = [online[1], online[3]]
    cup.advance()
    assert cup.event.present == {1, 2, 4} and cup.event.state is EventState.RUNNING
    last = [fact for fact in read_facts(find_event(cup.slug).pk, 99) if fact.kind is FactKind.WITHDRAWN]
    assert [(fact.data, fact.by, fact.why) for fact in last] == [({"entrant": 3}, "", NOT_CHECKED_IN)]


def test_an_event_for_which_too_few_check_in_waits_and_withdraws_nobody(kit: Kit) -> None:
    cup = Organised(kit, 3, course={"starts_at": "2026-01-01T00:00:00Z", "check_in_s": 600})
    cup.online = cup.online[:1]
    cup.advance()
    assert cup.event.state is EventState.OPEN and cup.event.present == {1, 2, 3}
    assert EventBot.objects.filter(is_in=True).count() == 3


def test_a_round_that_was_moved_is_not_drawn_before_its_time(kit: Kit) -> None:
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    course = {**cup.event.terms.course.document(), "next_round_at": "2099-01-01T00:00:00Z"}
    actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    cup.advance()
    assert len(cup.event.rounds) == 1 and cup.event.is_between_rounds
    bad = {"course": course | {"next_round_at": "2026-19-31T00:00:00Z"}}
    with pytest.raises(BadRequest, match="no such time"):
        actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, bad)
    actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course | {"next_round_at": ""}})
    cup.to_the_end()


def test_an_organiser_lets_in_late_whose_owner_asks(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "swiss", "rounds": 2}, entry={"entrants": 8})
    bot = Bot.objects.select_related("owner").get(versions=kit.version())
    with pytest.raises(BadRequest, match="lets nobody in late"):
        actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    cup.start()
    with pytest.raises(Forbidden):
        actions.enter_event(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(Forbidden, match="invite"):
        actions.enter_event(cup.slug, bot.slug, cup.organiser)
    actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    assert [ref.slug for ref in queries.asked_late(cup.slug)] == [bot.slug]
    assert [line.kind for line in queries.notices(cup.organiser)] == ["asked"]
    actions.enter_event(cup.slug, bot.slug, cup.organiser)
    assert cup.event.present == {1, 2, 3, 4} and queries.asked_late(cup.slug) == []
    actions.leave_event(cup.slug, bot.slug, bot.owner_id)
    assert queries.asked_late(cup.slug) == []
    with pytest.raises(Forbidden, match="invite"):
        actions.enter_event(cup.slug, bot.slug, cup.organiser)
    actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    actions.ask_no_more(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(Forbidden, match="invite"):
        actions.enter_event(cup.slug, bot.slug, cup.organiser)
