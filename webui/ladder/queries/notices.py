"""What users are told."""

from webui.ladder.models import MailChoice, Notice
from webui.ladder.values.notices import NoticeLine


def notices(user_id: int, most: int = 100) -> list[NoticeLine]:
    """A user's notices, the newest first."""
    rows = Notice.objects.filter(user_id=user_id).select_related("event").order_by("-pk")
    return [notice_line(row) for row in rows[:most]]


def unread_notices(user_id: int) -> int:
    """How many of them are unread."""
    return Notice.objects.filter(user_id=user_id, read_at=None).count()


def wants_mail(user_id: int) -> bool:
    """Whether a user wants emails about events."""
    return not MailChoice.objects.filter(user_id=user_id, is_wanted=False).exists()


def notice_line(row: Notice) -> NoticeLine:
    """A notice as a value."""
    slug, name = (row.event.slug, row.event.name) if row.event else ("", "")
    return NoticeLine(row.kind, row.data, slug, name, row.about, row.at, row.read_at is not None)
