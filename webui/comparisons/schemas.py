"""Schemas for comparisons: what the API returns and accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from arena.ratings.sequential import MARGIN
from webui.api.lists import Page
from webui.api.schemas import LOWER, GameDocument, Input, Name, ValueView, converted, source
from webui.comparisons.actions import MARGINS
from webui.replays.schemas import MatchState

State = Literal["running", "yes", "no", "open", "stopped", "idle"]


class VersionOrder(Input):
    """A version of a bot."""

    bot: Name = Field(description="Name or slug of the bot.")
    version: Name


class ComparisonOrder(Input):
    """A comparison to make."""

    new: VersionOrder = Field(description="Version of a bot of yours.")
    old: VersionOrder = Field(description="Version of a bot of yours, or of a house bot.")
    game: GameDocument = Field(description="With more than two players, house bots take the other seats.")
    margin: float = Field(
        MARGIN,
        ge=MARGINS[0],
        le=MARGINS[1],
        allow_inf_nan=False,
        description="Rating points by which the new version should be better. 20 take some 1,300 games, 50 some 200.",
    )


class ComparedVersion(ValueView):
    """A version that is compared."""

    bot: str = source("bot.slug", "Its slug.")
    name: str = source("bot.name")
    version: str = source("name")


class ComparisonSummary(ValueView):
    """A comparison in a list."""

    id: str
    new: ComparedVersion
    old: ComparedVersion
    game: GameDocument = source("ruleset")
    state: Annotated[State, LOWER] = Field(
        description="`yes`: the new version is better. `open`: no answer. `idle`: a version was offline too long."
    )
    created_at: datetime
    ended_at: datetime | None
    games: int = Field(description="Number of games that count so far.")


class Comparisons(Page[ComparisonSummary]):
    """Comparisons, newest first."""


class Difference(ValueView):
    """The estimated difference in rating points between the new version and the old one."""

    points: float
    low: float = Field(description="Lower end of the 95 % confidence interval.")
    high: float


class ComparedGame(ValueView):
    """A match of a comparison."""

    match: str
    block: int = Field(description="Number of the block, from 0. The games of a block share a deal.")
    game: int = Field(description="Number of the game in its block, from 0.")
    state: Annotated[MatchState, LOWER]
    score: Annotated[float, converted(lambda halves: halves / 2)] | None = source(
        "halves", "Score of the new version: 1 won, 0.5 tied, 0 lost. Null: no result."
    )


class ComparisonDocument(ComparisonSummary):
    """A comparison."""

    margin: float = source("hypotheses.margin")
    difference: Difference | None = Field(description="Null: the first block is not complete.")
    evidence: float = source("llr", "Log-likelihood ratio. The answer is known once it leaves the bounds.")
    no_below: float = source("hypotheses.lower")
    yes_above: float = source("hypotheses.upper")
    newest: list[ComparedGame] = Field(description="Newest matches first.")
