"""Versions that forfeit one rated match after the other by their own faults: taken off, told, put back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.kit.ladder import CLOCK, Kit
from tests.ladder.online import Online
from tests.ladder.test_ending import accepted, record_of
from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.accounts.values import Actor
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots.models import BotVersion
from webui.core.dbtime import before_now
from webui.core.errors import NotFound, TooMany
from webui.events.models import EventBot, EventRow
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchState, Participant
from webui.notices import queries as notice_queries
from webui.notices.emails import details, path, sentence
from webui.notices.models import BotNotice
from webui.pairing import examinations, exclusions, matchmaking
from webui.pairing.examinations import AT_ONCE
from webui.pairing.models import Exclusion
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db


class Table:
    """Two versions that play rated matches, of which the first gives all the late answers that there are."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.versions = kit.versions(2)
        self.bot = BotVersion.objects.select_related("bot").get(pk=self.versions[0]).bot
        self.house = [kit.version(is_house=True) for _ in range(2)]

    def play(self, *, late: bool, rated: bool = True, match_id: str | None = None) -> str:
        """A match to its end, a new one if none is named; its id."""
        match_id = match_id or self.kit.match(self.versions, rated=rated)
        claim, match = accepted(self.kit.claim(match_id))
        while not match.referee.is_over:
            if late and match.ask.seat == 1:
                match.be_late()
            else:
                match.answer(next(iter(match.ask.legal)).text)
        document = record_of(claim, match)
        ending.finish_match(claim.match_id, claim.epoch, document["verdict"], document)
        return claim.match_id

    def examined(self, **more: Any) -> list[str]:
        """The examinations that begin now."""
        online = [Online(version, **more) for version in (*self.versions, *self.house)]
        return examinations.begin_examinations(online, clock=CLOCK).matches

    def exclusion(self, version: int) -> Exclusion:
        """One for which an examination was asked."""
        return Exclusion.objects.create(version_id=version, matches=["one"], asked_at=Now())

    def is_paired(self) -> bool:
        """Whether the matchmaker finds an opponent for it."""
        with transaction.atomic():
            scheduled = matchmaking.matchmake([Online(version) for version in self.versions], 1)
            transaction.set_rollback(True)
        return bool(scheduled)


def bot_of(version: int) -> int:
    return BotVersion.objects.get(pk=version).bot_id


def seated(match: str) -> list[int]:
    return [seat.version.id for seat in match_queries.match_page(match, hidden_too=True).line.seats]


def test_three_forfeits_in_a_row_take_a_version_off_until_its_owner_puts_it_back(kit: Kit) -> None:
    table = Table(kit)
    owner = table.bot.owner_id
    for late in (True, True, False, True, True):
        table.play(late=late)
    table.play(late=True, rated=False)
    assert not Exclusion.objects.exists() and table.is_paired(), "not in a row, or not rated"
    last = table.play(late=True)
    (own,) = bot_queries.own_bots(owner)
    (line,) = own.exclusions
    assert (line.version, len(line.matches), line.matches[0]) == ("1", 3, last)
    assert not table.is_paired()
    (told,) = notice_queries.notices(owner)
    assert sentence(told).startswith(f"{table.bot.name}: version 1 plays no rated matches any more")
    assert (details(told), path(told)) == ("late answer", f"/account/bots/{table.bot.slug}/matches/{last}/")
    table.play(late=True)  # had begun before
    assert Exclusion.objects.count() == BotNotice.objects.count() == 1

    other = account_actions.create_user("other", None)
    with pytest.raises(NotFound):
        exclusions.put_back(line.id, other, by=Actor(other))
    for _ in range(2):
        exclusions.put_back(line.id, owner, by=Actor(owner))
    assert not table.is_paired(), "not before its examination"
    table.play(late=False, match_id=table.examined()[0])
    assert table.is_paired() and [
        entry.subject for entry in account_queries.audit(owner) if entry.act == "BOT_RESUMED"
    ] == [f"{table.bot.name} 1"]
    for number in (1, 2, 3):
        table.play(late=True)
        assert Exclusion.objects.filter(ended_at=None).exists() is (number == 3), "those before do not count again"


@pytest.mark.slow
def test_an_examination_is_one_unrated_match_without_a_fault(kit: Kit) -> None:
    table = Table(kit)
    version, other = table.versions
    for _ in range(3):
        table.play(late=True)
    exclusion, owner = Exclusion.objects.get(), table.bot.owner_id
    client, where = Client(), f"/bots/{table.bot.slug}/"
    client.force_login(table.bot.owner)
    assert table.examined() == [], "nobody has asked for it"
    assert "It is repaired: examine it" in client.get(where).content.decode()
    exclusions.put_back(exclusion.pk, owner, by=Actor(owner))
    assert "Its examination begins as soon as it is online" in client.get(where).content.decode()
    house, next_one = table.house
    assert examinations.begin_examinations([Online(version), Online(other)]).matches == [], (
        "others have not agreed to it"
    )
    assert examinations.begin_examinations([Online(version, capacity=0), Online(house)]).matches == [], (
        "it has no place"
    )
    (first,) = table.examined()
    line = match_queries.match_page(first).line
    assert seated(first) == [version, house] and not line.rated
    assert table.examined() == [] and first in client.get(where).content.decode(), "it runs"
    claim = kit.claim(first)
    ending.abort_match(first, claim.epoch, "NO_PLACE")
    (second,) = table.examined(player_counts=(2, 3))
    assert seated(second) == [version, next_one], "in turns"
    table.play(late=True, match_id=second)
    exclusion.refresh_from_db()
    assert (exclusion.ended_at, exclusion.asked_at, exclusion.examination_id) == (None, None, second)
    assert table.examined() == [] and f"/matches/{second}/" in client.get(where).content.decode(), "the log of it"
    exclusions.put_back(exclusion.pk, owner, by=Actor(owner))
    (third,) = table.examined()
    table.play(late=False, match_id=third)
    assert Exclusion.objects.get().ended_at is not None and table.is_paired()
    assert "plays no rated matches" not in client.get(where).content.decode()


def test_an_examination_takes_nobody_from_an_event_and_not_every_place(kit: Kit) -> None:
    table = Table(kit)
    version, other = table.versions
    house, next_one = table.house
    event = EventRow.objects.create(slug="cup", owner_id=table.bot.owner_id, name="Cup", state="running", players=2)
    entry = EventBot.objects.create(event=event, bot_id=bot_of(house), number=1, is_awaited=True)
    row = table.exclusion(version)
    (match,) = table.examined()
    assert seated(match) == [version, next_one]
    assert ending.void_match(match, "the arena's fault", again=True)
    row.refresh_from_db()
    assert row.examination == Match.objects.get(replaces=match) and table.examined() == [], "played again, once"
    EventBot.objects.filter(pk=entry.pk).update(bot_id=bot_of(other))
    rows = [table.exclusion(one) for one in (other, *kit.versions(AT_ONCE))]
    online = [Online(one.version_id) for one in rows] + [Online(house, capacity=9)]
    assert len(examinations.begin_examinations(online).matches) == AT_ONCE - 1
    assert not Participant.objects.filter(version=other).exists(), "an event waits for it"


def test_nobody_is_kept_from_an_examination_by_an_owner_of_many_versions(kit: Kit) -> None:
    table = Table(kit)
    many = [kit.version(owner=table.bot.owner_id) for _ in range(2 * AT_ONCE)]
    newcomer = kit.version()
    for version in (*many, newcomer):
        table.exclusion(version)
    Exclusion.objects.exclude(version=newcomer).update(asked_at=before_now(59))  # long before the other
    busy = [Online(house, capacity=0) for house in table.house]

    def looks(versions: list[int]) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert examinations.begin_examinations([*map(Online, versions), *busy]).matches == []
        return len(seen)

    assert looks(many) <= looks(many[:1]) + 3, "the house is looked at once, however many wait"
    online = [*map(Online, (*many, newcomer)), Online(table.house[0], capacity=9)]
    first = [seated(match)[0] for match in examinations.begin_examinations(online).matches]
    assert (len(first), first[1]) == (AT_ONCE, newcomer)
    # They end and are asked for again: whose turn it is does not depend on who asks most.
    Match.objects.update(state=MatchState.ABORTED, finished_at=Now(), lease_expires_at=None)
    another = kit.version()
    table.exclusion(another)
    assert seated(examinations.begin_examinations([Online(another), *online]).matches[0])[0] == another


def test_many_owners_do_not_keep_one_from_its_examination(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner who has had one in the last hour waits behind any number of accounts that have had none."""
    monkeypatch.setattr(examinations, "is_turn_of_earliest", cycle([False, False, False, True]).__next__)
    table = Table(kit)
    online = [Online(table.house[0], capacity=99), *map(Online, table.versions)]
    table.exclusion(table.versions[0])
    (match,) = examinations.begin_examinations(online).matches
    Match.objects.filter(pk=match).update(state=MatchState.ABORTED, finished_at=Now(), lease_expires_at=None)
    crowd = [kit.version() for _ in range(12)]
    for version in crowd:
        table.exclusion(version)
    Exclusion.objects.exclude(version=table.versions[0]).update(asked_at=Now())
    turns: list[int] = []
    online += map(Online, crowd)
    while table.versions[0] not in turns:
        begun = examinations.begin_examinations(online).matches
        turns += [seated(match)[0] for match in begun]
        Match.objects.filter(pk__in=begun).update(state=MatchState.FINISHED, finished_at=Now(), lease_expires_at=None)
        Exclusion.objects.filter(version__in=turns).update(ended_at=Now(), asked_at=None)
    assert len(turns) <= 4


def test_an_examination_that_a_former_worker_finished_counts(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(kit)
    row = table.exclusion(table.versions[0])
    (match,) = table.examined()
    with monkeypatch.context() as former:
        former.setattr("webui.pairing.exclusions.end_examination", lambda match: None)
        table.play(late=False, match_id=match)
    assert table.examined() == []
    row.refresh_from_db()
    assert row.ended_at is not None


def test_a_new_version_is_examined_before_its_first_rated_match(kit: Kit) -> None:
    table = Table(kit)
    other = table.versions[1]
    new = bot_actions.register_version(table.bot.pk, "2")
    assert bot_actions.register_version(table.bot.pk, "2") == new and Exclusion.objects.get().version_id == new
    online = [Online(new), Online(other), Online(table.house[0])]
    assert new not in {one for match in matchmaking.matchmake(online, 2) for one in seated(match)}
    (match,) = examinations.begin_examinations(online, clock=CLOCK).matches
    assert seated(match) == [new, table.house[0]] and not match_queries.match_page(match).line.rated
    assert examinations.begin_examinations(online, clock=CLOCK).matches == []
    client = Client()
    client.force_login(table.bot.owner)
    where = f"/bots/{table.bot.slug}/"
    assert "Version 2 plays no rated matches yet." in client.get(where).content.decode()
    table.play(late=False, match_id=match)
    page = Client().get(where).content.decode()
    assert f'<a class="chip" href="/matches/{match}/"' in page and page.count(">examined<") == 1
    assert new in {one for match in matchmaking.matchmake(online, 20) for one in seated(match)}

    bot_actions.release_version(table.bot.pk, "3", "A note")
    assert not Exclusion.objects.filter(ended_at=None).exists(), "it has not begun"
    for _ in range(2):
        newer = bot_actions.register_version(table.bot.pk, "3")
    assert Exclusion.objects.get(ended_at=None).version_id == newer
    house = BotVersion.objects.get(pk=table.house[0]).bot
    bot_actions.register_version(house.pk, "2")
    bot_actions.set_bot_state(house.pk, "PAUSED")
    bot_actions.register_version(house.pk, "3")
    bot_actions.set_bot_state(bot_of(table.house[1]), "PAUSED")
    bot_actions.register_version(bot_of(other), "2")
    assert Exclusion.objects.get(ended_at=None).version_id == newer, "none of the house, and not without a house"


def test_a_new_version_that_makes_a_fault_is_examined_again_when_it_says_hello_again(kit: Kit) -> None:
    table = Table(kit)
    owner = table.bot.owner_id
    new = bot_actions.register_version(table.bot.pk, "2")

    def examined(connected_at_ns: int = 0) -> list[str]:
        online = [Online(new, connected_at_ns=connected_at_ns), Online(table.house[0])]
        return examinations.begin_examinations(online, clock=CLOCK).matches

    (match,) = examined()
    table.play(late=True, match_id=match)
    (told,) = notice_queries.notices(owner)
    assert sentence(told).startswith(f"{table.bot.name}: version 2 made a fault in its examination")
    assert (details(told), path(told)) == ("late answer", f"/account/bots/{table.bot.slug}/matches/{match}/")
    ended = Match.objects.get(pk=match).finished_at
    assert ended is not None
    after = int((ended + timedelta(seconds=1)).timestamp()) * 10**9
    assert examined() == examined(after) == [], "not at once"
    Match.objects.filter(pk=match).update(finished_at=ended - timedelta(seconds=61))
    before = after - 70 * 10**9
    assert examined(before) == [], "the same process"
    (again,) = examined(after)
    table.play(late=True, match_id=again)
    assert [*BotNotice.objects.order_by("pk").values_list("mail", flat=True)] == ["due", ""], "one email a day"
    Match.objects.filter(pk=again).update(finished_at=ended - timedelta(seconds=61))
    (third,) = examined(after)
    table.play(late=False, match_id=third)
    assert Exclusion.objects.get().ended_at is not None


def test_a_new_version_plays_where_nobody_can_examine_it(kit: Kit) -> None:
    table = Table(kit)
    new = bot_actions.register_version(table.bot.pk, "2")
    row = Exclusion.objects.get()
    house = Online(table.house[0], player_counts=(2,))

    def goes_without(*sessions: Online) -> bool:
        assert examinations.begin_examinations(sessions, clock=CLOCK).matches == []
        return not Exclusion.objects.filter(ended_at=None).exists()

    assert not goes_without(Online(new)), "somebody may come"
    Exclusion.objects.update(asked_at=before_now(61))
    assert not goes_without(Online(new), Online(table.house[0], capacity=0)), "somebody is there, and busy"
    assert not goes_without(house), "it is not there itself"
    for alone in (
        [Online(new)],
        [Online(new, player_counts=(3,)), house],
        [Online(new), replace(house, leaving=True)],
        [Online(new), Online(table.versions[1])],
    ):
        assert goes_without(*alone)
        Exclusion.objects.update(ended_at=None, asked_at=before_now(61))
    (match,) = examinations.begin_examinations([Online(new), house], clock=CLOCK).matches
    ending.abort_match(match, kit.claim(match).epoch, "NO_PLACE")
    assert goes_without(Online(new))
    assert profile_queries.bot_page(table.bot.slug).versions[0].examination is None, "that match was not played"
    Exclusion.objects.filter(pk=row.pk).update(ended_at=None, asked_at=before_now(61), matches=["one"])
    assert not goes_without(Online(new)), "it was taken off"


def test_a_version_is_examined_a_few_times_a_day(kit: Kit) -> None:
    table = Table(kit)
    owner, client = table.bot.owner_id, Client()
    row = table.exclusion(table.versions[0])
    client.force_login(table.bot.owner)
    for _ in range(exclusions.ASKED_A_DAY):
        Exclusion.objects.update(asked_at=None)
        exclusions.put_back(row.pk, owner, by=Actor(owner))
    Exclusion.objects.update(asked_at=None)
    with pytest.raises(TooMany):
        exclusions.put_back(row.pk, owner, by=Actor(owner))
    answer = client.post(f"/account/bots/{table.bot.slug}/exclusions/{row.pk}/", follow=True)
    assert "5 examinations of this version were asked for within a day" in answer.content.decode()
    row.refresh_from_db()
    assert row.asked_at is None


def test_a_lost_connection_counts_neither_way_and_a_bot_of_the_house_never(kit: Kit) -> None:
    table = Table(kit)
    seats = Participant.objects.filter(version=table.versions[0])
    for reason in ("", "GONE", "NO_REVEAL", ""):
        table.play(late=True)
        if reason:
            seats.filter(match=Match.objects.latest("ladder_number")).update(forfeit_reason=reason)
    assert not Exclusion.objects.exists()
    table.play(late=True)
    assert Exclusion.objects.count() == 1
    Exclusion.objects.all().delete()
    table.bot.is_house = True
    table.bot.save()
    table.play(late=True)
    assert not Exclusion.objects.exists()


def test_a_hosted_bot_has_no_network_to_lose(kit: Kit) -> None:
    table = Table(kit)
    BotVersion.objects.filter(pk=table.versions[0]).update(is_hosted=True)
    for _ in range(2):
        match_id = table.play(late=True)
        Participant.objects.filter(match=match_id, version=table.versions[0]).update(forfeit_reason="GONE")
    assert not Exclusion.objects.exists()
    table.play(late=True)
    assert Exclusion.objects.get().version_id == table.versions[0]


def test_matches_that_ran_at_the_same_time_count_once(kit: Kit) -> None:
    table = Table(kit)
    for _ in range(3):
        table.play(late=True)
    Exclusion.objects.all().delete()
    Match.objects.update(started_at=Match.objects.earliest("started_at").started_at)
    table.play(late=True)
    assert not Exclusion.objects.exists(), "two in a row"
    table.play(late=True)
    assert Exclusion.objects.count() == 1
