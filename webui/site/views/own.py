"""What belongs to the visitor who is signed in."""

from django.http import Http404, HttpRequest

from webui.ladder import queries
from webui.ladder.values import OwnBot


def user_id(request: HttpRequest) -> int:
    """The id of the visitor, behind `login_required`."""
    assert request.user.pk is not None
    return int(request.user.pk)


def own_bot(request: HttpRequest, *, slug: str = "", bot_id: int = 0) -> OwnBot:
    """A bot of the visitor's. `Http404` for somebody else's."""
    for own in queries.own_bots(user_id(request)):
        if own.bot.slug == slug or own.bot.id == bot_id:
            return own
    raise Http404("no such bot of yours")
