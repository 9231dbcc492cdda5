"""Route of the current TV programme."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ninja import Router
from pydantic import Field

from webui.api.callers import Request
from webui.api.schemas import ValueView
from webui.tv.programme import channel_now, document


class ShownSeat(ValueView):
    """A seat of the match."""

    bot: str = Field(description="Name of the bot.")
    version: str


class ShownMatch(ValueView):
    """A match on TV, without its result."""

    match: str
    players: int
    expansions: list[str]
    ladder: str | None
    seats: list[ShownSeat]


class Show(ShownMatch):
    """A match that is shown for a time."""

    number: int
    begins: dt.datetime
    ends: dt.datetime | None = Field(
        description="Time at which the next show begins. Null: not known while the match runs."
    )
    is_live: bool = Field(description="Whether the match is running.")


class ChannelDocument(ValueView):
    """The current match on TV, and the next ones."""

    at: dt.datetime
    now: Show | None
    next: Show | None = Field(description="The next show, chosen shortly before it begins.")
    later: list[ShownMatch] = Field(description="Matches that follow, unless a match starts running.")


router = Router(tags=["matches"])


@router.get("/tv", response=ChannelDocument)
def get_tv(request: Request) -> dict[str, Any]:
    """The current match on TV, and the next ones.

    The answer is the same for everybody, and at most two seconds old.
    """
    return document(channel_now())
