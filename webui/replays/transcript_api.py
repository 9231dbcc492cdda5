"""Routes for transcripts: the logs of a bot's matches, as its owner may read them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.urls import reverse
from ninja import Query, Router
from pydantic import Field

from webui.api.callers import Request, needs, own_bot
from webui.api.lists import Listed, Page, PageQuery, page_of
from webui.api.schemas import LOWER, Joined, ValueView, source
from webui.core.errors import NotFound
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.api import STATES
from webui.replays.schemas import Shown
from webui.replays.transcript import owner_log


class TranscriptEntry(ValueView):
    """An entry of the log of a match."""

    number: int
    kind: str
    seat: int | None
    text: str | None
    data: dict[str, Any] | None


class Transcript(ValueView):
    """The log of a match, with the entries that only the bot's owner may read."""

    match: str
    bot: str = Field(description="Bot, by its name in addresses.")
    seats: list[int] = Field(description="Seats of the bot.")
    entries: list[TranscriptEntry]


class TranscriptLine(ValueView):
    """A match of a bot, with the address of its transcript."""

    match: str = source("id")
    state: Annotated[Shown, LOWER]
    created_at: datetime
    transcript: str = Field(description="Address of the transcript, for the same token.")
    page: str = Field(description="Address of its page, with files of all messages, for signed-in owners.")


class Transcripts(Page[TranscriptLine]):
    """Matches of a bot that have started, newest first."""


router = Router(tags=["own bots"])


@router.get("/bots/{slug}/transcripts", response=Transcripts, **needs("read"))
def list_transcripts(request: Request, slug: str, query: Query[PageQuery]) -> Listed[Joined]:
    """Matches of a bot of yours that have started, newest first, with the addresses of their transcripts."""
    own = own_bot(request, slug).bot
    matches = match_queries.matches(states=STATES, bot=own.slug, before=query.after(str), limit=query.limit + 1)

    def addressed(line: MatchLine) -> Joined:
        names = {"slug": own.slug, "match_id": line.id}
        transcript, page = (reverse(route, kwargs=names) for route in ("api:get_transcript", "transcript"))
        return Joined(line, transcript=request.build_absolute_uri(transcript), page=request.build_absolute_uri(page))

    return page_of([addressed(line) for line in matches], query, lambda line: line.id)


@router.get("/bots/{slug}/transcripts/{match_id}", response=Transcript, url_name="get_transcript", **needs("read"))
def get_transcript(request: Request, slug: str, match_id: str) -> dict[str, Any]:
    """The log of a match of a bot of yours, with the bot's notes and faults."""
    own = own_bot(request, slug).bot
    line = match_queries.match_page(match_id).line
    seats = [seat.seat for seat in line.seats if seat.version.bot.id == own.id]
    if not seats:
        raise NotFound(f"{own.name} has no seat in {match_id!r}")
    log = owner_log(match_queries.match_log(match_id, notes_of=seats), seats)
    return {"match": match_id, "bot": own.slug, "seats": seats, "entries": log}
