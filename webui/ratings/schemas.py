"""Schemas of the HTTP API for ratings and ladders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from webui.ladders.values import LadderRef
from webui.ratings.values import BotStanding, LadderPage, LadderRow, LadderSummary, OverallPage, Rated, RatingPoint


class RatingDocument(Schema):
    """A published rating."""

    points: int
    low: int = Field(description="Lower bound of the 95 % interval of the points.")
    high: int
    games: int = Field(description="Number of games that it is based on.")
    rank: int | None = Field(description="Rank in the front view. Null if the version is not in it.")
    best: int | None = Field(description="Best rank of the rank interval.")
    worst: int | None
    settled: bool = Field(description="Whether its strength is distinguishable from that of both neighbours.")
    better: float | None = Field(description="Probability of being better than the next bot. Null for the last one.")
    games_needed: int | None = Field(description="Estimated games until it is distinguishable from the next bot.")
    forfeits: int = Field(description="Number of games in which it forfeited.")

    @classmethod
    def of(cls, rated: Rated) -> RatingDocument:
        """Make the document of a rating."""
        return cls(
            points=rated.points,
            low=rated.low,
            high=rated.high,
            games=rated.games,
            rank=rated.rank,
            best=rated.best,
            worst=rated.worst,
            settled=rated.is_settled,
            better=rated.better and round(rated.better, 3),
            games_needed=rated.games_needed,
            forfeits=rated.forfeits,
        )


class StandingDocument(Schema):
    """The standing of a version on a ladder."""

    ladder: str
    version: str
    rating: RatingDocument | None = Field(description="Null until the first fit after it has played.")
    games: int
    wins: int

    @classmethod
    def of(cls, standing: BotStanding) -> StandingDocument:
        """Make the document of a standing."""
        return cls(
            ladder=standing.ladder.slug,
            version=standing.version.name,
            rating=RatingDocument.of(standing.rated) if standing.rated else None,
            games=standing.games,
            wins=standing.wins,
        )


Trends = Mapping[int, Sequence[int]]
"""Points at the latest fits, by version id."""


class LadderTermsDocument(Schema):
    """The terms of a ladder."""

    slug: str = Field(description="Name in addresses.")
    title: str
    players: int
    expansions: list[str]
    clock: dict[str, Any]


class LadderLine(LadderTermsDocument):
    """A ladder in the list of ladders."""

    matches: int = Field(description="Number of rated matches that have finished.")
    versions: int = Field(description="Number of versions that have a standing.")

    @classmethod
    def of(cls, summary: LadderSummary) -> LadderLine:
        """Make the document of a ladder in a list."""
        return cls(**_terms(summary.ladder), matches=summary.matches, versions=summary.versions)


class Ladders(Schema):
    """All ladders."""

    items: list[LadderLine]


class LadderStanding(Schema):
    """A version on a ladder."""

    bot: str = Field(description="Bot, by its name in addresses.")
    name: str
    owner: str
    house: bool = Field(description="Whether it is a bot of the arena itself.")
    version: str
    rating: RatingDocument | None = Field(description="Null until the first fit after it has played.")
    games: int
    wins: int = Field(description="Number of games in which it came first, alone or tied.")
    trend: list[int] = Field(description="Points at the latest fits, oldest first.")

    @classmethod
    def of(cls, row: LadderRow, trend: Sequence[int]) -> LadderStanding:
        """Make the document of a line."""
        bot = row.version.bot
        return cls(
            bot=bot.slug,
            name=bot.name,
            owner=bot.owner,
            house=bot.is_house,
            version=row.version.name,
            rating=RatingDocument.of(row.rated) if row.rated else None,
            games=row.games,
            wins=row.wins,
            trend=list(trend),
        )


class LadderDocument(LadderTermsDocument):
    """A ladder with all its versions."""

    matches: int = Field(description="Number of rated matches that have finished.")
    rated_matches: int = Field(description="Number of matches that the published ratings cover.")
    rated_at: datetime | None = Field(description="Time when they were published.")
    standings: list[LadderStanding] = Field(description="Best first. Versions without a rating come last.")

    @classmethod
    def of(cls, page: LadderPage, trends: Trends) -> LadderDocument:
        """Make the document of a ladder."""
        return cls(
            **_terms(page.ladder),
            matches=page.matches,
            rated_matches=page.fitted,
            rated_at=page.fitted_at,
            standings=_standings(page.rows, trends),
        )


class OverallLadder(Schema):
    """Joint ratings over all ladders of a clock."""

    clock: dict[str, Any]
    ladders: int
    rated_matches: int = Field(description="Number of matches that the published ratings cover.")
    rated_at: datetime = Field(description="Time when they were published.")
    spread: float = Field(description="Standard deviation, in points, of a bot's strength between ladders.")
    correlation: float = Field(description="Correlation between the ratings of two ladders.")
    standings: list[LadderStanding] = Field(description="Best first. Games and wins are sums over these ladders.")

    @classmethod
    def of(cls, page: OverallPage, trends: Trends) -> OverallLadder:
        """Make the document of the joint ratings."""
        return cls(
            clock=dict(page.clock),
            ladders=page.ladders,
            rated_matches=page.fitted,
            rated_at=page.fitted_at,
            spread=page.tau,
            correlation=page.correlation,
            standings=_standings(page.rows, trends),
        )


class RatedPoint(Schema):
    """A published rating of a version."""

    version: str
    games: int = Field(description="Number of games that it is based on.")
    points: int
    low: int = Field(description="Lower bound of the 95 % interval of the points.")
    high: int

    @classmethod
    def of(cls, point: RatingPoint) -> RatedPoint:
        """Make the document of a published rating."""
        return cls(version=point.version, games=point.games, points=point.points, low=point.low, high=point.high)


class RatingHistory(Schema):
    """The ratings of a bot on a ladder."""

    ladder: str
    points: list[RatedPoint] = Field(description="At most the latest 400 ratings, oldest version first.")


def _standings(rows: Sequence[LadderRow], trends: Trends) -> list[LadderStanding]:
    return [LadderStanding.of(row, trends.get(row.version.id, ())) for row in rows]


def _terms(ladder: LadderRef) -> dict[str, Any]:
    return {
        "slug": ladder.slug,
        "title": ladder.title,
        "players": ladder.players,
        "expansions": list(ladder.expansions),
        "clock": dict(ladder.clock),
    }
