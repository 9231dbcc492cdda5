"""Versions of bots through the HTTP API."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from ninja import Query, Router, Schema
from pydantic import Field

from webui.api.callers import Request, actor, needs, own_bot
from webui.api.lists import Page, PageQuery, page_of
from webui.api.schemas import Input
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import retirement
from webui.bots.actions import LONGEST_NOTE
from webui.bots.values import BotVersionLine
from webui.profiles import queries
from webui.profiles.statistics import BotStatistics, FaultCount, Share


class Version(Schema):
    """A version of a bot."""

    name: str
    created_at: datetime
    note: str = Field(description="Note by its author.")
    ready: bool = Field(description="It was released and has not connected yet.")
    examination: str | None = Field(description="The latest match in which it passed an examination.")
    retired: bool = Field(description="It gets no new matches and is left out of lists.")

    @classmethod
    def of(cls, line: BotVersionLine) -> Version:
        """Return the version as the bot's page shows it."""
        return cls(
            name=line.version.name,
            created_at=line.created_at,
            note=line.note,
            ready=line.is_ready,
            examination=line.examination,
            retired=line.retired_at is not None,
        )


class VersionChange(Input):
    """Changes to a version. Fields that are not given keep their values."""

    note: str | None = Field(None, max_length=LONGEST_NOTE, description="Everybody can read it.")
    retired: bool | None = Field(None, description="`true`: it plays no more. `false`: it plays again.")


class Versions(Page[Version]):
    """Versions of a bot, newest first."""


class WinShare(Schema):
    """A share of wins, in percent."""

    number: int = Field(description="The seat, or the number of players.")
    games: int
    wins: int
    percent: int
    low: int = Field(description="Lower end of the 95 % confidence interval.")
    high: int
    equal: int = Field(description="Share that bots of equal strength would have.")

    @classmethod
    def of(cls, share: Share) -> WinShare:
        """Return the share as the API shows it."""
        return cls(
            number=share.number,
            games=share.games,
            wins=share.wins,
            percent=share.percent,
            low=share.low,
            high=share.high,
            equal=share.equal,
        )


class Faults(Schema):
    """Matches with a fault."""

    reason: str
    matches: int
    latest: str

    @classmethod
    def of(cls, count: FaultCount) -> Faults:
        """Return the count as the API shows it."""
        return cls(reason=count.reason, matches=count.matches, latest=count.latest)


class Meetings(Schema):
    """Games with an opponent, with one number of players."""

    players: int
    games: int
    percent: int = Field(description="Share of these games in which the bot placed above it. Ties count half.")


class RivalDocument(Schema):
    """An opponent."""

    bot: str = Field(description="Its name in addresses.")
    name: str
    meetings: list[Meetings]


class ThinkTimesDocument(Schema):
    """Think times of a bot over the decisions of its latest matches."""

    decisions: int = Field(description="Number of decisions. 0: none is known.")
    median_ms: int | None
    slowest_ms: int | None


class Statistics(Schema):
    """Counts over a bot's latest matches, without challenges and comparisons."""

    games: int = Field(description="Matches with a result.")
    by_players: list[WinShare]
    by_seat: list[WinShare]
    forfeits: list[Faults]
    declined: Faults | None
    rivals: list[RivalDocument] = Field(description="Opponents that it met most often.")

    @classmethod
    def of(cls, found: BotStatistics) -> Statistics:
        """Return the statistics as the bot's page shows them."""
        return cls(
            games=found.games,
            by_players=[WinShare.of(share) for share in found.by_players],
            by_seat=[WinShare.of(share) for share in found.by_seat],
            forfeits=[Faults.of(count) for count in found.forfeits],
            declined=Faults.of(found.declined) if found.declined else None,
            rivals=[
                RivalDocument(
                    bot=rival.slug,
                    name=rival.name,
                    meetings=[
                        Meetings(players=players, games=meeting.games, percent=meeting.percent)
                        for players, meeting in zip(found.counts, rival.meetings, strict=True)
                        if meeting
                    ],
                )
                for rival in found.rivals
            ],
        )


router = Router(tags=["bots"])


@router.get("/bots/{slug}/versions", response=Versions)
def list_versions(request: Request, slug: str, asked: Query[PageQuery]) -> Page[Version]:
    """Versions of a bot, newest first."""
    found = bot_queries.bot_versions(slug, before=asked.after(int), limit=asked.limit + 1)
    return page_of(found, asked, lambda line: line.version.id, Version.of)


@router.patch("/bots/{slug}/versions/{version}", response=Version, **needs("bots"))
def change_version(request: Request, slug: str, version: str, change: VersionChange) -> Version:
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
    return Version.of(bot_queries.own_version(bot_id, version_id))


@router.get("/bots/{slug}/statistics", response=Statistics)
def get_statistics(request: Request, slug: str) -> Statistics:
    """Counts over a bot's latest matches by number of players, by seat and by fault."""
    page = queries.bot_page(slug, matches_shown=0, limit=0)
    return Statistics.of(BotStatistics.of(page.past))


@router.get("/bots/{slug}/think-times", response=ThinkTimesDocument, **needs("read", "bots"))
def get_think_times(request: Request, slug: str) -> ThinkTimesDocument:
    """Think times of a bot of yours over the decisions of its latest matches."""
    page = queries.bot_page(own_bot(request, slug).bot.slug, matches_shown=0, limit=0)
    found = queries.think_times(page.version_ids)
    if found is None:
        return ThinkTimesDocument(decisions=0, median_ms=None, slowest_ms=None)
    return ThinkTimesDocument(decisions=found.decisions, median_ms=found.median, slowest_ms=found.slowest)
