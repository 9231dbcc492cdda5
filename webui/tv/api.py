"""What is on TV, through the HTTP API."""

from __future__ import annotations

import datetime as dt

from ninja import Router, Schema
from pydantic import Field

from webui.api.callers import Request
from webui.tv.programme import channel_now, document


class ShownSeat(Schema):
    """Who plays."""

    bot: str = Field(description="Its name.")
    version: str


class ShownMatch(Schema):
    """A match that is shown; nothing of how it ended."""

    match: str
    players: int
    expansions: list[str]
    ladder: str | None
    seats: list[ShownSeat]


class Show(ShownMatch):
    """A match that is shown for a time."""

    number: int
    begins: dt.datetime
    ends: dt.datetime | None = Field(description="When the next one begins; null: not known while the match runs.")
    is_live: bool = Field(description="The match runs.")


class ChannelDocument(Schema):
    """What is on, and what comes."""

    at: dt.datetime
    now: Show | None
    next: Show | None = Field(description="Chosen shortly before it begins.")
    later: list[ShownMatch] = Field(description="What comes then, unless a match runs.")


router = Router(tags=["matches"])


@router.get("/tv", response=ChannelDocument)
def get_tv(request: Request) -> ChannelDocument:
    """Which match is shown on TV now, and what comes.

    The same for everybody; two seconds old at most.
    """
    return ChannelDocument(**document(channel_now()))
