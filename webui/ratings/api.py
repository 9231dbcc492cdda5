"""Routes for ladders and ratings, and what they show."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Router
from pydantic import Field

from webui.api.callers import Request
from webui.api.lists import Listed
from webui.api.schemas import AsDocument, Joined, ValueView, converted, source
from webui.bots import queries as bot_queries
from webui.core.errors import NotFound
from webui.ratings import queries
from webui.ratings.values import LadderPage, LadderSummary, OverallPage, RatedPoint

Probability = Annotated[float, converted(lambda value: round(value, 3))]


class RatingDocument(ValueView):
    """A published rating."""

    points: int
    low: int = Field(description="Lower bound of the 95 % interval of the points.")
    high: int
    games: int = Field(description="Number of games that it is based on.")
    rank: int | None = Field(description="Rank in the front view. Null if the version is not in it.")
    best: int | None = Field(description="Best rank of the rank interval.")
    worst: int | None
    settled: bool = source("is_settled", "Whether its strength is distinguishable from that of both neighbours.")
    better: Probability | None = Field(
        description="Probability of being better than the next bot. Null for the last one."
    )
    games_needed: int | None = Field(description="Estimated games until it is distinguishable from the next bot.")
    forfeits: int = Field(description="Number of games in which it forfeited.")


class StandingDocument(ValueView):
    """The standing of a version on a ladder."""

    ladder: str = source("ladder.slug")
    version: str = source("version.name")
    rating: RatingDocument | None = source("rated", "Null until the first fit after it has played.")
    games: int
    wins: int


class LadderTermsDocument(ValueView):
    """The terms of a ladder."""

    slug: str = source("ladder.slug", "Name in addresses.")
    title: str = source("ladder.title")
    players: int = source("ladder.players")
    expansions: list[str] = source("ladder.expansions")
    clock: AsDocument = source("ladder.clock")


class LadderLine(LadderTermsDocument):
    """A ladder in the list of ladders."""

    matches: int = Field(description="Number of rated matches that have finished.")
    versions: int = Field(description="Number of versions that have a standing.")


class Ladders(ValueView):
    """All ladders."""

    items: list[LadderLine]


class LadderStanding(ValueView):
    """A version on a ladder."""

    bot: str = source("version.bot.slug", "Bot, by its name in addresses.")
    name: str = source("version.bot.name")
    owner: str = source("version.bot.owner")
    house: bool = source("version.bot.is_house", "Whether it is a bot of the arena itself.")
    version: str = source("version.name")
    hosted: bool = source("version.is_hosted", "Whether the arena runs this version, not its author.")
    rating: RatingDocument | None = source("rated", "Null until the first fit after it has played.")
    games: int
    wins: int = Field(description="Number of games in which it came first, alone or tied.")
    trend: list[int] = Field(description="Points at the latest fits, oldest first.")


class LadderDocument(LadderTermsDocument):
    """A ladder with all its versions."""

    matches: int = Field(description="Number of rated matches that have finished.")
    rated_matches: int = source("fitted", "Number of matches that the published ratings cover.")
    rated_at: datetime | None = source("fitted_at", "Time when they were published.")
    standings: list[LadderStanding] = Field(description="Best first. Versions without a rating come last.")


class OverallLadder(ValueView):
    """Joint ratings over all ladders of a clock."""

    clock: AsDocument
    ladders: int
    rated_matches: int = source("fitted", "Number of matches that the published ratings cover.")
    rated_at: datetime = source("fitted_at", "Time when they were published.")
    spread: float = source("tau", "Standard deviation, in points, of a bot's strength between ladders.")
    correlation: float = Field(description="Correlation between the ratings of two ladders.")
    standings: list[LadderStanding] = Field(description="Best first. Games and wins are sums over these ladders.")


class RatingHistory(ValueView, use_attribute_docstrings=True):
    """The ratings of a bot on a ladder."""

    ladder: str
    points: list[RatedPoint] = Field(description="At most the latest 400 ratings, oldest version first.")


router = Router(tags=["ladders"])


@router.get("/ladders", response=Ladders)
def list_ladders(request: Request) -> Listed[LadderSummary]:
    """All ladders. The base game comes first; ladders of the same ruleset are sorted by their number of players."""
    return Listed(queries.ladders())


@router.get("/ladders/all", response=OverallLadder)
def get_overall_ladder(request: Request) -> Joined:
    """Joint ratings over all ladders of the clock that is played most."""
    page = queries.overall()
    if page is None:
        raise NotFound("there is no overall ladder before two ladders of a clock have ratings")
    return _with_trends(page, None)


@router.get("/ladders/{slug}", response=LadderDocument)
def get_ladder(request: Request, slug: str) -> Joined:
    """A ladder with its published ratings."""
    return _with_trends(queries.ladder(slug), slug)


@router.get("/ladders/{slug}/ratings/{bot}", response=RatingHistory)
def get_rating_history(request: Request, slug: str, bot: str) -> dict[str, Any]:
    """All published ratings of a bot's versions on a ladder."""
    return {"ladder": slug, "points": queries.rating_history(slug, bot_queries.version_ids(bot))}


def _with_trends(page: LadderPage | OverallPage, slug: str | None) -> Joined:
    trends = queries.trends(slug)
    return Joined(page, standings=[Joined(row, trend=trends.get(row.version.id, ())) for row in page.rows])
