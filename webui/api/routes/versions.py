"""Versions of a bot, and its statistics."""

from ninja import Query, Router

from webui.api.callers import Request
from webui.api.lists import Page, PageQuery, page_of
from webui.api.schemas.versions import Statistics, Version, Versions
from webui.ladder import queries
from webui.site.bot_statistics import BotStatistics

router = Router(tags=["bots"])


@router.get("/bots/{slug}/versions", response=Versions)
def list_versions(request: Request, slug: str, asked: Query[PageQuery]) -> Page[Version]:
    """Versions of a bot, newest first."""
    found = queries.bot_versions(slug, before=asked.after(int), limit=asked.limit + 1)
    return page_of(found, asked, lambda line: line.version.id, Version.of)


@router.get("/bots/{slug}/statistics", response=Statistics)
def get_statistics(request: Request, slug: str) -> Statistics:
    """A bot's latest matches, counted by number of players, by seat and by fault."""
    page = queries.bot_page(slug, matches_shown=0, limit=0)
    return Statistics.of(BotStatistics.of(page.past))
