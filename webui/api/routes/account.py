"""What only the owner of an account sees of it."""

from typing import Any, cast

from ninja import Query, Router

from webui.api.callers import Request, caller, challenge_url, needs
from webui.api.lists import Page, PageQuery, page_of
from webui.api.schemas.account import AccountEvent, AccountEvents, Notice, Notices, OwnBotLine, OwnBots
from webui.api.schemas.challenges import Challenges, ChallengeSummary
from webui.api.schemas.comparisons import Comparisons, ComparisonSummary
from webui.api.schemas.own_bots import Token, Tokens
from webui.ladder import queries
from webui.site import presence
from webui.site.challenges import waiting_seats

router = Router(tags=["account"])


@router.get("/account/bots", response=OwnBots, **needs("read", "bots"))
def list_own_bots(request: Request) -> OwnBots:
    """Your bots, by name."""
    return OwnBots(items=[OwnBotLine.of(own) for own in queries.own_bots(caller(request).user_id)])


@router.get("/account/notices", response=Notices, **needs("read"))
def list_notices(request: Request, asked: Query[PageQuery]) -> Page[Notice]:
    """What you were told, the newest first.

    To ask does not mark them as read.
    """
    found = queries.notices(caller(request).user_id, asked.limit + 1, before=asked.after(str))
    return page_of(found, asked, lambda line: line.key, Notice.of)


@router.get("/account/challenges", response=Challenges, **needs("read", "challenges"))
def list_own_challenges(request: Request, asked: Query[PageQuery]) -> Page[ChallengeSummary]:
    """Challenges that you have made, newest first."""
    found = queries.own_challenges(caller(request).user_id, asked.limit + 1, before=asked.after(str))
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
    found = queries.own_comparisons(caller(request).user_id, asked.limit + 1, before=asked.after(str))
    return page_of(found, asked, lambda line: line.id, ComparisonSummary.of)


@router.get("/account/events", response=AccountEvents, **needs("read", "events"))
def list_own_events(request: Request) -> AccountEvents:
    """Events that you organise, newest first, with your drafts."""
    return AccountEvents(
        items=[
            AccountEvent(slug=line.slug, name=line.name, state=cast(Any, line.state), created_at=line.created_at)
            for line in queries.own_events(caller(request).user_id)
        ]
    )


@router.get("/account/tokens", response=Tokens, **needs("read"))
def list_api_tokens(request: Request) -> Tokens:
    """Your API tokens, and the last ones that were revoked.

    Oldest first. None is there in clear.
    """
    return Tokens(items=[Token.of(line) for line in queries.api_tokens(caller(request).user_id)])
