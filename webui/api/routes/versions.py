"""Versions of a bot, and its statistics."""

from django.db import transaction
from ninja import Query, Router

from webui.api.callers import Request, actor, needs, own_bot
from webui.api.lists import Page, PageQuery, page_of
from webui.api.schemas.versions import Statistics, ThinkTimes, Version, VersionChange, Versions
from webui.ladder import actions, queries
from webui.site.bot_statistics import BotStatistics

router = Router(tags=["bots"])


@router.get("/bots/{slug}/versions", response=Versions)
def list_versions(request: Request, slug: str, asked: Query[PageQuery]) -> Page[Version]:
    """Versions of a bot, newest first."""
    found = queries.bot_versions(slug, before=asked.after(int), limit=asked.limit + 1)
    return page_of(found, asked, lambda line: line.version.id, Version.of)


@router.patch("/bots/{slug}/versions/{version}", response=Version, **needs("bots"))
def change_version(request: Request, slug: str, version: str, change: VersionChange) -> Version:
    """Say what is new in a version of a bot of yours, or retire it.

    Matches that run go on. A version that has retired can be brought back.
    """
    bot_id = own_bot(request, slug).bot.id
    version_id = queries.version_id(bot_id, version)
    with transaction.atomic():  # all of it or nothing
        if change.retired is not None:
            change_it = actions.retire_version if change.retired else actions.bring_back_version
            change_it(bot_id, version, by=actor(request))
        if change.note is not None:
            actions.release_version(bot_id, version, change.note)
    return Version.of(queries.own_version(bot_id, version_id))


@router.get("/bots/{slug}/statistics", response=Statistics)
def get_statistics(request: Request, slug: str) -> Statistics:
    """A bot's latest matches, counted by number of players, by seat and by fault."""
    page = queries.bot_page(slug, matches_shown=0, limit=0)
    return Statistics.of(BotStatistics.of(page.past))


@router.get("/bots/{slug}/think-times", response=ThinkTimes, **needs("read", "bots"))
def get_think_times(request: Request, slug: str) -> ThinkTimes:
    """How long a bot of yours thought over its decisions in its latest matches."""
    page = queries.bot_page(own_bot(request, slug).bot.slug, matches_shown=0, limit=0)
    found = queries.think_times(page.version_ids)
    if found is None:
        return ThinkTimes(decisions=0, median_ms=None, slowest_ms=None)
    return ThinkTimes(decisions=found.decisions, median_ms=found.median, slowest_ms=found.slowest)
