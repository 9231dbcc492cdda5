"""Routes for transcripts: the logs of a bot's matches, as its owner may read them."""

from typing import Any, cast

from django.urls import reverse
from ninja import Query, Router

from webui.api.callers import Request, needs, own_bot
from webui.api.lists import Page, PageQuery, page_of
from webui.core.errors import NotFound
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.api import STATES
from webui.replays.schemas import Shown, Transcript, TranscriptEntry, TranscriptLine, Transcripts
from webui.replays.transcript import entry_document, owner_log

router = Router(tags=["own bots"])


@router.get("/bots/{slug}/transcripts", response=Transcripts, **needs("read"))
def list_transcripts(request: Request, slug: str, asked: Query[PageQuery]) -> Page[TranscriptLine]:
    """Matches of a bot of yours that have started, newest first, with the addresses of their transcripts."""
    own = own_bot(request, slug).bot
    found = match_queries.matches(states=STATES, bot=own.slug, before=asked.after(str), limit=asked.limit + 1)

    def shown(line: MatchLine) -> TranscriptLine:
        names: dict[str, Any] = {"slug": own.slug, "match_id": line.id}
        return TranscriptLine(
            match=line.id,
            state=cast(Shown, line.state.lower()),
            created_at=line.created_at,
            transcript=request.build_absolute_uri(reverse("api:get_transcript", kwargs=names)),
            page=request.build_absolute_uri(reverse("transcript", kwargs=names)),
        )

    return page_of(found, asked, lambda line: line.id, shown)


@router.get("/bots/{slug}/transcripts/{match_id}", response=Transcript, url_name="get_transcript", **needs("read"))
def get_transcript(request: Request, slug: str, match_id: str) -> Transcript:
    """The log of a match of a bot of yours, with the bot's notes and faults."""
    own = own_bot(request, slug).bot
    line = match_queries.match_page(match_id).line
    seats = [seat.seat for seat in line.seats if seat.version.bot.id == own.id]
    if not seats:
        raise NotFound(f"{own.name} has no seat in {match_id!r}")
    log = owner_log(match_queries.match_log(match_id, notes_of=seats), seats)
    entries = [TranscriptEntry(**{"data": None, **entry_document(entry)}) for entry in log]
    return Transcript(match=match_id, bot=own.slug, seats=seats, entries=entries)
