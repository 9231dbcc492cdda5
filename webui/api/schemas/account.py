"""What only the owner of an account sees of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from webui.api.lists import Page
from webui.api.schemas.bots import State, bot_state
from webui.api.schemas.events import EventState
from webui.api.schemas.matches import Shown
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
            state=bot_state(own.state),
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


class Notices(Page[Notice]):
    """The caller's notices, the newest first."""


class AccountEvent(Schema):
    """An event that the caller organises."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    created_at: datetime


class AccountEvents(Schema):
    """The events that the caller organises, newest first, drafts too."""

    items: list[AccountEvent]


class TranscriptEntry(Schema):
    """An entry of the log of a match."""

    number: int
    kind: str
    seat: int | None
    text: str | None
    data: dict[str, Any] | None


class Transcript(Schema):
    """The log of a match with what only the owner of a bot may read of it."""

    match: str
    bot: str = Field(description="Its name in addresses.")
    seats: list[int] = Field(description="Those of the bot.")
    entries: list[TranscriptEntry]


class TranscriptLine(Schema):
    """A match of a bot, with where its transcript is."""

    match: str
    state: Shown
    created_at: datetime
    transcript: str = Field(description="The address of the transcript, for the same token.")
    page: str = Field(description="The address of its page, with files of all messages, for who is signed in.")


class Transcripts(Page[TranscriptLine]):
    """Matches of a bot that have begun, newest first."""
