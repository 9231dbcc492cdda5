"""Schemas of the HTTP API for matches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from webui.api.lists import Page, PageQuery
from webui.api.schemas import LOWER, AsDocument, SlugOf, ValueView, source

Shown = Literal["running", "finished", "aborted", "void"]
MatchState = Literal["scheduled", Shown]
Time = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(2200, 1, 1, tzinfo=UTC))]
"""Time in a restricted range, because databases and time zones fail at the ends of the calendar."""


class MatchSeatDocument(ValueView):
    """A seat of a match."""

    seat: int
    bot: str = source("version.bot.slug", "Bot, by its name in addresses.")
    name: str = source("version.bot.name")
    version: str = source("version.name")
    hosted: bool = source("version.is_hosted", "Whether the arena runs this version, not its author.")
    placement: int | None = Field(description="Null without a result.")
    score: int | None
    forfeit: str = source("forfeit_reason", "Reason of its forfeit. Empty if it did not forfeit.")


class MatchSummary(ValueView):
    """A match in a list of matches."""

    id: str
    state: Annotated[MatchState, LOWER]
    players: int
    expansions: list[str]
    rated: bool
    challenge: bool = source("is_challenge", "Whether an owner requested it.")
    ladder: SlugOf | None
    number: int | None = source("ladder_number", "Number among the rated matches of its ladder.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reason: str = Field(description="Reason why it ended without a result. Empty if it did not.")
    seats: list[MatchSeatDocument] = Field(description="Empty until the match has started.")


class MatchDocument(MatchSummary):
    """A match."""

    rules: str = Field(description="Version of the rules.")
    clock: AsDocument
    policy: AsDocument
    commitment: str = Field(description="Hash of the server's seed, published before the match.")
    server_seed: str = Field(description="Seed of the server in hex. Empty before the end.")
    verdict: dict[str, Any] | None
    replaces: str | None
    replaced_by: str | None
    offer: int = Field(description="Number of its signed offer in the public log.")


class StreamedMatch(MatchSummary):
    """A line of the stream of all finished matches."""

    cursor: str = Field(description="Cursor that resumes the stream after this match.")


class MatchesQuery(PageQuery):
    """Filters for a list of matches."""

    bot: str | None = Field(None, max_length=60, description="Bot that has a seat, by its name in addresses.")
    ladder: str | None = Field(None, max_length=60, description="Ladder, by its name in addresses.")
    state: Shown | None = None
    rated: bool | None = None
    hosted: bool | None = Field(
        None,
        description="True: only matches with a bot that the arena runs. False: only matches without one. "
        "The latest 10,000 matches are searched.",
    )
    since: Time | None = Field(None, description="Earliest time of creation, from the year 2000 on.")
    until: Time | None = Field(None, description="Time before which it was created, until the year 2200.")


class MatchesDocument(Page[MatchSummary]):
    """Matches, newest first."""
