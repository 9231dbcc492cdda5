"""What is on TV."""

from ninja import Router

from webui.api.callers import Request
from webui.api.schemas.tv import Channel
from webui.site.tv import channel_now, document

router = Router(tags=["matches"])


@router.get("/tv", response=Channel)
def get_tv(request: Request) -> Channel:
    """Which match is shown on TV now, and what comes.

    The same for everybody; two seconds old at most.
    """
    return Channel(**document(channel_now()))
