"""Following bots and authors: what happened to them, one email a day that no killed process loses or doubles, and what
visitors look for among matches."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from importlib import import_module
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.db.models import F
from django.test import Client

from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.accounts.models import User
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.following import actions as following_actions
from webui.following import queries as following_queries
from webui.following.models import Follow
from webui.matches import conditions
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.notices import actions as notice_actions
from webui.notices import queries as notice_queries
from webui.notices.emails import send_due_mails
from webui.notices.models import BotNotice, MailChoice
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due
from webui.stories.models import Story

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)
"""In the tests of emails: matches ended the day before."""


def reader(name: str = "reader") -> int:
    user = account_actions.create_user(name, None)
    User.objects.filter(pk=user).update(email=f"{name}@example.org")
    EmailAddress.objects.create(user_id=user, email=f"{name}@example.org", verified=True, primary=True)
    return user


def bot_of(version: int) -> Bot:
    return Bot.objects.select_related("owner").get(versions=version)


def test_one_follows_once_and_so_many(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    user, versions = reader(), kit.versions(3)
    bots = [bot_of(version) for version in versions]
    monkeypatch.setattr("webui.following.actions.MOST_FOLLOWS", 2)
    for _ in range(2):
        following_actions.follow_bot(user, bots[0].slug)
        following_actions.follow_author(user, bots[1].owner.username)
    assert [(line.bot and line.bot.id, line.author) for line in following_queries.follows(user)] == [
        (None, bots[1].owner.username),
        (bots[0].pk, ""),
    ]
    with pytest.raises(TooMany):
        following_actions.follow_bot(user, bots[2].slug)
    with pytest.raises(BadRequest):
        following_actions.follow_bot(bots[0].owner_id, bots[0].slug)
    with pytest.raises(BadRequest):
        following_actions.follow_author(user, "reader")
    with pytest.raises(NotFound):
        following_actions.follow_bot(user, "nobody")
    with pytest.raises(NotFound):
        following_actions.follow_author(user, "nobody")
    for _ in range(2):
        following_actions.unfollow_bot(user, bots[0].slug)
        following_actions.unfollow_author(user, bots[1].owner.username)
    assert following_queries.follows(user) == []


def test_the_news_are_of_those_that_one_follows(kit: Kit) -> None:
    user, (mine, theirs, other) = reader(), kit.versions(3)
    following_actions.follow_bot(user, bot_of(mine).slug)
    assert following_queries.news(user).matches == []
    first = kit.finish([mine, other]).match_id
    kit.finish([theirs, other])
    running = kit.claim(kit.match([mine, other])).match_id
    kit.begin_all()
    assert [line.id for line in following_queries.news(user).matches] == [first], "with a result"
    assert running in {line.id for line in match_queries.matches(bot=bot_of(mine).slug)}
    following_actions.follow_author(user, bot_of(theirs).owner.username)
    assert len(following_queries.news(user).matches) == 2
    new = bot_actions.register_version(bot_of(theirs).pk, "2")
    made = [line.version.id for line in following_queries.news(user).versions]
    assert made[0] == new and set(made) == {new, mine, theirs}


def test_an_event_that_is_over_is_news_with_the_places(kit: Kit) -> None:
    cup = Organised(kit, 3)
    user = reader()
    following_actions.follow_bot(user, cup.bots[1].slug)
    cup.start()
    assert following_queries.news(user).events == []
    cup.to_the_end()
    (over,) = following_queries.news(user).events
    places = {line.entrant: line.place for line in cup.event.standings(cup.event.seed)}
    assert (over.slug, over.entrants) == (cup.slug, 3)
    assert [(bot.id, place) for bot, place in over.places] == [(cup.bots[1].pk, places[2])]


def test_hidden_results_are_no_news(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    user = reader()
    for bot in cup.bots:
        following_actions.follow_bot(user, bot.slug)
    cup.start()
    cup.play()
    assert Match.objects.filter(state="FINISHED").exists() and following_queries.news(user).matches == []


def yesterday(*matches: str) -> None:
    Match.objects.filter(pk__in=matches).update(finished_at=NOON - timedelta(days=1))


def subscribed(kit: Kit) -> tuple[int, str]:
    """A reader who wants the email, since two days before, and a match of the day before of a bot that he follows."""
    user, versions = reader(), kit.versions(2)
    following_actions.follow_bot(user, bot_of(versions[0]).slug)
    BotVersion.objects.filter(pk__in=versions).update(created_at=NOON - timedelta(days=30))
    match = kit.finish(versions).match_id
    yesterday(match)
    following_actions.choose_digest(user, is_wanted=True, language="en")
    MailChoice.objects.update(digested_on=(NOON - timedelta(days=2)).date())
    return user, match


def test_one_email_a_day_about_the_day_before(kit: Kit) -> None:
    user, match = subscribed(kit)
    assert [following_actions.note_digests(NOON) for _ in range(3)] == [1, 0, 0]
    assert (
        BotNotice.objects.count() == 1
        and notice_queries.unread_notices(user) == 0
        and notice_queries.notices(user) == []
    )
    assert send_due_mails() == 1 and send_due_mails() == 0
    (sent,) = mail.outbox
    assert sent.to == ["reader@example.org"] and sent.subject == "Naqala Arena: 1 match"
    assert f"/matches/{match}/" in sent.body and "1 May 2026" in sent.body
    assert following_actions.note_digests(NOON + timedelta(days=1)) == 0, "nothing happened on that day"
    assert MailChoice.objects.get().digested_on == NOON.date()


def test_a_killed_sender_loses_and_doubles_no_email(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    subscribed(kit)

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(BotNotice.objects, "bulk_create", killed)
        with pytest.raises(KeyboardInterrupt):
            following_actions.note_digests(NOON)
    assert following_actions.note_digests(NOON) == 1, "the day was not noted without its email"
    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", killed)
        with pytest.raises(KeyboardInterrupt):
            send_due_mails()
    assert send_due_mails() == 0, "somebody has it"
    BotNotice.objects.update(tried_at=F("tried_at") - timedelta(seconds=301))
    assert send_due_mails() == 1 and len(mail.outbox) == 1


def test_an_account_whose_news_fail_keeps_nobody_back(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    user, match = subscribed(kit)
    other = reader("other")
    following_actions.follow_bot(other, bot_of(Participant.objects.get(match=match, seat=1).version_id).slug)
    following_actions.choose_digest(other, is_wanted=True)
    MailChoice.objects.filter(user_id=other).update(digested_on=(NOON - timedelta(days=2)).date())

    def news(user_id: int, **asked: Any) -> Any:
        assert user_id != user, "our fault"
        return following_queries.news(user_id, **asked)

    with monkeypatch.context() as patched:
        patched.setattr("webui.following.actions.news", news)
        assert following_actions.note_digests(NOON) == 1
    assert BotNotice.objects.get().user_id == other
    assert following_actions.note_digests(NOON) == 1, "it is tried again"


def test_nobody_gets_an_email_who_did_not_ask_for_it(kit: Kit) -> None:
    user, _ = subscribed(kit)
    following_actions.choose_digest(user, is_wanted=False)
    assert following_actions.note_digests(NOON) == 0
    following_actions.choose_digest(user, is_wanted=True)
    MailChoice.objects.update(digested_on=None)
    assert following_actions.note_digests(NOON) == 1
    following_actions.choose_digest(user, is_wanted=False)
    assert send_due_mails() == 0 and mail.outbox == [], "not even when it was made before"


def test_emails_about_events_and_of_the_day_are_chosen_apart(kit: Kit) -> None:
    user, _ = subscribed(kit)
    notice_actions.choose_mail(user, is_wanted=False, language="en")
    assert following_queries.digest_choice(user).is_wanted and not notice_queries.wants_mail(user)
    assert following_actions.note_digests(NOON) == 1 and send_due_mails() == 1


class ClockAtNoon(datetime):
    """The time of one given noon, whenever the test runs."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> ClockAtNoon:
        return cls.fromtimestamp(NOON.timestamp(), tz)


def test_the_first_email_tells_of_the_day_on_which_it_was_asked_for(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following_actions, "datetime", ClockAtNoon)
    user, match = subscribed(kit)
    following_actions.choose_digest(user, is_wanted=False)
    following_actions.choose_digest(user, is_wanted=True)
    assert MailChoice.objects.get().digested_on == NOON.date() - timedelta(days=1)
    following_actions.choose_digest(user, is_wanted=True)
    Match.objects.filter(pk=match).update(finished_at=NOON)
    assert following_actions.note_digests() == 0 and following_actions.note_digests(NOON + timedelta(days=1)) == 1


def test_an_export_names_them_and_an_erased_account_neither_follows_nor_is_followed(kit: Kit) -> None:
    user, _ = subscribed(kit)
    bot = following_queries.follows(user)[0].bot
    assert bot is not None
    data: dict[str, Any] = personal_data.personal_data(user)
    assert [(one["bot"], one["author"]) for one in data["following"]] == [(bot.name, None)]
    assert data["account"]["wants_digest"] is True
    other = reader("other")
    following_actions.follow_bot(other, bot.slug)
    following_actions.follow_author(other, bot.owner)
    erasure.erase_account(user)
    assert [line.user_id for line in Follow.objects.all()] == [other] * 2
    erasure.erase_account(bot.owner_id)
    assert not Follow.objects.exists()


def test_matches_by_the_ratings_of_their_seats(kit: Kit) -> None:
    versions = kit.versions(3)
    unrated = kit.finish(versions[:2]).match_id
    fit_due()
    published = rating_queries.published_ratings("2-players-60-s-1-s", versions)
    match = kit.finish(versions[:2]).match_id
    line = match_queries.matches_by_id([match])[0]
    for seat in line.seats:
        rated = published[seat.version.id]
        assert seat.rating is not None
        assert (seat.rating.points, seat.rating.low, seat.rating.high) == (rated.points, rated.low, rated.high)
    with_new = kit.finish(versions[1:]).match_id
    points = {(match, 1): 1450, (match, 2): 1600, (with_new, 1): 1600, (with_new, 2): None}
    for (match_id, seat), value in points.items():
        Participant.objects.filter(match=match_id, seat=seat).update(rating=value)

    def found(**sought: Any) -> set[str]:
        return {one.id for one in match_queries.matches(filters=conditions.MatchFilters(**sought))}

    assert found() == {unrated, match, with_new}
    assert found(weakest=1450) == {match} and found(weakest=1451) == set()
    assert found(strongest=1600) == {match, with_new} and found(strongest=1601) == set()
    assert found(weakest=1400, strongest=1500) == {match}
    bot = bot_of(versions[0]).slug
    assert [one.id for one in match_queries.matches(bot=bot, filters=conditions.MatchFilters(strongest=1500))] == [
        match
    ]
    Story.objects.create(
        match_id=match, version=1, day=NOON.date(), excitement=0.6, lead_changes=2, margin=3, winners=[1],
        decided_by="NOTHING", packed=b"",
    )  # fmt: skip
    assert found(excitement=0.5) == {match} and found(excitement=0.7) == set()
    assert [
        one.id for one in match_queries.matches(states=["FINISHED"], filters=conditions.MatchFilters(excitement=0.5))
    ] == [match]


def test_matches_with_and_without_hosted_bots(kit: Kit) -> None:
    hosted, first, second = kit.hosted_version(), *kit.versions(2)
    with_hosted, without = kit.finish([hosted, first]).match_id, kit.finish([first, second]).match_id

    def found(is_hosted: bool | None, **sought: Any) -> set[str]:
        filters = conditions.MatchFilters(is_hosted=is_hosted)
        return {line.id for line in match_queries.matches(filters=filters, **sought)}

    assert found(True) == {with_hosted} and found(False) == {without} and found(None) == {with_hosted, without}
    bot = bot_of(first).slug
    assert found(True, bot=bot) == {with_hosted} and found(False, bot=bot) == {without}


def test_what_is_sought_is_looked_for_among_the_newest(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = kit.versions(2)
    matches = [kit.finish(versions).match_id for _ in range(3)]
    now = datetime.now(UTC)
    for age, match in enumerate(reversed(matches)):
        Match.objects.filter(pk=match).update(created_at=now - timedelta(hours=age))
    Participant.objects.update(rating=1500)
    monkeypatch.setattr(import_module("webui.matches.queries"), "LOOKED_AT", 2)
    found = match_queries.matches(filters=conditions.MatchFilters(weakest=1500))
    assert [line.id for line in found][:1] == [matches[2]] and matches[0] not in {line.id for line in found}


def test_parts_of_a_sitemap_are_ranges_of_an_index(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.site.views.sitemaps.ROWS", 2)
    versions = kit.versions(2)
    matches = [kit.finish(versions).match_id for _ in range(3)]
    kit.finish(versions, rated=False)

    def paths(address: str) -> list[str]:
        return re.findall("<loc>http://testserver(.*?)</loc>", Client().get(address).content.decode())

    parts, ladder = paths("/sitemap.xml"), "/sitemap-2-players-60-s-1-s"
    assert [part for part in parts if part.startswith(ladder)] == [f"{ladder}-1.xml", f"{ladder}-2.xml"]
    assert [paths(f"{ladder}-{number}.xml") for number in (1, 2)] == [
        [f"/matches/{match}/" for match in matches[:2]], [f"/matches/{matches[2]}/"],
    ]  # fmt: skip
    assert {Client().get(f"{ladder}-{number}.xml").status_code for number in (0, 3)} == {404}
    bots = [path for part in parts if part.startswith("/sitemap-bots") for path in paths(part)]
    assert bots == [f"/bots/{slug}/" for slug in Bot.objects.order_by("pk").values_list("slug", flat=True)]
