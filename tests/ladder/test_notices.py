"""What owners are told of events: once, of nothing hidden, and by emails that no killed process loses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.db.models import F
from django.test import Client
from django.utils.formats import date_format

from arena.events import FactKind
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.accounts.models import User
from webui.core.errors import TooMany
from webui.events import actions as event_actions
from webui.events import advancing, organisers
from webui.events.models import EventBot
from webui.notices import actions as notice_actions
from webui.notices import queries as notice_queries
from webui.notices.emails import WORDS, path, send_due_mails, sentence
from webui.notices.models import BotNotice, BotNoticeKind, MailState, Notice, NoticeKind
from webui.notices.values import NoticeData

pytestmark = pytest.mark.django_db


def kinds(user_id: int) -> list[str]:
    """Of a user's notices, the oldest first."""
    return [line.kind for line in notice_queries.notices(user_id)][::-1]


def test_owners_are_told_what_happens_to_their_bots(kit: Kit) -> None:
    cup = Organised(kit, 3)
    first, second, third = (bot.owner_id for bot in cup.bots)
    event_actions.leave_event(cup.slug, cup.bots[2].slug, third)
    cup.start()
    event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Have fun"})
    cup.to_the_end()
    assert kinds(first) == kinds(second) == ["drawn", "told", "finished"] and kinds(third) == []
    places = {line.entrant: line.place for line in cup.event.standings(cup.event.seed)}
    ended, told, drawn = notice_queries.notices(first)
    assert (ended.data.places, told.data.text, drawn.data.round) == ((places[1],), "Have fun", 1)
    assert sentence(ended) == f"Autumn Cup is over. Your places: {cup.bots[0].name}: {places[1]}."
    assert notice_queries.unread_notices(first) == 3
    notice_actions.read_notices(first)
    assert (notice_queries.unread_notices(first), notice_queries.unread_notices(second)) == (0, 3)


def test_who_is_withdrawn_by_somebody_else_is_told_why(kit: Kit) -> None:
    cup = Organised(kit, 3)
    event_actions.decide(cup.slug, cup.organiser, FactKind.WITHDRAWN, {"entrant": 1}, "it is another bot's copy")
    (line,) = notice_queries.notices(cup.bots[0].owner_id)
    assert (line.kind, line.data.why, list(line.data.bots)) == (
        "withdrawn",
        "it is another bot's copy",
        [cup.bots[0].name],
    )


def test_no_notice_tells_what_is_hidden(kit: Kit) -> None:
    """Who is drawn for the final has won; who did not come has lost."""
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    away = cup.online.pop()
    cup.start()
    cup.play()
    cup.advance()
    EventBot.objects.exclude(away_since=None).update(away_since=datetime.now(UTC) - timedelta(hours=1))
    cup.advance()
    cup.advance()
    assert cup.event.absent and len(cup.event.rounds) == 2 and away
    assert [kinds(bot.owner_id) for bot in cup.bots] == [["drawn"]] * 4
    assert {line.data.round for bot in cup.bots for line in notice_queries.notices(bot.owner_id)} == {1}
    cup.to_the_end()
    assert [kinds(bot.owner_id) for bot in cup.bots] == [["drawn", "finished"]] * 4


def test_owners_are_told_once_that_check_in_is_open_and_again_when_the_start_is_moved(kit: Kit) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=5)
    in_paris = start.astimezone(timezone(timedelta(hours=1)))
    cup = Organised(kit, 2, course={"starts_at": in_paris.isoformat(), "check_in_s": 600})
    event_actions.check_in(cup.slug, cup.bots[1].slug, cup.bots[1].owner_id)
    cup.advance()
    cup.advance()
    owner = cup.bots[0].owner_id
    assert kinds(owner) == ["check_in"] and kinds(cup.bots[1].owner_id) == []
    (line,) = notice_queries.notices(owner)
    assert f"check in by {date_format(start, 'DATETIME_FORMAT')} UTC" in sentence(line)
    course = {**cup.event.terms.course.document(), "starts_at": (start + timedelta(minutes=1)).isoformat()}
    event_actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    cup.advance()
    assert kinds(owner) == ["check_in"] * 2
    assert Notice.objects.filter(user=owner, mail=MailState.DUE).count() == 1, "so often the start can be moved"


def test_who_is_invited_is_told_once_the_event_is_open(kit: Kit) -> None:
    bot = Organised(kit, 1).bots[0]
    organiser = User.objects.get(username="orga").pk
    slug = event_actions.create_event(
        organiser,
        {"name": "Guests", "format": {"kind": "gauntlet"}, "game": {"players": 2}, "entry": {"invited": [bot.slug]}},
    )
    assert kinds(bot.owner_id) == []
    event_actions.ask_event(slug, organiser, "publish")
    advancing.advance_events([], 9)
    assert kinds(bot.owner_id) == ["invited"]


def test_one_organiser_invites_so_often_a_day(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever the events were handed over to."""
    monkeypatch.setattr("webui.notices.noting.MOST_INVITED", 2)
    cup = Organised(kit, 1)
    (bot,) = cup.bots
    spammer = account_actions.create_user("spammer", None)
    for organiser in (spammer, spammer, spammer, cup.organiser):
        slug = event_actions.create_event(organiser, {**TERMS, "entry": {"invited": [bot.slug]}})
        event_actions.ask_event(slug, organiser, "publish")
        advancing.advance_events([], 9)
        if organiser == spammer:
            organisers.share_event(slug, spammer, "orga")
            organisers.hand_over_event(slug, spammer, "orga")
    assert kinds(bot.owner_id) == ["invited"] * 3
    Notice.objects.update(at=F("at") - timedelta(days=2))
    event_actions.decide(slug, cup.organiser, FactKind.CHANGED, {"terms": cup.event.terms.document()})
    assert kinds(bot.owner_id) == ["invited"] * 3, "once an event"


def test_entrants_are_told_so_many_things_a_day(kit: Kit) -> None:
    cup = Organised(kit, 1)
    for _ in range(10):
        event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(TooMany):
        event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})


@pytest.fixture
def told(kit: Kit) -> Organised:
    """An event whose organiser has told the owners of two bots something."""
    cup = Organised(kit, 2)
    for bot, address in zip(cup.bots, ("mira@example.org", ""), strict=True):
        account_actions.set_email(bot.owner_id, address)
    EmailAddress.objects.update(verified=True)
    event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Bring a towel"})
    return cup


def test_an_email_is_sent_once_to_who_has_an_address(told: Organised) -> None:
    assert (send_due_mails(), send_due_mails()) == (1, 0)
    (sent,) = mail.outbox
    assert sent.to == ["mira@example.org"] and "Bring a towel" in sent.body and f"/events/{told.slug}/" in sent.body
    assert "/account/notices/" in sent.body and "\n" not in sent.subject


def test_no_email_goes_to_an_address_that_was_not_confirmed(told: Organised) -> None:
    User.objects.filter(pk=told.bots[0].owner_id).update(email="somebody.else@example.org")
    assert send_due_mails() == 0 and not mail.outbox


def test_who_is_refused_by_the_server_keeps_no_email_from_others(
    told: Organised, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = told.bots[1].owner_id
    account_actions.set_email(other, "omar@example.org")
    EmailAddress.objects.update(verified=True)
    event_actions.decide(told.slug, told.organiser, FactKind.TOLD, {"text": "And a cap"})
    asked: list[list[str]] = []

    def send(self: EmailMessage, **_: Any) -> int:
        asked.append(self.to)
        if self.to == ["mira@example.org"]:
            raise SMTPRecipientsRefused({self.to[0]: (550, b"no")})
        return 1

    monkeypatch.setattr(EmailMessage, "send", send)
    assert send_due_mails() == 2 and len(asked) == 4


def test_emails_are_in_the_language_that_was_chosen_or_not_at_all(told: Organised) -> None:
    owner = told.bots[0].owner_id
    notice_actions.choose_mail(owner, is_wanted=False, language="fr")
    assert send_due_mails() == 0 and not mail.outbox
    notice_actions.choose_mail(owner, is_wanted=True, language="fr")
    event_actions.decide(told.slug, told.organiser, FactKind.TOLD, {"text": "Encore"})
    assert send_due_mails() == 1 and "organisateur" in mail.outbox[0].subject


def test_an_email_that_a_killed_process_had_taken_is_sent_later(told: Organised) -> None:
    taking = notice_actions.due_mails(9)
    next(taking)
    taking.close()  # killed before it sent it
    assert send_due_mails() == 0, "it may still be at it"
    Notice.objects.exclude(tried_at=None).update(tried_at=F("tried_at") - timedelta(seconds=301))
    assert send_due_mails() == 1


def test_an_email_that_the_server_refuses_is_tried_some_times(told: Organised, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: EmailMessage, **_: Any) -> int:
        raise SMTPException("no")

    with monkeypatch.context() as patched:
        patched.setattr(EmailMessage, "send", refuse)
        for _ in range(5):
            assert send_due_mails() == 0
            Notice.objects.exclude(tried_at=None).update(tried_at=F("tried_at") - timedelta(seconds=301))
    assert send_due_mails() == 0, "it has been given up"
    assert Notice.objects.filter(mail=MailState.FAILED).count() == 1


def test_a_notice_of_an_unknown_kind_is_shown_and_sent_in_neutral_words(told: Organised, client: Client) -> None:
    owner = told.bots[0].owner_id
    data = {"bots": ["Mule"], "more": 5}
    BotNotice.objects.create(user_id=owner, about="mule", kind="praised", number=1, data=data, mail=MailState.DUE)
    assert send_due_mails() == 2
    neutral = "There is news for you that the arena cannot describe at the moment."
    of_event, unknown = mail.outbox
    assert "towel" in of_event.body and neutral in unknown.body
    (event_notice,) = Notice.objects.filter(user=owner)
    line = notice_queries.notice_line(event_notice)
    unknown_kind = replace(line, kind="praised")
    assert sentence(unknown_kind) == neutral and path(unknown_kind) == f"/events/{told.slug}/"
    for kind in ("compared", "role_changed", "webhook_off"):
        assert sentence(replace(line, kind=kind, data=NoticeData(state="new", off="new"))) == neutral
    client.force_login(User.objects.get(pk=owner))
    assert neutral in client.get("/account/notices/").content.decode()


def test_every_kind_has_its_words_and_an_erased_account_no_notices(told: Organised) -> None:
    assert set(WORDS) == {*NoticeKind, *BotNoticeKind}
    owner = told.bots[0].owner_id
    BotNotice.objects.create(user_id=owner, about="bot", kind=BotNoticeKind.TAKEN_OFF, number=1, data={"bots": []})
    assert (
        notice_queries.unread_notices(owner) == len(notice_queries.notices(owner))
        and notice_queries.notices(owner)[0].about == "bot"
    )
    assert personal_data.personal_data(owner)["notices"][1]["text"] == "Bring a towel"
    erasure.erase_account(owner)
    assert not Notice.objects.filter(user=owner).exists() and not BotNotice.objects.exists()
