"""Notices: read, and taken to be sent. Whoever sends takes one after the other; one that was taken by a process that
died is sent again, so that nothing is lost and at worst an email comes twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from prometheus_client import Counter

from webui.core.dbtime import before_now
from webui.notices.models import BotNotice, BotNoticeKind, MailChoice, MailState, Notice
from webui.notices.queries import NOTICES, notice_line
from webui.notices.values import NoticeMail

EMAILS: Final = Counter("arena_emails_total", "Emails of notices, by what came of them", ["outcome"])
"""`sent` or `failed`."""
# A series that is there from the beginning shows its first event as an increase.
for _outcome in ("sent", "failed"):
    EMAILS.labels(_outcome)


AGAIN_AFTER_S: Final = 300.0
"""An email that was taken and not sent in this time is taken again."""
MOST_TRIES: Final = 5
KEPT_S: Final = 180 * 86400.0


def read_notices(user_id: int) -> None:
    """Note that a user has seen all notices."""
    for model in NOTICES:
        model.objects.filter(user_id=user_id, read_at=None).update(read_at=Now())


def choose_mail(user_id: int, *, is_wanted: bool, language: str) -> None:
    """Whether a user wants emails about events, and in which language."""
    chosen = {"is_wanted": is_wanted, "language": language}
    MailChoice.objects.update_or_create(user_id=user_id, defaults=chosen)


def due_mails(most: int) -> Iterator[NoticeMail]:
    """Take emails to send, each when it is its turn; `mail_sent` says that one was. Those that nobody wants are left
    out, and those to addresses that were not confirmed: anybody may have given them."""
    free = Q(mail=MailState.DUE) & (Q(tried_at=None) | Q(tried_at__lt=before_now(AGAIN_AFTER_S)))
    of_events = Notice.objects.filter(free).select_related("user", "event").order_by("pk")[:most]
    of_bots = BotNotice.objects.filter(free).select_related("user").order_by("pk")[:most]
    for row in chain[Notice | BotNotice](of_events, of_bots):
        taken = type(row).objects.filter(free, pk=row.pk)
        choice = MailChoice.objects.filter(user=row.user).first()
        if isinstance(row, BotNotice) and row.kind == BotNoticeKind.DIGEST:
            is_chosen = choice is not None and choice.wants_digest
        elif isinstance(row, BotNotice) and row.kind == BotNoticeKind.PASSWORD_LINK:
            is_chosen = True  # the email is the link
        else:
            is_chosen = choice is None or choice.is_wanted
        is_wanted = bool(row.user.email) and row.user.is_active and is_chosen
        address = EmailAddress.objects.filter(user_id=row.user_id, email__iexact=row.user.email, verified=True)
        is_wanted = is_wanted and address.exists()
        if not is_wanted:
            taken.update(mail=MailState.NONE)
        elif row.mail_tries >= MOST_TRIES:
            taken.update(mail=MailState.FAILED)
        elif taken.update(tried_at=Now(), mail_tries=F("mail_tries") + 1):
            language = choice.language if choice else ""
            yield NoticeMail(row.pk, isinstance(row, Notice), row.user_id, row.user.email, language, notice_line(row))


def mail_sent(mail: NoticeMail) -> None:
    """Note that an email was sent."""
    model = Notice if mail.is_of_event else BotNotice
    model.objects.filter(pk=mail.id).update(mail=MailState.SENT)


def old_notices() -> Iterator[QuerySet[Any]]:
    """Those that nobody looks for any more, of each kind."""
    return (model.objects.filter(at__lt=before_now(KEPT_S)).exclude(mail=MailState.DUE) for model in NOTICES)
