"""Bots."""

from django.db import transaction
from ninja import Query, Router, Status

from webui.api.callers import Request, actor, caller, check_email, needs, own_bot
from webui.api.lists import Listed, page_of
from webui.api.schemas import Joined
from webui.bots import actions as bot_actions
from webui.bots import presence, retirement
from webui.bots.actions import NEW_BOTS_AN_HOUR
from webui.profiles import queries
from webui.profiles.schemas import BotChange, BotDocument, Bots, BotsQuery, NewBot, with_online

router = Router(tags=["bots"])


@router.get("/bots", response=Bots)
def list_bots(request: Request, query: Query[BotsQuery]) -> Listed[Joined]:
    """Bots, newest first."""
    online = presence.online()
    bots = queries.bots(
        search=query.search,
        is_house=query.house,
        is_hosted=query.hosted,
        ids=sorted(online or {}) if query.online else None,
        before=query.after(int),
        limit=query.limit + 1,
    )
    return page_of([with_online(line, online) for line in bots], query, lambda line: line.bot.id)


@router.post("/bots", response={201: BotDocument}, **needs("bots"))
def register_bot(request: Request, order: NewBot) -> Status[Joined]:
    """Register a bot.

    The new bot has no token yet.
    """
    check_email(request)
    bot_id = bot_actions.register_bot(
        caller(request).user_id,
        order.name,
        description=order.description,
        most_an_hour=NEW_BOTS_AN_HOUR,
        by=actor(request),
    )
    (line,) = queries.bots(ids=[bot_id])
    return Status(201, _bot(line.bot.slug))


@router.get("/bots/{slug}", response=BotDocument)
def get_bot(request: Request, slug: str) -> Joined:
    """A bot, and the standings of its versions."""
    return _bot(slug)


@router.patch("/bots/{slug}", response=BotDocument, **needs("bots"))
def change_bot(request: Request, slug: str, change: BotChange) -> Joined:
    """Pause, resume, describe or retire a bot of yours.

    Running matches go on. A retired bot can be brought back.
    """
    bot_id = own_bot(request, slug).bot.id
    with transaction.atomic():  # all changes or none
        if change.retired is not None:
            (retirement.retire_bot if change.retired else retirement.bring_back_bot)(bot_id, by=actor(request))
        if change.state is not None:
            bot_actions.set_bot_state(bot_id, change.state.upper(), by=actor(request))
        if change.description is not None:
            bot_actions.describe_bot(bot_id, change.description, by=actor(request))
    return _bot(slug)


def _bot(slug: str) -> Joined:
    return with_online(queries.bot_page(slug, matches_shown=0, limit=0), presence.online())
