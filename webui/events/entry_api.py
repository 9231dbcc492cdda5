"""Routes of bots' entries in events."""

from collections.abc import Callable
from functools import partial
from typing import Literal, cast

from django.db import transaction
from ninja import Router, Schema
from pydantic import Field

from webui.api.callers import Request, caller, needs
from webui.api.schemas import Input
from webui.events import actions, queries
from webui.events.eligibility import is_fixed, online_versions, playing
from webui.events.schemas import VERSION_FIXED, EventState, Organised
from webui.events.term_schemas import Slug

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


class EntriesInput(Input):
    """Bots to enter in an event."""

    bots: list[Slug] = Field(min_length=1, max_length=100, description="Their slugs.")


router = Router(tags=["events"])


@router.put("/events/{slug}/entries/{bot}", response=EntryDocument, **needs("events"))
def enter_event(request: Request, slug: str, bot: str) -> EntryDocument:
    """Enter a bot of yours in an event.

    Organisers also enter house bots in their events.
    """
    online = online_versions(queries.event_page(slug, caller(request).user_id).event.terms.ruleset)
    return _change_entry(request, slug, bot, partial(actions.enter_event, online=online), "entered")


@router.post("/events/{slug}/entries", response=Organised, **needs("events"))
def enter_bots(request: Request, slug: str, order: EntriesInput) -> Organised:
    """Enter several bots in an event: all of them, or none."""
    user_id = caller(request).user_id
    page = queries.event_page(slug, user_id)
    online = online_versions(page.event.terms.ruleset)
    with transaction.atomic():
        for bot in order.bots:
            actions.enter_event(slug, bot, user_id, online)
    return Organised(event=slug, state=cast(EventState, page.line.state))


@router.delete("/events/{slug}/entries/{bot}", response=EntryDocument, **needs("events"))
def leave_event(request: Request, slug: str, bot: str) -> EntryDocument:
    """Withdraw a bot of yours from an event."""
    return _change_entry(request, slug, bot, actions.leave_event, "left")


@router.put("/events/{slug}/entries/{bot}/check-in", response=EntryDocument, **needs("events"))
def check_in(request: Request, slug: str, bot: str) -> EntryDocument:
    """Check a bot of yours in, while check-in is open."""
    return _change_entry(request, slug, bot, actions.check_in, "checked in")


@router.put("/events/{slug}/entries/{bot}/request", response=EntryDocument, **needs("events"))
def ask_to_enter(request: Request, slug: str, bot: str) -> EntryDocument:
    """Ask the organiser to let a bot of yours in late."""
    return _change_entry(request, slug, bot, actions.ask_to_enter, "asked")


@router.delete("/events/{slug}/entries/{bot}/request", response=EntryDocument, **needs("events"))
def ask_no_more(request: Request, slug: str, bot: str) -> EntryDocument:
    """Withdraw the request to let a bot of yours in late."""
    return _change_entry(request, slug, bot, actions.ask_no_more, "asked no more")


def _change_entry(
    request: Request, slug: str, bot: str, act: Callable[[str, str, int], object], state: EntryState
) -> EntryDocument:
    user_id = caller(request).user_id
    queries.event_page(slug, user_id)  # raises `NotFound` for somebody else's draft
    act(slug, bot, user_id)
    page = queries.event_page(slug, user_id)
    number = next((number for number in page.event.present if page.bots[number].slug == bot), None)
    version = playing(page).get(number) if number else None
    return EntryDocument(event=slug, bot=bot, state=state, version=version, version_fixed=is_fixed(page))
