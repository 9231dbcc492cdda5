"""Events: who may do what, who may enter, and who is there at the start."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.events import EventState, FactKind
from arena.events.facts import BotWithdrawn
from tests.hosting_site.authors import Author
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from webui.accounts import actions as account_actions
from webui.accounts.models import AuditEntry, User
from webui.bots import actions as bot_actions
from webui.bots.models import Bot
from webui.core.errors import BadRequest, Forbidden, TooMany
from webui.events import actions as event_actions
from webui.events import eligibility, organisers
from webui.events import queries as event_queries
from webui.events.advancing import NOT_CHECKED_IN
from webui.events.facts import find_event, read_facts
from webui.events.models import EventBot
from webui.events.values import EventRefusal
from webui.hosting.actions import register_runner
from webui.hosting.queries import runner_of_token
from webui.notices import queries as notice_queries
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due

pytestmark = pytest.mark.django_db


def test_rights(kit: Kit) -> None:
    cup = Organised(kit, 2)
    stranger = account_actions.create_user("stranger", None)
    with pytest.raises(Forbidden):
        event_actions.decide(cup.slug, stranger, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(Forbidden):
        event_actions.enter_event(cup.slug, cup.bots[0].slug, stranger)
    with pytest.raises(Forbidden):
        event_actions.leave_event(cup.slug, cup.bots[0].slug, stranger)
    organisers.share_event(cup.slug, cup.organiser, "stranger")
    event_actions.decide(cup.slug, stranger, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(Forbidden):
        organisers.hand_over_event(cup.slug, stranger, "stranger")
    organisers.hand_over_event(cup.slug, cup.organiser, "stranger")
    with pytest.raises(Forbidden):
        event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})


def test_handing_events_over_makes_room_for_none_and_fills_nobodys(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(organisers, "MAX_EVENTS", 2)
    one, other = (account_actions.create_user(name, None) for name in ("one", "other"))
    slugs = [event_actions.create_event(one, TERMS) for _ in range(2)]
    with pytest.raises(BadRequest, match="share it first"):
        organisers.hand_over_event(slugs[0], one, "other")
    for slug in slugs:
        organisers.share_event(slug, one, "other")
    organisers.share_event(slugs[1], other, "other", with_user=False)
    assert event_queries.event_page(slugs[1], one).helpers == [], "a co-organiser can leave"
    organisers.hand_over_event(slugs[0], one, "other")
    with pytest.raises(BadRequest, match="2 events"):
        event_actions.create_event(one, TERMS)
    for _ in range(2):
        event_actions.create_event(other, TERMS)
    organisers.share_event(slugs[1], one, "other")
    with pytest.raises(BadRequest, match="2 events"):
        organisers.hand_over_event(slugs[1], one, "other")


def test_what_organisers_decide_and_whom_they_share_with_has_limits(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 1)
    account_actions.create_user("helper", None)
    for is_in in (True, True, False, False, True, False):
        organisers.share_event(cup.slug, cup.organiser, "helper", with_user=is_in)
    assert AuditEntry.objects.filter(actor=cup.organiser, act__contains="SHARED").count() == 4
    with pytest.raises(TooMany):
        organisers.share_event(cup.slug, cup.organiser, "helper")
    change = {"terms": cup.event.terms.document()}
    for limit, refusal in (("MOST_A_MINUTE", TooMany), ("MOST_DECISIONS", EventRefusal)):
        with monkeypatch.context() as patched:
            patched.setattr(organisers, limit, 1)
            if limit == "MOST_A_MINUTE":
                event_actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
            with pytest.raises(refusal):
                event_actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
            event_actions.leave_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
            event_actions.enter_event(cup.slug, cup.bots[0].slug, cup.bots[0].owner_id)
    monkeypatch.setattr(organisers, "MAX_FACTS", 2 * len(str(change)))
    event_actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)
    with pytest.raises(EventRefusal):
        event_actions.decide(cup.slug, cup.organiser, FactKind.CHANGED, change)


def test_an_event_of_hosted_bots_takes_the_version_that_runners_play(kit: Kit, tmp_path: Path) -> None:
    cup = Organised(kit, 0, entry={"hosted_bots_only": True})
    runner = runner_of_token(register_runner("runner"))
    assert runner is not None
    for name in ("amina", "basil"):
        author = Author(name, tmp_path)
        bot = Bot.objects.get(pk=author.bot)
        bot_actions.register_version(bot.pk, "at home")
        with pytest.raises(BadRequest, match="hand one in first"):
            event_actions.enter_event(cup.slug, bot.slug, author.user)
        author.host("hosted", runner)
        bot_actions.register_version(bot.pk, "newer, at home")
        event_actions.enter_event(cup.slug, bot.slug, author.user)
    cup.start()
    assert [entrant.version for entrant in cup.event.entrants] == ["hosted", "hosted"]


@pytest.mark.parametrize(
    ("entry", "lacks"),
    [
        ({"by_invitation": True}, "the organiser has invited"),
        ({"least_games": 1}, "rated games"),
        ({"least_rating": 0}, "rating"),
    ],
)
def test_who_may_not_enter_is_told_why(kit: Kit, entry: dict[str, Any], lacks: str) -> None:
    cup = Organised(kit, 0, entry=entry)
    bot = Bot.objects.get(versions=kit.version())
    with pytest.raises(BadRequest, match=lacks):
        event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)


def test_a_published_rating_lets_a_bot_in_and_orders_the_entrants(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"least_rating": 1500})
    table = kit.versions(cup.event.terms.ruleset.players)
    kit.finish(table)
    kit.finish(table)
    bots = [Bot.objects.get(versions=version) for version in table]
    with pytest.raises(BadRequest, match="rating of –"):
        event_actions.enter_event(cup.slug, bots[0].slug, bots[0].owner_id)
    fit_due()
    best, last = (row.version.bot for row in rating_queries.ladder(rating_queries.ladders()[0].ladder.slug).rows)
    assert event_actions.enter_event(cup.slug, best.slug, best.owner_id) == 1
    with pytest.raises(BadRequest, match="requires at least 1500"):
        event_actions.enter_event(cup.slug, last.slug, last.owner_id)


def test_an_owner_enters_as_many_bots_as_the_terms_say_and_each_once(kit: Kit) -> None:
    cup = Organised(kit, 1)
    owner = User.objects.get(bots=cup.bots[0])
    other = Bot.objects.get(versions=kit.version(owner=owner.pk))
    with pytest.raises(BadRequest, match="at most 1"):
        event_actions.enter_event(cup.slug, other.slug, owner.pk)
    with pytest.raises(BadRequest, match="has entered"):
        event_actions.enter_event(cup.slug, cup.bots[0].slug, owner.pk)
    event_actions.leave_event(cup.slug, cup.bots[0].slug, owner.pk)
    assert event_actions.enter_event(cup.slug, other.slug, owner.pk) == 2


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
        event_actions.create_event(account_actions.create_user("orga", None), document)


def test_nobody_is_entered_against_the_owners_will(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"by_invitation": True, "invited": ["bot-1"]})
    bot, other = (Bot.objects.get(versions=kit.version()) for _ in range(2))
    with pytest.raises(Forbidden, match="invite"):
        event_actions.enter_event(cup.slug, bot.slug, cup.organiser)
    with pytest.raises(BadRequest, match="the organiser has invited"):
        event_actions.enter_event(cup.slug, other.slug, other.owner_id)
    for _ in range(3):
        event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)
        event_actions.leave_event(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(BadRequest, match="3 times"):
        event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)


def test_a_bot_that_comes_back_gets_its_old_number(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "swiss", "rounds": 3}, entry={"entrants": 8})
    back = cup.bots[1]
    event_actions.leave_event(cup.slug, back.slug, back.owner_id)
    assert event_actions.enter_event(cup.slug, back.slug, back.owner_id) == 2
    cup.start()
    event_actions.leave_event(cup.slug, back.slug, back.owner_id)
    event_actions.ask_to_enter(cup.slug, back.slug, back.owner_id)
    assert event_actions.enter_event(cup.slug, back.slug, cup.organiser) == 2
    assert cup.event.present == {1, 2, 3} and len(cup.event.entrants) == 3
    entry = EventBot.objects.get(event__slug=cup.slug, number=2)
    assert (entry.bot_id, entry.is_in) == (back.pk, True)
    assert [row.entrant for row in cup.event.standings(None)].count(2) == 1
    event_actions.leave_event(cup.slug, back.slug, back.owner_id)
    event_actions.ask_to_enter(cup.slug, back.slug, back.owner_id)
    with pytest.raises(BadRequest, match="3 times"):
        event_actions.enter_event(cup.slug, back.slug, cup.organiser)


def test_who_pairs_bots_decides_about_no_ratings(kit: Kit) -> None:
    user = account_actions.create_user("orga", None)
    with pytest.raises(Forbidden):
        event_actions.create_event(user, {**TERMS, "rated": True})
    slug = event_actions.create_event(user, TERMS)
    with pytest.raises(Forbidden):
        event_actions.decide(slug, user, FactKind.CHANGED, {"terms": {**TERMS, "rated": True}})


@pytest.mark.parametrize(
    "kind", [FactKind.PUBLISHED, FactKind.ENTERED, FactKind.DRAWN, FactKind.RESULT, FactKind.FINISHED]
)
def test_an_organiser_writes_no_facts_of_the_arena(kit: Kit, kind: FactKind) -> None:
    cup = Organised(kit, 2)
    with pytest.raises(BadRequest, match="not decided by an organiser"):
        event_actions.decide(cup.slug, cup.organiser, kind, {"seed": "00" * 32})


def test_an_event_that_cannot_start_yet_keeps_what_was_done(kit: Kit) -> None:
    cup = Organised(kit, 1, course={"starts_at": "2020-01-01T00:00:00Z"})
    cup.advance()
    assert cup.event.state is EventState.OPEN
    bot = Bot.objects.get(versions=kit.version())
    event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)
    cup.advance()
    assert cup.event.state is EventState.RUNNING


def test_who_neither_checks_in_nor_is_online_at_the_start_is_withdrawn(kit: Kit) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    cup = Organised(kit, 4, course={"starts_at": start.isoformat(), "check_in_s": 600})
    first, *others = cup.bots
    with pytest.raises(BadRequest, match="check-in is not open"):
        event_actions.check_in(cup.slug, first.slug, first.owner_id)
    # Its time has come: the organiser moves the start.
    course = {**cup.event.terms.course.document(), "starts_at": (start - timedelta(minutes=55)).isoformat()}
    event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    with pytest.raises(Forbidden):
        event_actions.check_in(cup.slug, first.slug, others[0].owner_id)
    event_actions.check_in(cup.slug, first.slug, first.owner_id)
    with pytest.raises(BadRequest, match="to check in"):
        event_actions.check_in(cup.slug, first.slug, first.owner_id)
    course["starts_at"] = (start - timedelta(minutes=61)).isoformat()
    event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    online, cup.online = cup.online, []
    cup.advance()
    assert cup.event.state is EventState.OPEN, "nobody is online: it is the arena that is away"
    cup.online = [online[1], online[3]]
    cup.advance()
    assert cup.event.present == {1, 2, 4} and cup.event.state is EventState.RUNNING
    last = [fact for fact in read_facts(find_event(cup.slug).pk, 99) if fact.kind is FactKind.WITHDRAWN]
    assert [(fact.data, fact.by, fact.why) for fact in last] == [(BotWithdrawn(3), "", NOT_CHECKED_IN)]


def test_an_event_for_which_too_few_check_in_waits_and_withdraws_nobody(kit: Kit) -> None:
    cup = Organised(kit, 3, course={"starts_at": "2026-01-01T00:00:00Z", "check_in_s": 600})
    cup.online = cup.online[:1]
    cup.advance()
    assert cup.event.state is EventState.OPEN and cup.event.present == {1, 2, 3}
    assert EventBot.objects.filter(is_in=True).count() == 3


def test_an_organiser_lets_in_late_whose_owner_asks(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "swiss", "rounds": 2}, entry={"entrants": 8})
    bot = Bot.objects.select_related("owner").get(versions=kit.version())
    with pytest.raises(BadRequest, match="accepts no late entries"):
        event_actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    cup.start()
    with pytest.raises(EventRefusal, match="takes no more bots"):
        event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(Forbidden, match="invite"):
        event_actions.enter_event(cup.slug, bot.slug, cup.organiser)
    event_actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    assert [ref.slug for ref in eligibility.asking_bots(cup.slug)] == [bot.slug]
    assert [line.kind for line in notice_queries.notices(cup.organiser)] == ["asked"]
    event_actions.enter_event(cup.slug, bot.slug, cup.organiser)
    assert cup.event.present == {1, 2, 3, 4} and eligibility.asking_bots(cup.slug) == []
    event_actions.leave_event(cup.slug, bot.slug, bot.owner_id)
    assert eligibility.asking_bots(cup.slug) == []
    with pytest.raises(Forbidden, match="invite"):
        event_actions.enter_event(cup.slug, bot.slug, cup.organiser)
    event_actions.ask_to_enter(cup.slug, bot.slug, bot.owner_id)
    event_actions.ask_no_more(cup.slug, bot.slug, bot.owner_id)
    with pytest.raises(Forbidden, match="invite"):
        event_actions.enter_event(cup.slug, bot.slug, cup.organiser)
