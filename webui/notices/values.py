"""Notices as pages and emails show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class NoticeLine:
    """Something that a user is told."""

    key: str
    """Names it among those of its user."""
    kind: str
    """One of `NoticeKind` or `BotNoticeKind`, which say what `data` has."""
    data: Mapping[str, Any]
    event: str
    """Its name in addresses; empty: of no event."""
    event_name: str
    about: str
    """Where it is of no event: what the kind says."""
    at: datetime
    is_read: bool


@dataclass(frozen=True)
class NoticeMail:
    """An email to send."""

    id: int
    is_of_event: bool
    """Or of a bot: each kind has ids of its own."""
    user_id: int
    address: str
    language: str
    """Empty: the site's own."""
    line: NoticeLine
