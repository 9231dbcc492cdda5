"""The bots of the visitor who is signed in."""

from django.http import Http404, HttpRequest

from webui.accounts.visitor import user_id
from webui.bots import queries
from webui.bots.values import OwnBot


def own_bot(request: HttpRequest, *, slug: str = "", bot_id: int = 0) -> OwnBot:
    """Return one of the visitor's bots. Raise `Http404` if it is somebody else's."""
    for own in queries.own_bots(user_id(request)):
        if own.bot.slug == slug or own.bot.id == bot_id:
            return own
    raise Http404("no such bot of yours")
