"""Bots as the API shows them, and takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from arena.bus import Presence
from webui.api.lists import Page, PageQuery
from webui.api.schemas import Input, Name
from webui.bots.values import BotRef
from webui.profiles.values import BotLine, BotPage
from webui.ratings.schemas import StandingDocument

Online = Mapping[int, Sequence[Presence]] | None
"""The connected processes of each bot; None: not known."""
State = Literal["active", "paused"]


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

    standing: StandingDocument | None = Field(description="That of its version with the most games.")

    @classmethod
    def of(cls, line: BotLine, online: Online) -> BotSummary:
        """The bot as a list shows it."""
        standing = StandingDocument.of(line.standing) if line.standing else None
        common = _common(line.bot, line.state, line.created_at, online)
        return cls(**common, retired=line.is_retired, standing=standing)


class BotsQuery(PageQuery):
    """Which bots are asked for."""

    search: str = Field("", max_length=40, description="Part of the name of a bot, or of its owner.")
    house: bool | None = Field(None, description="Bots of the arena itself, or others.")
    online: bool = Field(False, description="Those alone that are connected now.")


class Bots(Page[BotSummary]):
    """Bots, newest first."""


class BotDocument(BotBase):
    """A bot."""

    description: str
    standings: list[StandingDocument] = Field(description="Of its versions, by ladder, newest version first.")

    @classmethod
    def of(cls, page: BotPage, online: Online) -> BotDocument:
        """The bot as its page shows it."""
        return cls(
            **_common(page.bot, page.state, page.created_at, online),
            retired=page.retired_at is not None,
            description=page.description,
            standings=[StandingDocument.of(standing) for standing in page.standings],
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
