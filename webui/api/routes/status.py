"""How the arena itself is."""

from django.db import InterfaceError, OperationalError
from ninja import Router

from webui.api.callers import Request
from webui.api.problems import Problem
from webui.api.schemas.status import Status
from webui.site.status import current_status

router = Router(tags=["status"])


@router.get("/status", response=Status)
def get_status(request: Request) -> Status:
    """How the arena is: whether matches are played, how fast, and which of its parts work.

    What the page `/status/` shows; ten seconds old at most."""
    try:
        return Status.of(current_status())
    except (OperationalError, InterfaceError):
        raise Problem("TRY_AGAIN", "the database of the arena does not answer; try again in a moment") from None
