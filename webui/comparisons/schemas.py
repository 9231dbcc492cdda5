"""Schemas for comparisons: what the API returns and accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from arena.ratings.sequential import MARGIN
from webui.api.lists import Page
from webui.api.schemas import GameDocument, Input, Name
from webui.bots.values import VersionRef
from webui.comparisons.actions import MARGINS
from webui.comparisons.values import ComparisonGame, ComparisonLine, ComparisonPage

State = Literal["running", "yes", "no", "open", "stopped", "idle"]
MatchState = Literal["scheduled", "running", "finished", "aborted", "void"]


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


class ComparedVersion(Schema):
    """A version that is compared."""

    bot: str = Field(description="Its slug.")
    name: str
    version: str

    @classmethod
    def of(cls, ref: VersionRef) -> ComparedVersion:
        """Return the version as it is shown."""
        return cls(bot=ref.bot.slug, name=ref.bot.name, version=ref.name)


class ComparisonSummary(Schema):
    """A comparison in a list."""

    id: str
    new: ComparedVersion
    old: ComparedVersion
    game: GameDocument
    state: State = Field(
        description="`yes`: the new version is better. `open`: no answer. `idle`: a version was offline too long."
    )
    created_at: datetime
    ended_at: datetime | None
    games: int = Field(description="Number of games that count so far.")

    @classmethod
    def of(cls, line: ComparisonLine) -> ComparisonSummary:
        """Return the comparison as it is shown in a list."""
        return cls(**_common(line))


class Comparisons(Page[ComparisonSummary]):
    """Comparisons, newest first."""


class Difference(Schema):
    """The estimated difference in rating points between the new version and the old one."""

    points: float
    low: float = Field(description="Lower end of the 95 % confidence interval.")
    high: float


class ComparedGame(Schema):
    """A match of a comparison."""

    match: str
    block: int = Field(description="Number of the block, from 0. The games of a block share a deal.")
    game: int = Field(description="Number of the game in its block, from 0.")
    state: MatchState
    score: float | None = Field(description="Score of the new version: 1 won, 0.5 tied, 0 lost. Null: no result.")

    @classmethod
    def of(cls, game: ComparisonGame) -> ComparedGame:
        """Return the match as it is shown."""
        state: Any = game.state.lower()
        score = None if game.halves is None else game.halves / 2
        return cls(match=game.match, block=game.block, game=game.game, state=state, score=score)


class ComparisonDocument(ComparisonSummary):
    """A comparison."""

    margin: float
    difference: Difference | None = Field(description="Null: the first block is not complete.")
    evidence: float = Field(description="Log-likelihood ratio. The answer is known once it leaves the bounds.")
    no_below: float
    yes_above: float
    newest: list[ComparedGame] = Field(description="Newest matches first.")

    @classmethod
    def with_result(cls, page: ComparisonPage) -> ComparisonDocument:
        """Return the comparison with its result, for its owner."""
        trial, estimate = page.trial, page.trial.estimate()
        return cls(
            **_common(page.line),
            margin=trial.hypotheses.margin,
            difference=Difference(**estimate._asdict()) if estimate else None,
            evidence=trial.llr,
            no_below=trial.hypotheses.lower,
            yes_above=trial.hypotheses.upper,
            newest=[ComparedGame.of(game) for game in page.games],
        )


def _common(line: ComparisonLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "new": ComparedVersion.of(line.new),
        "old": ComparedVersion.of(line.old),
        "game": GameDocument.of(line.ruleset),
        "state": line.state.lower(),
        "created_at": line.created_at,
        "ended_at": line.ended_at,
        "games": line.games,
    }
