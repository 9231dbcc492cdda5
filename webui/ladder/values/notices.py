"""Notices as pages and emails show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class NoticeLine:
    """Something that a user is told of an event."""

    kind: str
    """One of `NoticeKind`, which says what `data` has."""
    data: Mapping[str, Any]
    event: str
    """Its name in addresses."""
    event_name: str
    at: datetime
    is_read: bool


@dataclass(frozen=True)
class NoticeMail:
    """An email to send."""

    id: int
    address: str
    language: str
    """Empty: the site's own."""
    line: NoticeLine
