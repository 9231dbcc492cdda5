"""Routes for ladders and ratings."""

from typing import Any

from ninja import Router

from webui.api.callers import Request
from webui.api.lists import Listed
from webui.api.schemas import Joined
from webui.bots import queries as bot_queries
from webui.core.errors import NotFound
from webui.ratings import queries
from webui.ratings.schemas import LadderDocument, Ladders, OverallLadder, RatingHistory
from webui.ratings.values import LadderPage, LadderSummary, OverallPage

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
