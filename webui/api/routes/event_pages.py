"""Events: what their pages show."""

from typing import Any

from ninja import Query, Router

from webui.api.callers import Request, reader
from webui.api.lists import Page, page_of
from webui.api.schemas.events import Event, Events, EventsQuery, EventSummary
from webui.ladder import queries
from webui.site.views.events import shown_document

router = Router(tags=["events"])
Document = dict[str, Any]


@router.get("/events", response=Events)
def list_events(request: Request, asked: Query[EventsQuery]) -> Page[EventSummary]:
    """Events, newest first, without drafts."""
    states = (asked.state,) if asked.state else ()
    found = queries.events(states=states, before=asked.after(str), limit=asked.limit + 1)
    return page_of(found, asked, lambda line: line.slug, EventSummary.of)


@router.get("/events/{slug}", response=Event)
def get_event(request: Request, slug: str) -> Event:
    """An event with its standings and games.

    A token with the scope `read` shows its organisers what is hidden, and their drafts.
    """
    return Event.of_page(queries.event_page(slug, reader(request)))


@router.get("/events/{slug}/document", response=Document)
def get_event_document(request: Request, slug: str) -> Document:
    """Every fact of an event, as `arena event verify` takes them; before the end without standings."""
    return shown_document(queries.event_page(slug, reader(request)))
