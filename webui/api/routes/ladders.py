"""Ladders."""

from ninja import Router

from webui.api.callers import Request
from webui.api.schemas.ladders import Ladder, LadderLine, Ladders
from webui.ladder import queries

router = Router(tags=["ladders"])


@router.get("/ladders", response=Ladders)
def list_ladders(request: Request) -> Ladders:
    """All ladders: the base game first, and of each ruleset those of fewest players first."""
    return Ladders(items=[LadderLine.of(summary) for summary in queries.ladders()])


@router.get("/ladders/{slug}", response=Ladder)
def get_ladder(request: Request, slug: str) -> Ladder:
    """A ladder with its published ratings."""
    return Ladder.of(queries.ladder(slug))
