"""What owners are told of events: once, of nothing hidden, and by emails that no killed process loses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.db.models import F

from arena.events import FactKind
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from webui.ladder import actions, queries
from webui.ladder.models import BotNotice, BotNoticeKind, EventBot, MailState, Notice, NoticeKind, User
from webui.ladder.values import TooMany
from webui.site.notices import WORDS, send_due_mails, sentence

pytestmark = pytest.mark.django_db


def kinds(user_id: int) -> list[str]:
    """Of a user's notices, the oldest first."""
    return [line.kind for line in queries.notices(user_id)][::-1]


def test_owners_are_told_what_happens_to_their_bots(kit: Kit) -> None:
    cup = Organised(kit, 3)
    first, second, third = (bot.owner_id for bot in cup.bots)
    actions.leave_event(cup.slug, cup.bots[2].slug, third)
    cup.start()
    actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Have fun"})
    cup.to_the_end()
    assert kinds(first) == kinds(second) == ["drawn", "told", "finished"] and kinds(third) == []
    places = {line.entrant: line.place for line in cup.event.standings(cup.event.seed)}
    ended, told, drawn = queries.notices(first)
    assert (ended.data["places"], told.data["text"], drawn.data["round"]) == ([places[1]], "Have fun", 1)
    assert sentence(ended) == f"Autumn Cup is over. Your places: {cup.bots[0].name}: {places[1]}."
    assert queries.unread_notices(first) == 3
    actions.read_notices(first)
    assert (queries.unread_notices(first), queries.unread_notices(second)) == (0, 3)


def test_who_is_withdrawn_by_somebody_else_is_told_why(kit: Kit) -> None:
    cup = Organised(kit, 3)
    actions.decide(cup.slug, cup.organiser, FactKind.WITHDRAWN, {"entrant": 1}, "it is another bot's copy")
    (line,) = queries.notices(cup.bots[0].owner_id)
    assert (line.kind, line.data["why"], line.data["bots"]) == (
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
    assert {line.data["round"] for bot in cup.bots for line in queries.notices(bot.owner_id)} == {1}
    cup.to_the_end()
    assert [kinds(bot.owner_id) for bot in cup.bots] == [["drawn", "finished"]] * 4


def test_owners_are_told_once_that_check_in_is_open_and_again_when_the_start_is_moved(kit: Kit) -> None:
    start = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=5)
    cup = Organised(kit, 2, course={"starts_at": start.isoformat(), "check_in_s": 600})
    actions.check_in(cup.slug, cup.bots[1].slug, cup.bots[1].owner_id)
    cup.advance()
    cup.advance()
    owner = cup.bots[0].owner_id
    assert kinds(owner) == ["check_in"] and kinds(cup.bots[1].owner_id) == []
    course = {**cup.event.terms.course.document(), "starts_at": (start + timedelta(minutes=1)).isoformat()}
    actions.decide(cup.slug, cup.organiser, FactKind.EXTENDED, {"course": course})
    cup.advance()
    assert kinds(owner) == ["check_in"] * 2
    assert Notice.objects.filter(user=owner, mail=MailState.DUE).count() == 1, "so often the start can be moved"


def test_who_is_invited_is_told_once_the_event_is_open(kit: Kit) -> None:
    bot = Organised(kit, 1).bots[0]
    organiser = User.objects.get(username="orga").pk
    slug = actions.create_event(
        organiser,
        {"name": "Guests", "format": {"kind": "gauntlet"}, "game": {"players": 2}, "entry": {"invited": [bot.slug]}},
    )
    assert kinds(bot.owner_id) == []
    actions.ask_event(slug, organiser, "publish")
    actions.advance_events([], 9)
    assert kinds(bot.owner_id) == ["invited"]


def test_one_organiser_invites_so_often_a_day(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever the events were handed over to."""
    monkeypatch.setattr("webui.ladder.notices.MOST_INVITED", 2)
    cup = Organised(kit, 1)
    (bot,) = cup.bots
    spammer = actions.create_user("spammer", None)
    for organiser in (spammer, spammer, spammer, cup.organiser):
        slug = actions.create_event(organiser, {**TERMS, "entry": {"invited": [bot.slug]}})
        actions.ask_event(slug, organiser, "publish")
        actions.advance_events([], 9)
        if organiser == spammer:
            actions.share_event(slug, spammer, "orga")
            actions.hand_over_event(slug, spammer, "orga")
    assert kinds(bot.owner_id) == ["invited"] * 3
    Notice.objects.update(at=F("at") - timedelta(days=2))
    actions.decide(slug, cup.organiser, FactKind.CHANGED, {"terms": cup.event.terms.document()})
    assert kinds(bot.owner_id) == ["invited"] * 3, "once an event"


def test_entrants_are_told_so_many_things_a_day(kit: Kit) -> None:
    cup = Organised(kit, 1)
    for _ in range(10):
        actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})
    with pytest.raises(TooMany):
        actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Hello"})


@pytest.fixture
def told(kit: Kit) -> Organised:
    """An event whose organiser has told the owners of two bots something."""
    cup = Organised(kit, 2)
    for bot, address in zip(cup.bots, ("mira@example.org", ""), strict=True):
        actions.set_email(bot.owner_id, address)
    EmailAddress.objects.update(verified=True)
    actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": "Bring a towel"})
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
    actions.set_email(other, "omar@example.org")
    EmailAddress.objects.update(verified=True)
    actions.decide(told.slug, told.organiser, FactKind.TOLD, {"text": "And a cap"})
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
    actions.choose_mail(owner, is_wanted=False, language="fr")
    assert send_due_mails() == 0 and not mail.outbox
    actions.choose_mail(owner, is_wanted=True, language="fr")
    actions.decide(told.slug, told.organiser, FactKind.TOLD, {"text": "Encore"})
    assert send_due_mails() == 1 and "organisateur" in mail.outbox[0].subject


def test_an_email_that_a_killed_process_had_taken_is_sent_later(told: Organised) -> None:
    taking = actions.due_mails(9)
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


def test_every_kind_has_its_words_and_an_erased_account_no_notices(told: Organised) -> None:
    assert set(WORDS) == {*NoticeKind, *BotNoticeKind}
    owner = told.bots[0].owner_id
    BotNotice.objects.create(user_id=owner, about="bot", kind=BotNoticeKind.TAKEN_OFF, number=1, data={"bots": []})
    assert queries.unread_notices(owner) == len(queries.notices(owner)) and queries.notices(owner)[0].about == "bot"
    assert queries.personal_data(owner)["notices"][1]["text"] == "Bring a towel"
    actions.erase_account(owner)
    assert not Notice.objects.filter(user=owner).exists() and not BotNotice.objects.exists()
