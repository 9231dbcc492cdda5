"""What the HTTP API takes and gives of matches."""

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
"""Databases and time zones have no room at the ends of the calendar."""


class MatchSeatDocument(Schema):
    """A seat of a match."""

    seat: int
    bot: str = Field(description="Its name in addresses.")
    name: str
    version: str
    placement: int | None = Field(description="Null without a result.")
    score: int | None
    forfeit: str = Field(description="Why it gave up its seat; empty: it did not.")

    @classmethod
    def of(cls, seat: SeatLine) -> MatchSeatDocument:
        """The seat as it is shown."""
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
    challenge: bool = Field(description="An owner asked for it.")
    ladder: str | None
    number: int | None = Field(description="Among the rated matches of its ladder.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reason: str = Field(description="Why it ended without a result; empty: it did not.")
    seats: list[MatchSeatDocument] = Field(description="None before the match has begun.")

    @classmethod
    def of(cls, line: MatchLine) -> MatchSummary:
        """The match as a list shows it."""
        return cls(**_common(line))


class MatchDocument(MatchSummary):
    """A match."""

    rules: str = Field(description="The version of the rules.")
    clock: dict[str, Any]
    policy: dict[str, Any]
    commitment: str = Field(description="The hash of the server's seed, from before the match.")
    server_seed: str = Field(description="In hex; empty before the end.")
    verdict: dict[str, Any] | None
    replaces: str | None
    replaced_by: str | None
    offer: int | None = Field(description="The number of its signed offer in the public log.")

    @classmethod
    def of_page(cls, page: MatchPage) -> MatchDocument:
        """The match as its page shows it."""
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

    cursor: str = Field(description="Where the stream goes on after this match.")

    @classmethod
    def after(cls, line: MatchLine, cursor: str) -> StreamedMatch:
        """The match as a list shows it, with its cursor."""
        return cls(**_common(line), cursor=cursor)


class MatchesQuery(PageQuery):
    """Which matches are asked for."""

    bot: str | None = Field(None, max_length=60, description="A bot that sits in it, by its name in addresses.")
    ladder: str | None = Field(None, max_length=60, description="By its name in addresses.")
    state: Shown | None = None
    rated: bool | None = None
    since: Time | None = Field(None, description="Made then or later, from the year 2000 on.")
    until: Time | None = Field(None, description="Made before then, until the year 2200.")


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
    """The log of a match with what only the owner of a bot may read of it."""

    match: str
    bot: str = Field(description="Its name in addresses.")
    seats: list[int] = Field(description="Those of the bot.")
    entries: list[TranscriptEntry]


class TranscriptLine(Schema):
    """A match of a bot, with where its transcript is."""

    match: str
    state: Shown
    created_at: datetime
    transcript: str = Field(description="The address of the transcript, for the same token.")
    page: str = Field(description="The address of its page, with files of all messages, for who is signed in.")


class Transcripts(Page[TranscriptLine]):
    """Matches of a bot that have begun, newest first."""
