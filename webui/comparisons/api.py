"""Routes of comparisons of versions."""

from ninja import Query, Router, Status

from webui.api.callers import Request, caller, needs, own_bot
from webui.api.lists import Listed, PageQuery, page_of
from webui.api.schemas import Joined
from webui.bots import queries as bot_queries
from webui.comparisons import actions, queries
from webui.comparisons.schemas import ComparisonDocument, ComparisonOrder, Comparisons, VersionOrder
from webui.comparisons.values import ComparisonLine, ComparisonPage
from webui.core.errors import NotFound

router = Router(tags=["comparisons"])


@router.post("/comparisons", response={201: ComparisonDocument}, **needs("challenges"))
def start_comparison(request: Request, order: ComparisonOrder) -> Status[Joined]:
    """Test whether a version of yours is better than another one.

    The games are unrated. The comparison ends as soon as the answer is known.
    """
    made = actions.compare_versions(
        caller(request).user_id,
        _version(order.new),
        _version(order.old),
        order.game.ruleset,
        margin=order.margin,
    )
    return Status(201, _with_result(queries.comparison_page(made)))


@router.get("/comparisons/{comparison_id}", response=ComparisonDocument, **needs("read", "challenges"))
def get_comparison(request: Request, comparison_id: str) -> Joined:
    """A comparison of yours, with its current state."""
    return _with_result(_own(request, comparison_id))


@router.delete("/comparisons/{comparison_id}", response=ComparisonDocument, **needs("challenges"))
def stop_comparison(request: Request, comparison_id: str) -> Joined:
    """Stop a comparison of yours without an answer.

    Its running matches go on. If it has ended already, it stays as it is.
    """
    actions.stop_comparison(_own(request, comparison_id).line.id, caller(request).user_id)
    return _with_result(_own(request, comparison_id))


@router.get("/bots/{slug}/comparisons", response=Comparisons, **needs("read", "challenges"))
def list_comparisons(request: Request, slug: str, page: Query[PageQuery]) -> Listed[ComparisonLine]:
    """Comparisons of versions of a bot of yours, newest first."""
    bot_id = own_bot(request, slug).bot.id
    comparisons = queries.comparisons_of(bot_id, page.limit + 1, before=page.after(str))
    return page_of(comparisons, page, lambda line: line.id)


def _version(order: VersionOrder) -> int:
    bot = bot_queries.find_bot(order.bot)
    if bot is None:
        raise NotFound(f"there is no bot {order.bot!r}")
    return bot_queries.version_id(bot.id, order.version)


def _own(request: Request, comparison_id: str) -> ComparisonPage:
    """Return a comparison of the caller. Raise `NotFound` for somebody else's."""
    page = queries.comparison_page(comparison_id)
    if page.owner_id != caller(request).user_id:
        raise NotFound(f"there is no comparison {comparison_id!r}")
    return page


def _with_result(page: ComparisonPage) -> Joined:
    return Joined(page.line, page.trial, difference=page.trial.estimate(), newest=page.games)
