"""Versions of a bot, and its statistics, as the API shows them."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field

from webui.api.lists import Page
from webui.api.schemas.base import Input
from webui.ladder.actions import LONGEST_NOTE
from webui.ladder.values import BotVersionLine
from webui.site.bot_statistics import BotStatistics, FaultCount, Share


class Version(Schema):
    """A version of a bot."""

    name: str
    created_at: datetime
    note: str = Field(description="What its author says of it.")
    ready: bool = Field(description="It was released, and has not said hello yet.")
    examination: str | None = Field(description="The latest match in which it has passed an examination.")
    retired: bool = Field(description="It gets no new matches, and the front views leave it out.")

    @classmethod
    def of(cls, line: BotVersionLine) -> Version:
        """The version as the bot's page shows it."""
        return cls(
            name=line.version.name,
            created_at=line.created_at,
            note=line.note,
            ready=line.is_ready,
            examination=line.examination,
            retired=line.retired_at is not None,
        )


class VersionChange(Input):
    """What is changed of a version; what is not given stays."""

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
    low: int = Field(description="The 95 % interval.")
    high: int
    equal: int = Field(description="What equal bots would have.")

    @classmethod
    def of(cls, share: Share) -> WinShare:
        """The share as it is shown."""
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
        """The count as it is shown."""
        return cls(reason=count.reason, matches=count.matches, latest=count.latest)


class Meetings(Schema):
    """Games with an opponent, with one number of players."""

    players: int
    games: int
    percent: int = Field(description="Of them in which the bot placed above it, ties as halves.")


class Rival(Schema):
    """An opponent."""

    bot: str = Field(description="Its name in addresses.")
    name: str
    meetings: list[Meetings]


class ThinkTimes(Schema):
    """How long a bot thought over its decisions in its latest matches."""

    decisions: int = Field(description="0: none is known.")
    median_ms: int | None
    slowest_ms: int | None


class Statistics(Schema):
    """A bot's latest matches, counted, without challenges and comparisons."""

    games: int = Field(description="Those with a result.")
    by_players: list[WinShare]
    by_seat: list[WinShare]
    forfeits: list[Faults]
    declined: Faults | None
    rivals: list[Rival] = Field(description="Those that it met most often.")

    @classmethod
    def of(cls, found: BotStatistics) -> Statistics:
        """The statistics as the bot's page shows them."""
        return cls(
            games=found.games,
            by_players=[WinShare.of(share) for share in found.by_players],
            by_seat=[WinShare.of(share) for share in found.by_seat],
            forfeits=[Faults.of(count) for count in found.forfeits],
            declined=Faults.of(found.declined) if found.declined else None,
            rivals=[
                Rival(
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
