"""Schemas for bots: what the API returns and accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from webui.api.lists import Page, PageQuery
from webui.api.schemas import IS_SET, Input, Joined, Name, ValueView, converted, source
from webui.bots.presence import Online
from webui.profiles.values import BotLine, BotPage
from webui.ratings.api import StandingDocument

State = Literal["active", "paused"]
ShownState = Annotated[State, converted(lambda state: "active" if state == "ACTIVE" else "paused")]
"""State of a bot. One that staff have locked is `paused`, since it gets no new matches either."""


class BotBase(ValueView):
    """Fields of a bot that both lists and its own page show."""

    slug: str = source("bot.slug", "Its name in addresses.")
    name: str = source("bot.name")
    owner: str = source("bot.owner")
    house: bool = source("bot.is_house", "A bot of the arena itself.")
    hosted: bool = source("bot.is_hosted", "The arena runs it now, not its author.")
    state: ShownState = Field(description="A bot that is paused gets no new matches.")
    retired: Annotated[bool, IS_SET] = source(
        "retired_at", "Its owner has retired it: it is paused and left out of lists."
    )
    online: bool | None = Field(description="Null: not known at the moment.")
    registered_at: datetime = source("created_at")


class BotSummary(BotBase):
    """A bot in a list of bots."""

    standing: StandingDocument | None = Field(description="Standing of its version with the most games.")


class BotsQuery(PageQuery):
    """Filters for the list of bots."""

    search: str = Field("", max_length=40, description="Part of the name of a bot, or of its owner.")
    house: bool | None = Field(None, description="True: only bots of the arena itself. False: only other bots.")
    hosted: bool | None = Field(None, description="True: only bots that the arena runs. False: only other bots.")
    online: bool = Field(False, description="True: only bots that are connected now.")


class Bots(Page[BotSummary]):
    """Bots, newest first."""


class BotDocument(BotBase):
    """A bot."""

    description: str
    standings: list[StandingDocument] = Field(description="Standings of its versions by ladder, newest version first.")


def with_online(bot: BotLine | BotPage, online: Online) -> Joined:
    """Return a bot with whether it is online."""
    return Joined(bot, online=None if online is None else bot.bot.id in online)


class NewBot(Input):
    """A bot to register."""

    name: Name = Field(description="Visible characters, including at least one letter or digit.")
    description: str = Field("", max_length=500, description="A line about how it thinks.")


class BotChange(Input):
    """Changes to a bot. Fields that are not given keep their values."""

    state: State | None = Field(None, description="`paused`: it gets no new matches. Running matches go on.")
    description: str | None = Field(None, max_length=500, description="A line about how it thinks.")
    retired: bool | None = Field(
        None, description="`true`: it is paused and left out of lists. `false`: it plays again."
    )
