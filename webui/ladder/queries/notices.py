"""What users are told."""

from heapq import merge
from typing import Final

from webui.ladder.models import BotNotice, MailChoice, Notice
from webui.ladder.values.notices import NoticeLine

NOTICES: Final = (Notice, BotNotice)


def notices(user_id: int, most: int = 100) -> list[NoticeLine]:
    """A user's notices, the newest first."""
    of_events = Notice.objects.filter(user_id=user_id).select_related("event").order_by("-pk")[:most]
    of_bots = BotNotice.objects.filter(user_id=user_id).order_by("-pk")[:most]
    lines = merge(map(notice_line, of_events), map(notice_line, of_bots), key=lambda line: line.at, reverse=True)
    return list(lines)[:most]


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
    return NoticeLine(row.kind, row.data, slug, name, about, row.at, row.read_at is not None)
