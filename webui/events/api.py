"""Routes of events: lists, pages, documents, and new events."""

from typing import Any

from ninja import Query, Router, Status

from webui.api.callers import Request, caller, needs, reader
from webui.api.lists import Listed, page_of
from webui.api.schemas import Joined
from webui.events import actions, queries
from webui.events.pages import shown_document
from webui.events.schemas import EventDocument, Events, EventsQuery, Organised, shown_event
from webui.events.term_schemas import EventTerms
from webui.events.values import EventLine

router = Router(tags=["events"])
Document = dict[str, Any]


@router.get("/events", response=Events)
def list_events(request: Request, query: Query[EventsQuery]) -> Listed[EventLine]:
    """Events, newest first, without drafts."""
    states = (query.state,) if query.state else ()
    events = queries.events(states=states, before=query.after(str), limit=query.limit + 1)
    return page_of(events, query, lambda line: line.slug)


@router.post("/events", response={201: Organised}, **needs("events"))
def create_event(request: Request, terms: EventTerms) -> Status[Organised]:
    """Create an event of yours as a draft, from its terms.

    `arena event check` checks such terms. `get_event_terms` returns those of another event.
    """
    return Status(201, Organised(event=actions.create_event(caller(request).user_id, terms.document), state="draft"))


@router.get("/events/{slug}", response=EventDocument)
def get_event(request: Request, slug: str) -> Joined:
    """An event with its standings and games.

    With a token with the scope `read`, organisers also see hidden results and their drafts.
    """
    return shown_event(queries.event_page(slug, reader(request)))


@router.get("/events/{slug}/document", response=Document)
def get_event_document(request: Request, slug: str) -> Document:
    """All facts of an event, in the format of `arena event verify`.

    Before the end of the event, the document has no standings.
    """
    return shown_document(queries.event_page(slug, reader(request)))
