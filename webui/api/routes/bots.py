"""Bots."""

from ninja import Query, Router

from webui.api.callers import Request, actor, needs, own_bot
from webui.api.lists import Page, page_of
from webui.api.schemas.bots import Bot, BotChange, Bots, BotsQuery, BotSummary
from webui.ladder import actions, queries
from webui.site import presence

router = Router(tags=["bots"])


@router.get("/bots", response=Bots)
def list_bots(request: Request, asked: Query[BotsQuery]) -> Page[BotSummary]:
    """Bots, newest first."""
    online = presence.online()
    found = queries.bots(
        search=asked.search,
        is_house=asked.house,
        ids=sorted(online or {}) if asked.online else None,
        before=asked.after(int),
        limit=asked.limit + 1,
    )
    return page_of(found, asked, lambda line: line.bot.id, lambda line: BotSummary.of(line, online))


@router.get("/bots/{slug}", response=Bot)
def get_bot(request: Request, slug: str) -> Bot:
    """A bot, and where its versions stand."""
    return _bot(slug)


@router.patch("/bots/{slug}", response=Bot, **needs("bots"))
def change_bot(request: Request, slug: str, change: BotChange) -> Bot:
    """Pause a bot of yours, or let it play again.

    Matches that run go on.
    """
    actions.set_bot_state(own_bot(request, slug).bot.id, change.state.upper(), by=actor(request))
    return _bot(slug)


def _bot(slug: str) -> Bot:
    return Bot.of(queries.bot_page(slug, matches_shown=0, limit=0), presence.online())
