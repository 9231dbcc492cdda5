"""Bots as the API shows them, and takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from arena.bus import Presence
from webui.api.lists import Page, PageQuery
from webui.api.schemas.base import Input, Name
from webui.ladder.values import BotLine, BotPage, BotRef, BotStanding, Rated

Online = Mapping[int, Sequence[Presence]] | None
"""The connected processes of each bot; None: not known."""
State = Literal["active", "paused"]


class Rating(Schema):
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
    def of(cls, rated: Rated) -> Rating:
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


class Standing(Schema):
    """Where a version stands on a ladder."""

    ladder: str
    version: str
    rating: Rating | None = Field(description="Null before the first fit in which it has played.")
    games: int
    wins: int

    @classmethod
    def of(cls, standing: BotStanding) -> Standing:
        """The standing as it is shown."""
        return cls(
            ladder=standing.ladder.slug,
            version=standing.version.name,
            rating=Rating.of(standing.rated) if standing.rated else None,
            games=standing.games,
            wins=standing.wins,
        )


class BotBase(Schema):
    """What lists and the bot's own page show."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    owner: str
    house: bool = Field(description="A bot of the arena itself.")
    state: State = Field(description="A bot that is paused gets no new matches.")
    retired: bool = Field(description="Its owner has done with it: it is paused, and the front views leave it out.")
    online: bool | None = Field(description="Null: not known at the moment.")
    registered_at: datetime


class BotSummary(BotBase):
    """A bot in a list of bots."""

    standing: Standing | None = Field(description="That of its version with the most games.")

    @classmethod
    def of(cls, line: BotLine, online: Online) -> BotSummary:
        """The bot as a list shows it."""
        standing = Standing.of(line.standing) if line.standing else None
        common = _common(line.bot, line.state, line.created_at, online)
        return cls(**common, retired=line.is_retired, standing=standing)


class BotsQuery(PageQuery):
    """Which bots are asked for."""

    search: str = Field("", max_length=40, description="Part of the name of a bot, or of its owner.")
    house: bool | None = Field(None, description="Bots of the arena itself, or others.")
    online: bool = Field(False, description="Those alone that are connected now.")


class Bots(Page[BotSummary]):
    """Bots, newest first."""


class Bot(BotBase):
    """A bot."""

    description: str
    standings: list[Standing] = Field(description="Of its versions, by ladder, newest version first.")

    @classmethod
    def of(cls, page: BotPage, online: Online) -> Bot:
        """The bot as its page shows it."""
        return cls(
            **_common(page.bot, page.state, page.created_at, online),
            retired=page.retired_at is not None,
            description=page.description,
            standings=[Standing.of(standing) for standing in page.standings],
        )


def bot_state(state: str) -> State:
    """One that staff have locked is `paused` for programs: it gets no new matches, either."""
    return "active" if state == "ACTIVE" else "paused"


def _common(bot: BotRef, state: str, since: datetime, online: Online) -> dict[str, Any]:
    return {
        "slug": bot.slug,
        "name": bot.name,
        "owner": bot.owner,
        "house": bot.is_house,
        "state": bot_state(state),
        "online": None if online is None else bot.id in online,
        "registered_at": since,
    }


class NewBot(Input):
    """A bot to be registered."""

    name: Name = Field(description="Characters that can be seen, at least one of them a letter or a digit.")
    description: str = Field("", max_length=500, description="A line about how it thinks.")


class BotChange(Input):
    """What is changed of a bot; what is not given stays."""

    state: State | None = Field(None, description="`paused`: it gets no new matches; those that run go on.")
    description: str | None = Field(None, max_length=500, description="A line about how it thinks.")
    retired: bool | None = Field(
        None, description="`true`: it is paused, and leaves the front views. `false`: it plays again."
    )
