"""Ladders as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from webui.api.schemas.bots import Rating
from webui.ladder.values import LadderPage, LadderRef, LadderRow, LadderSummary


class LadderTerms(Schema):
    """What is played on a ladder."""

    slug: str = Field(description="Its name in addresses.")
    title: str
    players: int
    expansions: list[str]
    clock: dict[str, Any]


class LadderLine(LadderTerms):
    """A ladder in the list of ladders."""

    matches: int = Field(description="Rated matches that have finished.")
    versions: int = Field(description="That stand on it.")

    @classmethod
    def of(cls, summary: LadderSummary) -> LadderLine:
        """The ladder as a list shows it."""
        return cls(**_terms(summary.ladder), matches=summary.matches, versions=summary.versions)


class Ladders(Schema):
    """All ladders."""

    items: list[LadderLine]


class LadderStanding(Schema):
    """A version on a ladder."""

    bot: str = Field(description="Its name in addresses.")
    name: str
    owner: str
    house: bool = Field(description="A bot of the arena itself.")
    version: str
    rating: Rating | None = Field(description="Null before the first fit in which it has played.")
    games: int
    wins: int = Field(description="Games in which it came first, alone or with others.")

    @classmethod
    def of(cls, row: LadderRow) -> LadderStanding:
        """The line as the table shows it."""
        bot = row.version.bot
        return cls(
            bot=bot.slug,
            name=bot.name,
            owner=bot.owner,
            house=bot.is_house,
            version=row.version.name,
            rating=Rating.of(row.rated) if row.rated else None,
            games=row.games,
            wins=row.wins,
        )


class Ladder(LadderTerms):
    """A ladder with all its versions."""

    matches: int = Field(description="Rated matches that have finished.")
    rated_matches: int = Field(description="Matches that the published ratings cover.")
    rated_at: datetime | None = Field(description="When they were published.")
    standings: list[LadderStanding] = Field(description="Best first, those that are not rated yet last.")

    @classmethod
    def of(cls, page: LadderPage) -> Ladder:
        """The ladder as its page shows it."""
        return cls(
            **_terms(page.ladder),
            matches=page.matches,
            rated_matches=page.fitted,
            rated_at=page.fitted_at,
            standings=[LadderStanding.of(row) for row in page.rows],
        )


def _terms(ladder: LadderRef) -> dict[str, Any]:
    return {
        "slug": ladder.slug,
        "title": ladder.title,
        "players": ladder.players,
        "expansions": list(ladder.expansions),
        "clock": dict(ladder.clock),
    }
