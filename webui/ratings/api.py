"""Routes for ladders and ratings."""

from ninja import Router

from webui.api.callers import Request
from webui.bots import queries as bot_queries
from webui.core.errors import NotFound
from webui.ratings import queries
from webui.ratings.schemas import LadderDocument, LadderLine, Ladders, OverallLadder, RatedPoint, RatingHistory

router = Router(tags=["ladders"])


@router.get("/ladders", response=Ladders)
def list_ladders(request: Request) -> Ladders:
    """All ladders. The base game comes first; ladders of the same ruleset are sorted by their number of players."""
    return Ladders(items=[LadderLine.of(summary) for summary in queries.ladders()])


@router.get("/ladders/all", response=OverallLadder)
def get_overall_ladder(request: Request) -> OverallLadder:
    """Joint ratings over all ladders of the clock that is played most."""
    page = queries.overall()
    if page is None:
        raise NotFound("there is no overall ladder before two ladders of a clock have ratings")
    return OverallLadder.of(page, queries.trends(None))


@router.get("/ladders/{slug}", response=LadderDocument)
def get_ladder(request: Request, slug: str) -> LadderDocument:
    """A ladder with its published ratings."""
    return LadderDocument.of(queries.ladder(slug), queries.trends(slug))


@router.get("/ladders/{slug}/ratings/{bot}", response=RatingHistory)
def get_rating_history(request: Request, slug: str, bot: str) -> RatingHistory:
    """All published ratings of a bot's versions on a ladder."""
    versions = bot_queries.version_ids(bot)
    return RatingHistory(ladder=slug, points=[RatedPoint.of(one) for one in queries.rating_history(slug, versions)])
