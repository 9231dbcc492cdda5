"""Values of notices for pages and emails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.core.mail import EmailMessage

from webui.core.subjects import Hook


@dataclass(frozen=True)
class NoticeData:
    """The data of a notice. Its kind (`NoticeKind`, `BotNoticeKind`) says which fields it has."""

    bots: tuple[str, ...] = ()
    """Names of the bots that it is about."""
    at: datetime | None = None
    round: int | None = None
    places: tuple[int, ...] = ()
    text: str = ""
    why: str = ""
    reason: str = ""
    new: str = ""
    old: str = ""
    state: str = ""
    version: str = ""
    match: str = ""
    is_examination: bool = False
    url: str = ""
    off: str = ""
    day: date | None = None


@dataclass(frozen=True)
class NoticeLine:
    """A notice to a user."""

    key: str
    """Key of the notice among those of its user."""
    kind: str
    """Value of `NoticeKind` or `BotNoticeKind`, which describe `data`."""
    data: NoticeData
    document: Mapping[str, Any]
    """The data as JSON."""
    event: str
    """Slug of the event. Empty: the notice is not about an event."""
    event_name: str
    about: str
    """Subject of a notice outside events. Its meaning depends on the kind."""
    at: datetime
    is_read: bool


@dataclass(frozen=True)
class NoticeMail:
    """An email to send."""

    id: int
    is_of_event: bool
    """Whether the notice is about an event. Notices about events and other notices have separate ids."""
    user_id: int
    address: str
    language: str
    """Language of the email. Empty: the default language of the site."""
    line: NoticeLine


# Hooks of notices.


emails_due: Final = Hook[[], None]()
"""Due emails are about to be sent. Receivers write their notices that have become due."""
digest_of: Final = Hook[[NoticeMail], EmailMessage | None]()
"""Return the email of a notice of the kind `digest`. Return None if there is nothing to say any more."""
