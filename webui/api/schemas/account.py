"""What only the owner of an account sees of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from ninja import Schema
from pydantic import Field

from webui.api.schemas.bots import State
from webui.ladder.values import OwnBot
from webui.ladder.values.notices import NoticeLine


class OwnBotLine(Schema):
    """A bot of the caller's."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    description: str
    state: State
    versions: int

    @classmethod
    def of(cls, own: OwnBot) -> OwnBotLine:
        """The bot as its owner sees it."""
        return cls(
            slug=own.bot.slug,
            name=own.bot.name,
            description=own.description,
            state=cast(State, own.state.lower()),
            versions=own.versions,
        )


class OwnBots(Schema):
    """The caller's bots, by name."""

    items: list[OwnBotLine]


class Notice(Schema):
    """Something that the caller was told."""

    kind: str
    data: dict[str, Any]
    event: str | None = Field(description="The event that it is about, by its name in addresses.")
    about: str = Field(description="What else it is about, as the kind says.")
    at: datetime
    read: bool

    @classmethod
    def of(cls, line: NoticeLine) -> Notice:
        """The notice as it is shown."""
        return cls(
            kind=line.kind,
            data=dict(line.data),
            event=line.event or None,
            about=line.about,
            at=line.at,
            read=line.is_read,
        )


class Notices(Schema):
    """The caller's latest notices, the newest first."""

    items: list[Notice]
