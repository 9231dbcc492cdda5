"""Versions of bots through the HTTP API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.db import transaction
from ninja import Query, Router
from pydantic import Field

from webui.api.callers import Request, actor, needs, own_bot
from webui.api.lists import Listed, Page, PageQuery, page_of
from webui.api.schemas import IS_SET, Input, ValueView, converted, source
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import retirement
from webui.bots.actions import LONGEST_NOTE
from webui.bots.values import BotVersionLine
from webui.profiles import queries
from webui.profiles.statistics import BotStatistics, Faults, Meetings, WinShare
from webui.profiles.values import ThinkTimes


class Version(ValueView):
    """A version of a bot."""

    name: str = source("version.name")
    created_at: datetime
    note: str = Field(description="Note by its author.")
    hosted: bool = source("version.is_hosted", "The arena runs it, not its author.")
    ready: bool = source("is_ready", "It was released and has not connected yet.")
    examination: str | None = Field(description="The latest match in which it passed an examination.")
    retired: Annotated[bool, IS_SET] = source("retired_at", "It gets no new matches and is left out of lists.")


class VersionChange(Input):
    """Changes to a version. Fields that are not given keep their values."""

    note: str | None = Field(None, max_length=LONGEST_NOTE, description="Everybody can read it.")
    retired: bool | None = Field(None, description="`true`: it plays no more. `false`: it plays again.")


class Versions(Page[Version]):
    """Versions of a bot, newest first."""


class RivalDocument(ValueView, use_attribute_docstrings=True):
    """An opponent."""

    bot: str = source("slug", "Its name in addresses.")
    name: str
    meetings: Annotated[list[Meetings], converted(lambda meetings: [each for each in meetings if each])]


class ThinkTimesDocument(ValueView):
    """Think times of a bot over the decisions of its latest matches."""

    decisions: int = Field(description="Number of decisions. 0: none is known.")
    median_ms: int | None = source("median")
    slowest_ms: int | None = source("slowest")


class Statistics(ValueView, use_attribute_docstrings=True):
    """Counts over a bot's latest matches, without challenges and comparisons."""

    games: int = Field(description="Matches with a result.")
    by_players: list[WinShare]
    by_seat: list[WinShare]
    forfeits: list[Faults]
    declined: Faults | None
    rivals: list[RivalDocument] = Field(description="Opponents that it met most often.")


router = Router(tags=["bots"])


@router.get("/bots/{slug}/versions", response=Versions)
def list_versions(request: Request, slug: str, query: Query[PageQuery]) -> Listed[BotVersionLine]:
    """Versions of a bot, newest first."""
    versions = bot_queries.bot_versions(slug, before=query.after(int), limit=query.limit + 1)
    return page_of(versions, query, lambda line: line.version.id)


@router.patch("/bots/{slug}/versions/{version}", response=Version, **needs("bots"))
def change_version(request: Request, slug: str, version: str, change: VersionChange) -> BotVersionLine:
    """Set the note of a version of a bot of yours, or retire the version.

    Running matches go on. A retired version can be brought back.
    """
    bot_id = own_bot(request, slug).bot.id
    version_id = bot_queries.version_id(bot_id, version)
    with transaction.atomic():  # all changes or none
        if change.retired is not None:
            change_it = retirement.retire_version if change.retired else retirement.bring_back_version
            change_it(bot_id, version, by=actor(request))
        if change.note is not None:
            bot_actions.release_version(bot_id, version, change.note)
    return bot_queries.own_version(bot_id, version_id)


@router.get("/bots/{slug}/statistics", response=Statistics)
def get_statistics(request: Request, slug: str) -> BotStatistics:
    """Counts over a bot's latest matches by number of players, by seat and by fault."""
    page = queries.bot_page(slug, matches_shown=0, limit=0)
    return BotStatistics.of(page.past)


@router.get("/bots/{slug}/think-times", response=ThinkTimesDocument, **needs("read", "bots"))
def get_think_times(request: Request, slug: str) -> ThinkTimes:
    """Think times of a bot of yours over the decisions of its latest matches."""
    page = queries.bot_page(own_bot(request, slug).bot.slug, matches_shown=0, limit=0)
    return queries.think_times(page.version_ids) or ThinkTimes(0, None, None)
