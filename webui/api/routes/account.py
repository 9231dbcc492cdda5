"""What only the owner of an account sees of it."""

from ninja import Router

from webui.api.callers import Request, caller, needs
from webui.api.schemas.account import Notice, Notices, OwnBotLine, OwnBots
from webui.ladder import queries

router = Router(tags=["account"])


@router.get("/account/bots", response=OwnBots, **needs("read", "bots"))
def list_own_bots(request: Request) -> OwnBots:
    """Your bots, by name."""
    return OwnBots(items=[OwnBotLine.of(own) for own in queries.own_bots(caller(request).user_id)])


@router.get("/account/notices", response=Notices, **needs("read"))
def list_notices(request: Request) -> Notices:
    """What you were told, the newest first: at most 100 notices.

    To ask does not mark them as read.
    """
    return Notices(items=[Notice.of(line) for line in queries.notices(caller(request).user_id)])
