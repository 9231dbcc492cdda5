"""Schemas of the HTTP API for matches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AwareDatetime, Field

from webui.api.lists import Page, PageQuery
from webui.matches.values import MatchLine, MatchPage, SeatLine

Shown = Literal["running", "finished", "aborted", "void"]
MatchState = Literal["scheduled", Shown]
Time = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(2200, 1, 1, tzinfo=UTC))]
"""Time in a restricted range, because databases and time zones fail at the ends of the calendar."""


class MatchSeatDocument(Schema):
    """A seat of a match."""

    seat: int
    bot: str = Field(description="Bot, by its name in addresses.")
    name: str
    version: str
    placement: int | None = Field(description="Null without a result.")
    score: int | None
    forfeit: str = Field(description="Reason of its forfeit. Empty if it did not forfeit.")

    @classmethod
    def of(cls, seat: SeatLine) -> MatchSeatDocument:
        """Make the document of a seat."""
        return cls(
            seat=seat.seat,
            bot=seat.version.bot.slug,
            name=seat.version.bot.name,
            version=seat.version.name,
            placement=seat.placement,
            score=seat.score,
            forfeit=seat.forfeit_reason,
        )


class MatchSummary(Schema):
    """A match in a list of matches."""

    id: str
    state: MatchState
    players: int
    expansions: list[str]
    rated: bool
    challenge: bool = Field(description="Whether an owner requested it.")
    ladder: str | None
    number: int | None = Field(description="Number among the rated matches of its ladder.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reason: str = Field(description="Reason why it ended without a result. Empty if it did not.")
    seats: list[MatchSeatDocument] = Field(description="Empty until the match has started.")

    @classmethod
    def of(cls, line: MatchLine) -> MatchSummary:
        """Make the document of a match in a list."""
        return cls(**_common(line))


class MatchDocument(MatchSummary):
    """A match."""

    rules: str = Field(description="Version of the rules.")
    clock: dict[str, Any]
    policy: dict[str, Any]
    commitment: str = Field(description="Hash of the server's seed, published before the match.")
    server_seed: str = Field(description="Seed of the server in hex. Empty before the end.")
    verdict: dict[str, Any] | None
    replaces: str | None
    replaced_by: str | None
    offer: int = Field(description="Number of its signed offer in the public log.")

    @classmethod
    def of_page(cls, page: MatchPage) -> MatchDocument:
        """Make the document of a match."""
        return cls(
            **_common(page.line),
            rules=page.rules,
            clock=dict(page.clock),
            policy=dict(page.policy),
            commitment=page.commitment,
            server_seed=page.server_seed,
            verdict=None if page.verdict is None else dict(page.verdict),
            replaces=page.replaces,
            replaced_by=page.replaced_by,
            offer=page.offer,
        )


class StreamedMatch(MatchSummary):
    """A line of the stream of all finished matches."""

    cursor: str = Field(description="Cursor that resumes the stream after this match.")

    @classmethod
    def after(cls, line: MatchLine, cursor: str) -> StreamedMatch:
        """Make the document of a match, with its cursor."""
        return cls(**_common(line), cursor=cursor)


class MatchesQuery(PageQuery):
    """Filters for a list of matches."""

    bot: str | None = Field(None, max_length=60, description="Bot that has a seat, by its name in addresses.")
    ladder: str | None = Field(None, max_length=60, description="Ladder, by its name in addresses.")
    state: Shown | None = None
    rated: bool | None = None
    since: Time | None = Field(None, description="Earliest time of creation, from the year 2000 on.")
    until: Time | None = Field(None, description="Time before which it was created, until the year 2200.")


class MatchesDocument(Page[MatchSummary]):
    """Matches, newest first."""


def _common(line: MatchLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "state": line.state.lower(),
        "players": line.players,
        "expansions": list(line.expansions),
        "rated": line.rated,
        "challenge": line.is_challenge,
        "ladder": line.ladder.slug if line.ladder else None,
        "number": line.ladder_number,
        "created_at": line.created_at,
        "started_at": line.started_at,
        "finished_at": line.finished_at,
        "reason": line.reason,
        "seats": [MatchSeatDocument.of(seat) for seat in line.seats],
    }


class TranscriptEntry(Schema):
    """An entry of the log of a match."""

    number: int
    kind: str
    seat: int | None
    text: str | None
    data: dict[str, Any] | None


class Transcript(Schema):
    """The log of a match, with the entries that only the bot's owner may read."""

    match: str
    bot: str = Field(description="Bot, by its name in addresses.")
    seats: list[int] = Field(description="Seats of the bot.")
    entries: list[TranscriptEntry]


class TranscriptLine(Schema):
    """A match of a bot, with the address of its transcript."""

    match: str
    state: Shown
    created_at: datetime
    transcript: str = Field(description="Address of the transcript, for the same token.")
    page: str = Field(description="Address of its page, with files of all messages, for signed-in owners.")


class Transcripts(Page[TranscriptLine]):
    """Matches of a bot that have started, newest first."""
