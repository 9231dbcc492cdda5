"""Actions on notices: marking them as read, and taking their emails to send.

A sender takes one email after the other. If it dies, its email is taken again after a while. No email is lost, and at
worst one is sent twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from prometheus_client import Counter

from webui.core.dbtime import before_now
from webui.notices.models import ABOUT_AN_ACCOUNT, BotNotice, BotNoticeKind, MailChoice, MailState, Notice
from webui.notices.queries import NOTICES, notice_line
from webui.notices.values import NoticeMail

EMAILS: Final = Counter("arena_emails_total", "Emails of notices, by what came of them", ["outcome"])
"""Values of the label: `sent` and `failed`."""
# Create both series at once: the first event of a later series would not show as an increase.
for _outcome in ("sent", "failed"):
    EMAILS.labels(_outcome)


AGAIN_AFTER_S: Final = 300.0
"""Seconds after which an email that was taken and not sent is taken again."""
MOST_TRIES: Final = 5
KEPT_S: Final = 180 * 86400.0


def read_notices(user_id: int) -> None:
    """Mark all notices of a user as read."""
    for model in NOTICES:
        model.objects.filter(user_id=user_id, read_at=None).update(read_at=Now())


def choose_mail(user_id: int, *, is_wanted: bool, language: str) -> None:
    """Choose whether a user wants emails about events, and in which language."""
    chosen = {"is_wanted": is_wanted, "language": language}
    MailChoice.objects.update_or_create(user_id=user_id, defaults=chosen)


def due_mails(most: int) -> Iterator[NoticeMail]:
    """Yield the due emails, and take each one immediately before it is yielded. Call `mail_sent` for each email sent.

    Skip emails that the user does not want. Also skip emails to unconfirmed addresses, which may belong to anybody.
    """
    free = Q(mail=MailState.DUE) & (Q(tried_at=None) | Q(tried_at__lt=before_now(AGAIN_AFTER_S)))
    of_events = Notice.objects.filter(free).select_related("user", "event").order_by("pk")[:most]
    of_bots = BotNotice.objects.filter(free).select_related("user").order_by("pk")[:most]
    for row in chain[Notice | BotNotice](of_events, of_bots):
        taken = type(row).objects.filter(free, pk=row.pk)
        choice = MailChoice.objects.filter(user=row.user).first()
        if isinstance(row, BotNotice) and row.kind == BotNoticeKind.DIGEST:
            is_chosen = choice is not None and choice.wants_digest
        elif isinstance(row, BotNotice) and row.kind in (BotNoticeKind.PASSWORD_LINK, *ABOUT_AN_ACCOUNT):
            is_chosen = True  # the email itself is the link, or the account is at stake
        else:
            is_chosen = choice is None or choice.is_wanted
        is_open = row.user.is_active or row.kind == BotNoticeKind.ACCOUNT_LOCKED
        is_wanted = bool(row.user.email) and is_open and is_chosen
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
    """Record that an email was sent."""
    model = Notice if mail.is_of_event else BotNotice
    model.objects.filter(pk=mail.id).update(mail=MailState.SENT)


def old_notices() -> Iterator[QuerySet[Any]]:
    """Return the queries that select outdated notices, one for each kind."""
    return (model.objects.filter(at__lt=before_now(KEPT_S)).exclude(mail=MailState.DUE) for model in NOTICES)
