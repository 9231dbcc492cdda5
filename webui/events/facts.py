"""Events as the database keeps them: facts read from their rows, and appended to them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from django.db import transaction

from arena.events import Course, Event, EventError, EventState, Fact, FactKind, TermsError, parse_fact
from webui.core.errors import BadRequest, LadderError, NotFound
from webui.events.hooks import facts_appended
from webui.events.models import EventRow, FactRow
from webui.events.values import EventRefusal


class EventMoved(LadderError):
    """Somebody else has appended a fact meanwhile: look again, and repeat."""

    code = "EVENT_MOVED"


NOT_OF_STATE: Final = frozenset({"BAD_FACT", "UNKNOWN_FACT"})
"""Codes of facts that are none, whatever the state of the event is."""
OF_FIELD: Final = frozenset({"TOO_FEW", "TOO_MANY"})
"""Codes of terms by which those who have entered cannot play."""
MOST_TRIES: Final = 5
"""Of an action that others were faster than."""
P = ParamSpec("P")
T = TypeVar("T")


def repeated(act: Callable[P, T]) -> Callable[P, T]:
    """An action that is done again, from looking at the event on, if somebody else was faster: mostly the advancer,
    which appends facts all the time. For what does not depend on what others append."""

    @wraps(act)
    def again(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(MOST_TRIES - 1):
            try:
                return act(*args, **kwargs)
            except EventMoved:
                continue
        return act(*args, **kwargs)

    return again


def find_event(slug: str) -> EventRow:
    """The row of an event; `NotFound`."""
    row = EventRow.objects.select_related("owner").filter(slug=slug).first()
    if row is None:
        raise NotFound(f"there is no event {slug!r}")
    return row


def read_facts(event_id: int, length: int) -> list[Fact]:
    """The first facts of an event, as many as `length`."""
    rows = FactRow.objects.filter(event_id=event_id, number__lt=length).select_related("by").order_by("number")
    return [
        Fact(
            FactKind(row.kind),
            row.data,
            by=row.by.username if row.by else "",
            why=row.why,
            at=row.at.isoformat(timespec="seconds"),
        )
        for row in rows
    ]


def fold_event(row: EventRow) -> Event:
    """The event as `row` was read."""
    return Event(read_facts(row.pk, row.length))


@transaction.atomic
def append_facts(row: EventRow, facts: Sequence[tuple[Fact, int | None]]) -> Event:
    """Append facts, each with the user who caused it, to the event as `row` was read; the event after them.

    `BadRequest` if one is none, `EventRefusal` if it cannot follow, `EventMoved` if there are others by now. Nothing is
    written then.
    """
    event = fold_event(row)
    facts = [(replace(fact, why=fact.why.replace("\r\n", "\n")), by) for fact, by in facts]
    try:
        for fact, _ in facts:
            event.apply(parse_fact(fact.document(), str(fact.kind)))
    except EventError as error:
        if error.code in NOT_OF_STATE or (isinstance(error, TermsError) and error.code not in OF_FIELD):
            raise BadRequest(str(error)) from error
        raise EventRefusal(error.code, "{why}", why=error) from error
    terms = event.terms
    shown = {
        "name": terms.name,
        "state": str(event.state),
        "entrants": len(event.present),
        "rounds": len(event.rounds),
        "hidden": terms.hidden,
        "revealed": event.revealed,
    }
    if not EventRow.objects.filter(pk=row.pk, length=row.length).update(length=event.length, **shown):
        raise EventMoved(f"{row.name} has changed meanwhile: look again")
    FactRow.objects.bulk_create(
        FactRow(event_id=row.pk, number=number, kind=str(fact.kind), data=dict(fact.data), by_id=by, why=fact.why)
        for number, (fact, by) in enumerate(facts, start=row.length)
    )
    facts_appended(row, event, facts, row.length)
    row.length = event.length
    for name, value in shown.items():
        setattr(row, name, value)
    return event


def by_arena(facts: Iterable[Fact]) -> list[tuple[Fact, int | None]]:
    """Facts that nobody in particular caused."""
    return [(fact, None) for fact in facts]


def check_in_opens(course: Course) -> datetime | None:
    """When bots can be checked in, up to the start; None where that is not asked for."""
    if not course.check_in_s:
        return None
    return datetime.fromisoformat(course.starts_at) - timedelta(seconds=course.check_in_s)


def absences(event: Event, number: int) -> list[Fact]:
    """The tables that wait for games of an entrant who leaves go on without it."""
    tables = {p.key[:2] for p in event.pairings() if number in p.seats and number not in p.absent}
    return [
        Fact(FactKind.ABSENT, {"round": round, "table": table, "entrant": number}) for round, table in sorted(tables)
    ]


LIVE_STATES = (EventState.OPEN, EventState.FROZEN, EventState.RUNNING, EventState.PAUSED)
"""In these states the advancer looks at an event."""
