"""Queries of notices."""

from heapq import merge
from itertools import islice
from typing import Any, Final

from django.db.models import Q, QuerySet
from msgspec import convert

from webui.core.errors import NotFound
from webui.notices.models import BotNotice, BotNoticeKind, MailChoice, Notice
from webui.notices.values import NoticeData, NoticeLine

EVENT, BOT = "event", "bot"
"""Prefixes of the keys of notices."""
NOTICES: Final = (Notice, BotNotice)


def notices(user_id: int, most: int = 100, *, before: str | None = None) -> list[NoticeLine]:
    """Return a user's notices, newest first. If two have the same time, the one about an event comes first.

    `before` is the key of a notice; only older ones are returned. Raise `NotFound` if there is no such notice.
    """
    of_events = Notice.objects.filter(user_id=user_id).select_related("event").order_by("-at", "-pk")
    # Digests are only sent by email, because their page always exists.
    own = BotNotice.objects.filter(user_id=user_id).exclude(kind=BotNoticeKind.DIGEST)
    of_bots = own.order_by("-at", "-pk")
    if before is not None:
        kind, _, number = before.partition("-")
        rows: QuerySet[Any] | None = {EVENT: of_events, BOT: of_bots}.get(kind)
        is_number = number.isascii() and number.isdigit() and len(number) < 19
        last = rows.filter(pk=int(number)).order_by() if rows is not None and is_number else None
        if last is None or not last.exists():
            raise NotFound(f"there is no notice {before!r}")
        # The database compares the times: SQLite stores them as texts, in another format than Python's.
        at = last.values("at")[:1]
        of_events = of_events.filter(Q(at__lt=at) | Q(at=at, pk__lt=int(number)) if kind == EVENT else Q(at__lt=at))
        of_bots = of_bots.filter(Q(at__lt=at) | Q(at=at, pk__lt=int(number)) if kind == BOT else Q(at__lte=at))
    sources = [map(notice_line, of_events[:most]), map(notice_line, of_bots[:most])]
    return list(islice(merge(*sources, key=lambda line: line.at, reverse=True), most))


def unread_notices(user_id: int) -> int:
    """Return the number of unread notices of a user."""
    of_events, of_bots = (model.objects.filter(user_id=user_id, read_at=None).values("id") for model in NOTICES)
    return of_events.union(of_bots, all=True).count()  # one query, because every page needs it


def wants_mail(user_id: int) -> bool:
    """Return whether a user wants emails."""
    return not MailChoice.objects.filter(user_id=user_id, is_wanted=False).exists()


def notice_line(row: Notice | BotNotice) -> NoticeLine:
    """Return a notice as a value."""
    slug, name, about = (row.event.slug, row.event.name, "") if isinstance(row, Notice) else ("", "", row.about)
    key = f"{EVENT if isinstance(row, Notice) else BOT}-{row.pk}"
    data = convert(row.data, NoticeData)
    return NoticeLine(key, row.kind, data, row.data, slug, name, about, row.at, row.read_at is not None)
