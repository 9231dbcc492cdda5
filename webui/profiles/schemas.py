"""Schemas for bots: what the API returns and accepts."""

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
"""Connected processes of each bot, by the bot's id. None: not known."""
State = Literal["active", "paused"]


class BotBase(Schema):
    """Fields of a bot that both lists and its own page show."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    owner: str
    house: bool = Field(description="A bot of the arena itself.")
    state: State = Field(description="A bot that is paused gets no new matches.")
    retired: bool = Field(description="Its owner has retired it: it is paused and left out of lists.")
    online: bool | None = Field(description="Null: not known at the moment.")
    registered_at: datetime


class BotSummary(BotBase):
    """A bot in a list of bots."""

    standing: StandingDocument | None = Field(description="Standing of its version with the most games.")

    @classmethod
    def of(cls, line: BotLine, online: Online) -> BotSummary:
        """Return the bot as a list shows it."""
        standing = StandingDocument.of(line.standing) if line.standing else None
        common = _common(line.bot, line.state, line.created_at, online)
        return cls(**common, retired=line.is_retired, standing=standing)


class BotsQuery(PageQuery):
    """Filters for the list of bots."""

    search: str = Field("", max_length=40, description="Part of the name of a bot, or of its owner.")
    house: bool | None = Field(None, description="True: only bots of the arena itself. False: only other bots.")
    online: bool = Field(False, description="True: only bots that are connected now.")


class Bots(Page[BotSummary]):
    """Bots, newest first."""


class BotDocument(BotBase):
    """A bot."""

    description: str
    standings: list[StandingDocument] = Field(description="Standings of its versions by ladder, newest version first.")

    @classmethod
    def of(cls, page: BotPage, online: Online) -> BotDocument:
        """Return the bot as its page shows it."""
        return cls(
            **_common(page.bot, page.state, page.created_at, online),
            retired=page.retired_at is not None,
            description=page.description,
            standings=[StandingDocument.of(standing) for standing in page.standings],
        )


def bot_state(state: str) -> State:
    """Return the state that the API shows. A bot that staff have locked is `paused`, since it gets no new matches
    either.
    """
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
