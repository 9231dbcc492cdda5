"""The caller's account through the HTTP API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from ninja import Query, Router, Schema
from pydantic import Field

from webui.api.callers import Request, caller, needs
from webui.api.lists import Page, PageQuery, page_of
from webui.bots import presence, token_queries
from webui.bots import queries as bot_queries
from webui.bots.values import OwnBot
from webui.challenges import queries as challenge_queries
from webui.challenges.schemas import Challenges, ChallengeSummary, challenge_url
from webui.challenges.words import waiting_seats
from webui.comparisons import queries as comparison_queries
from webui.comparisons.schemas import Comparisons, ComparisonSummary
from webui.events import queries as event_queries
from webui.events.schemas import EventState
from webui.notices import queries as notice_queries
from webui.notices.values import NoticeLine
from webui.profiles.own_api import TokenDocument, Tokens
from webui.profiles.schemas import State, bot_state


class OwnBotLine(Schema):
    """A bot of the caller's."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    description: str
    state: State
    versions: int

    @classmethod
    def of(cls, own: OwnBot) -> OwnBotLine:
        """Return the bot as its owner sees it."""
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


class NoticeDocument(Schema):
    """A notice to the caller."""

    kind: str
    data: dict[str, Any]
    event: str | None = Field(description="The event of the notice, by its name in addresses.")
    about: str = Field(description="Another subject of the notice; the kind says which.")
    at: datetime
    read: bool

    @classmethod
    def of(cls, line: NoticeLine) -> NoticeDocument:
        """Return the notice as the API shows it."""
        return cls(
            kind=line.kind,
            data=dict(line.data),
            event=line.event or None,
            about=line.about,
            at=line.at,
            read=line.is_read,
        )


class NoticesDocument(Page[NoticeDocument]):
    """Notices to the caller, newest first."""


class AccountEvent(Schema):
    """An event that the caller organises."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    created_at: datetime


class AccountEvents(Schema):
    """Events that the caller organises, newest first, including drafts."""

    items: list[AccountEvent]


router = Router(tags=["account"])


@router.get("/account/bots", response=OwnBots, **needs("read", "bots"))
def list_own_bots(request: Request) -> OwnBots:
    """Your bots, by name."""
    return OwnBots(items=[OwnBotLine.of(own) for own in bot_queries.own_bots(caller(request).user_id)])


@router.get("/account/notices", response=NoticesDocument, **needs("read"))
def list_notices(request: Request, asked: Query[PageQuery]) -> Page[NoticeDocument]:
    """Your notices, newest first.

    This request does not mark them as read.
    """
    found = notice_queries.notices(caller(request).user_id, asked.limit + 1, before=asked.after(str))
    return page_of(found, asked, lambda line: line.key, NoticeDocument.of)


@router.get("/account/challenges", response=Challenges, **needs("read", "challenges"))
def list_own_challenges(request: Request, asked: Query[PageQuery]) -> Page[ChallengeSummary]:
    """Challenges that you have made, newest first."""
    found = challenge_queries.own_challenges(caller(request).user_id, asked.limit + 1, before=asked.after(str))
    online = presence.online()
    return page_of(
        found,
        asked,
        lambda line: line.id,
        lambda line: ChallengeSummary.of(line, waiting_seats(line, online), challenge_url(request, line)),
    )


@router.get("/account/comparisons", response=Comparisons, **needs("read", "challenges"))
def list_own_comparisons(request: Request, asked: Query[PageQuery]) -> Page[ComparisonSummary]:
    """Comparisons that you have started, newest first."""
    found = comparison_queries.own_comparisons(caller(request).user_id, asked.limit + 1, before=asked.after(str))
    return page_of(found, asked, lambda line: line.id, ComparisonSummary.of)


@router.get("/account/events", response=AccountEvents, **needs("read", "events"))
def list_own_events(request: Request) -> AccountEvents:
    """Events that you organise, newest first, including your drafts."""
    return AccountEvents(
        items=[
            AccountEvent(slug=line.slug, name=line.name, state=cast(Any, line.state), created_at=line.created_at)
            for line in event_queries.own_events(caller(request).user_id)
        ]
    )


@router.get("/account/tokens", response=Tokens, **needs("read"))
def list_api_tokens(request: Request) -> Tokens:
    """Your API tokens, and those revoked most recently.

    Oldest first. The tokens themselves are not shown.
    """
    return Tokens(items=[TokenDocument.of(line) for line in token_queries.api_tokens(caller(request).user_id)])
