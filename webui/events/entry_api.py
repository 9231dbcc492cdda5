"""Routes of bots' entries in events."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from ninja import Router, Schema
from pydantic import Field

from webui.api.callers import Request, caller, needs
from webui.events import actions, queries
from webui.events.versions import is_fixed, online_versions, playing

VERSION_FIXED = "False: bots still enter, and the version is the one that would play if the event started now."
EntryState = Literal["entered", "left", "checked in", "asked", "asked no more"]


class EntryDocument(Schema):
    """The entry of a bot after a request."""

    event: str = Field(description="Its slug.")
    bot: str = Field(description="Its slug.")
    state: EntryState
    version: str | None = Field(
        description="Version that plays, or would play if the event started now. Null: the bot is not in the event."
    )
    version_fixed: bool = Field(description=VERSION_FIXED)


router = Router(tags=["events"])


@router.put("/events/{slug}/entries/{bot}", response=EntryDocument, **needs("events"))
def enter_event(request: Request, slug: str, bot: str) -> EntryDocument:
    """Enter a bot of yours in an event.

    Organisers also enter house bots in their events.
    """
    online = online_versions(queries.event_page(slug, caller(request).user_id).event.terms.ruleset)
    return _done(request, slug, bot, partial(actions.enter_event, online=online), "entered")


@router.delete("/events/{slug}/entries/{bot}", response=EntryDocument, **needs("events"))
def leave_event(request: Request, slug: str, bot: str) -> EntryDocument:
    """Withdraw a bot of yours from an event."""
    return _done(request, slug, bot, actions.leave_event, "left")


@router.put("/events/{slug}/entries/{bot}/check-in", response=EntryDocument, **needs("events"))
def check_in(request: Request, slug: str, bot: str) -> EntryDocument:
    """Check a bot of yours in, while check-in is open."""
    return _done(request, slug, bot, actions.check_in, "checked in")


@router.put("/events/{slug}/entries/{bot}/request", response=EntryDocument, **needs("events"))
def ask_to_enter(request: Request, slug: str, bot: str) -> EntryDocument:
    """Ask the organiser to let a bot of yours in late."""
    return _done(request, slug, bot, actions.ask_to_enter, "asked")


@router.delete("/events/{slug}/entries/{bot}/request", response=EntryDocument, **needs("events"))
def ask_no_more(request: Request, slug: str, bot: str) -> EntryDocument:
    """Withdraw the request to let a bot of yours in late."""
    return _done(request, slug, bot, actions.ask_no_more, "asked no more")


def _done(
    request: Request, slug: str, bot: str, deed: Callable[[str, str, int], object], state: EntryState
) -> EntryDocument:
    user_id = caller(request).user_id
    queries.event_page(slug, user_id)  # raises `NotFound` for somebody else's draft
    deed(slug, bot, user_id)
    page = queries.event_page(slug, user_id)
    number = next((number for number in page.event.present if page.bots[number].slug == bot), None)
    version = playing(page).get(number) if number else None
    return EntryDocument(event=slug, bot=bot, state=state, version=version, version_fixed=is_fixed(page))
