"""What users are told."""

from heapq import merge
from itertools import islice
from typing import Any, Final

from django.db.models import Q, QuerySet

from webui.core.errors import NotFound
from webui.notices.models import BotNotice, BotNoticeKind, MailChoice, Notice
from webui.notices.values import NoticeLine

EVENT, BOT = "event", "bot"
"""What the key of a notice begins with."""
NOTICES: Final = (Notice, BotNotice)


def notices(user_id: int, most: int = 100, *, before: str | None = None) -> list[NoticeLine]:
    """A user's notices, the newest first; those before the one with the key `before`, `NotFound` if there is none. Of
    two at the same time the one of an event comes first."""
    of_events = Notice.objects.filter(user_id=user_id).select_related("event").order_by("-at", "-pk")
    # The email of a day is an email alone: its page is always there.
    own = BotNotice.objects.filter(user_id=user_id).exclude(kind=BotNoticeKind.DIGEST)
    of_bots = own.order_by("-at", "-pk")
    if before is not None:
        kind, _, number = before.partition("-")
        rows: QuerySet[Any] | None = {EVENT: of_events, BOT: of_bots}.get(kind)
        is_number = number.isascii() and number.isdigit() and len(number) < 19
        last = rows.filter(pk=int(number)).order_by() if rows is not None and is_number else None
        if last is None or not last.exists():
            raise NotFound(f"there is no notice {before!r}")
        # Compared by the database: SQLite keeps times as texts, of which Python writes others.
        at = last.values("at")[:1]
        of_events = of_events.filter(Q(at__lt=at) | Q(at=at, pk__lt=int(number)) if kind == EVENT else Q(at__lt=at))
        of_bots = of_bots.filter(Q(at__lt=at) | Q(at=at, pk__lt=int(number)) if kind == BOT else Q(at__lte=at))
    found = [map(notice_line, of_events[:most]), map(notice_line, of_bots[:most])]
    return list(islice(merge(*found, key=lambda line: line.at, reverse=True), most))


def unread_notices(user_id: int) -> int:
    """How many of them are unread."""
    of_events, of_bots = (model.objects.filter(user_id=user_id, read_at=None).values("id") for model in NOTICES)
    return of_events.union(of_bots, all=True).count()  # one query, for every page asks


def wants_mail(user_id: int) -> bool:
    """Whether a user wants emails."""
    return not MailChoice.objects.filter(user_id=user_id, is_wanted=False).exists()


def notice_line(row: Notice | BotNotice) -> NoticeLine:
    """A notice as a value."""
    slug, name, about = (row.event.slug, row.event.name, "") if isinstance(row, Notice) else ("", "", row.about)
    key = f"{EVENT if isinstance(row, Notice) else BOT}-{row.pk}"
    return NoticeLine(key, row.kind, row.data, slug, name, about, row.at, row.read_at is not None)
