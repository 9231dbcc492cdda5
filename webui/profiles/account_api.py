"""The caller's account through the HTTP API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Query, Router
from pydantic import Field

from webui.accounts.values import TokenLine
from webui.api.callers import Request, caller, needs
from webui.api.lists import Listed, Page, PageQuery, page_of
from webui.api.schemas import OR_NULL, Joined, ValueView, source
from webui.bots import presence, token_queries
from webui.bots import queries as bot_queries
from webui.bots.values import OwnBot
from webui.challenges import queries as challenge_queries
from webui.challenges.schemas import Challenges, shown_challenge
from webui.comparisons import queries as comparison_queries
from webui.comparisons.schemas import Comparisons
from webui.comparisons.values import ComparisonLine
from webui.events import queries as event_queries
from webui.events.schemas import EventState
from webui.events.values import EventLine
from webui.notices import queries as notice_queries
from webui.notices.values import NoticeLine
from webui.profiles.own_api import Tokens
from webui.profiles.schemas import ShownState


class OwnBotLine(ValueView):
    """A bot of the caller's."""

    slug: str = source("bot.slug", "Its name in addresses.")
    name: str = source("bot.name")
    description: str
    state: ShownState
    versions: int


class OwnBots(ValueView):
    """The caller's bots, by name."""

    items: list[OwnBotLine]


class NoticeDocument(ValueView):
    """A notice to the caller."""

    kind: str
    data: dict[str, Any] = source("document")
    event: Annotated[str | None, OR_NULL] = Field(description="The event of the notice, by its name in addresses.")
    about: str = Field(description="Another subject of the notice; the kind says which.")
    at: datetime
    read: bool = source("is_read")


class NoticesDocument(Page[NoticeDocument]):
    """Notices to the caller, newest first."""


class AccountEvent(ValueView):
    """An event that the caller organises."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    created_at: datetime


class AccountEvents(ValueView):
    """Events that the caller organises, newest first, including drafts."""

    items: list[AccountEvent]


router = Router(tags=["account"])


@router.get("/account/bots", response=OwnBots, **needs("read", "bots"))
def list_own_bots(request: Request) -> Listed[OwnBot]:
    """Your bots, by name."""
    return Listed(bot_queries.own_bots(caller(request).user_id))


@router.get("/account/notices", response=NoticesDocument, **needs("read"))
def list_notices(request: Request, query: Query[PageQuery]) -> Listed[NoticeLine]:
    """Your notices, newest first.

    This request does not mark them as read.
    """
    notices = notice_queries.notices(caller(request).user_id, query.limit + 1, before=query.after(str))
    return page_of(notices, query, lambda line: line.key)


@router.get("/account/challenges", response=Challenges, **needs("read", "challenges"))
def list_own_challenges(request: Request, query: Query[PageQuery]) -> Listed[Joined]:
    """Challenges that you have made, newest first."""
    challenges = challenge_queries.own_challenges(caller(request).user_id, query.limit + 1, before=query.after(str))
    online = presence.online()
    return page_of([shown_challenge(request, line, online) for line in challenges], query, lambda line: line.id)


@router.get("/account/comparisons", response=Comparisons, **needs("read", "challenges"))
def list_own_comparisons(request: Request, query: Query[PageQuery]) -> Listed[ComparisonLine]:
    """Comparisons that you have started, newest first."""
    comparisons = comparison_queries.own_comparisons(caller(request).user_id, query.limit + 1, before=query.after(str))
    return page_of(comparisons, query, lambda line: line.id)


@router.get("/account/events", response=AccountEvents, **needs("read", "events"))
def list_own_events(request: Request) -> Listed[EventLine]:
    """Events that you organise, newest first, including your drafts."""
    return Listed(event_queries.own_events(caller(request).user_id))


@router.get("/account/tokens", response=Tokens, **needs("read"))
def list_api_tokens(request: Request) -> Listed[TokenLine]:
    """Your API tokens, and those revoked most recently.

    Oldest first. The tokens themselves are not shown.
    """
    return Listed(token_queries.api_tokens(caller(request).user_id))
