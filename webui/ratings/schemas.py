"""What the HTTP API gives of ratings and ladders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from webui.ladders.values import LadderRef
from webui.ratings.values import BotStanding, LadderPage, LadderRow, LadderSummary, OverallPage, Rated, RatingPoint


class RatingDocument(Schema):
    """A rating as published."""

    points: int
    low: int = Field(description="The 95 % interval of the points.")
    high: int
    games: int = Field(description="That it follows from.")
    rank: int | None = Field(description="Null: it is not in the front view.")
    best: int | None = Field(description="The interval of the rank.")
    worst: int | None
    settled: bool = Field(description="It is told apart from both neighbours.")
    better: float | None = Field(description="Probability of being better than the next; null for the last.")
    games_needed: int | None = Field(description="About so many more games tell it apart from the next.")
    forfeits: int = Field(description="Games in which it gave up its seat.")

    @classmethod
    def of(cls, rated: Rated) -> RatingDocument:
        """The rating as it is shown."""
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
    """Where a version stands on a ladder."""

    ladder: str
    version: str
    rating: RatingDocument | None = Field(description="Null before the first fit in which it has played.")
    games: int
    wins: int

    @classmethod
    def of(cls, standing: BotStanding) -> StandingDocument:
        """The standing as it is shown."""
        return cls(
            ladder=standing.ladder.slug,
            version=standing.version.name,
            rating=RatingDocument.of(standing.rated) if standing.rated else None,
            games=standing.games,
            wins=standing.wins,
        )


Trends = Mapping[int, Sequence[int]]
"""By version."""


class LadderTermsDocument(Schema):
    """What is played on a ladder."""

    slug: str = Field(description="Its name in addresses.")
    title: str
    players: int
    expansions: list[str]
    clock: dict[str, Any]


class LadderLine(LadderTermsDocument):
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
    rating: RatingDocument | None = Field(description="Null before the first fit in which it has played.")
    games: int
    wins: int = Field(description="Games in which it came first, alone or with others.")
    trend: list[int] = Field(description="Its points at the latest fits, oldest first.")

    @classmethod
    def of(cls, row: LadderRow, trend: Sequence[int]) -> LadderStanding:
        """The line as the table shows it."""
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

    matches: int = Field(description="Rated matches that have finished.")
    rated_matches: int = Field(description="Matches that the published ratings cover.")
    rated_at: datetime | None = Field(description="When they were published.")
    standings: list[LadderStanding] = Field(description="Best first, those that are not rated yet last.")

    @classmethod
    def of(cls, page: LadderPage, trends: Trends) -> LadderDocument:
        """The ladder as its page shows it."""
        return cls(
            **_terms(page.ladder),
            matches=page.matches,
            rated_matches=page.fitted,
            rated_at=page.fitted_at,
            standings=_standings(page.rows, trends),
        )


class OverallLadder(Schema):
    """One strength over all ladders of a clock."""

    clock: dict[str, Any]
    ladders: int
    rated_matches: int = Field(description="Matches that the published ratings cover.")
    rated_at: datetime = Field(description="When they were published.")
    spread: float = Field(description="Points that a bot gains or loses on a ladder, as a standard deviation.")
    correlation: float = Field(description="Of the ratings of two ladders.")
    standings: list[LadderStanding] = Field(description="Best first; games and wins are of all these ladders.")

    @classmethod
    def of(cls, page: OverallPage, trends: Trends) -> OverallLadder:
        """The table as its page shows it."""
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
    games: int = Field(description="That it follows from.")
    points: int
    low: int = Field(description="The 95 % interval of the points.")
    high: int

    @classmethod
    def of(cls, point: RatingPoint) -> RatedPoint:
        """The point as a bot's page draws it."""
        return cls(version=point.version, games=point.games, points=point.points, low=point.low, high=point.high)


class RatingHistory(Schema):
    """The ratings of a bot on a ladder."""

    ladder: str
    points: list[RatedPoint] = Field(description="Those of the oldest version first; the latest 400.")


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
