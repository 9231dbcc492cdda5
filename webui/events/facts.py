"""Events in the database: reading facts from their rows, and appending them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from django.db import transaction

from arena.events import Course, Event, EventError, EventState, Fact, FactKind, GameKey, TermsError, parse_fact
from arena.events.facts import EntrantAbsent, parse_data
from webui.core.errors import BadRequest, LadderError, NotFound
from webui.events.hooks import facts_appended
from webui.events.models import EventMatch, EventRow, FactRow
from webui.events.values import EventRefusal
from webui.matches.models import MatchState, Participant

# Offers of an event's games that bots declined or did not answer.


def declined_offers(slug: str) -> Counter[tuple[GameKey, int]]:
    """Return the number of declined or unanswered offers, by pending game and entrant."""
    row = find_event(slug)
    return declines(row, fold_event(row))


def declines(row: EventRow, event: Event) -> Counter[tuple[GameKey, int]]:
    """Do the same as `declined_offers` for an event that has been read already."""
    aborted = EventMatch.objects.filter(event=row, is_counted=False, match__state=MatchState.ABORTED)
    lines = {line.match_id: line for line in aborted}
    keys = {(*pairing.key, pairing.attempt): pairing for pairing in event.pairings()}
    declined: Counter[tuple[GameKey, int]] = Counter()
    seats = Participant.objects.filter(match_id__in=lines, has_declined=True).values_list("match_id", "seat")
    for match, seat in seats:
        line = lines[match]
        pairing = keys.get((line.round, line.table, line.game, line.attempt))
        if pairing is not None and pairing.seats[seat - 1] not in line.absent:
            declined[pairing.key, pairing.seats[seat - 1]] += 1
    return declined


class EventMoved(LadderError):
    """Somebody else has appended a fact in the meantime. Read the event again, and retry."""

    code = "EVENT_MOVED"


NOT_OF_STATE: Final = frozenset({"BAD_FACT", "UNKNOWN_FACT"})
"""Error codes of facts that are invalid in every state of the event."""
OF_FIELD: Final = frozenset({"TOO_FEW", "TOO_MANY"})
"""Error codes of terms with which the current entrants cannot play."""
MOST_TRIES: Final = 5
"""Maximum number of attempts of an action that others interrupt."""
P = ParamSpec("P")
T = TypeVar("T")


def repeated(act: Callable[P, T]) -> Callable[P, T]:
    """Retry an action if somebody else was faster. Most often that is the advancer, which appends facts all the time.

    Each attempt reads the event again. Use it only for actions that do not depend on the facts that others append.
    """

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
    """Return the row of an event. Raise `NotFound` if there is none."""
    row = EventRow.objects.select_related("owner").filter(slug=slug).first()
    if row is None:
        raise NotFound(f"there is no event {slug!r}")
    return row


def read_facts(event_id: int, length: int) -> list[Fact]:
    """Return the first `length` facts of an event."""
    rows = FactRow.objects.filter(event_id=event_id, number__lt=length).select_related("by").order_by("number")
    return [
        Fact(
            parse_data(FactKind(row.kind), row.data),
            by=row.by.username if row.by else "",
            why=row.why,
            at=row.at.isoformat(timespec="seconds"),
        )
        for row in rows
    ]


def fold_event(row: EventRow) -> Event:
    """Return the event as of the moment when `row` was read."""
    return Event(read_facts(row.pk, row.length))


@transaction.atomic
def append_facts(row: EventRow, facts: Sequence[tuple[Fact, int | None]]) -> Event:
    """Append facts, each with the id of the user who caused it, and return the event after them.

    The facts follow the event as of the moment when `row` was read. If an error is raised, nothing is written. Raise
    `BadRequest` for an invalid fact. Raise `EventRefusal` for a fact that is not possible now. Raise `EventMoved` if
    other facts have been appended in the meantime.
    """
    event = fold_event(row)
    facts = [(replace(fact, why=fact.why.replace("\r\n", "\n")), by) for fact, by in facts]
    try:
        for fact, _ in facts:
            event.apply(parse_fact(fact.document(), str(fact.kind)))
    except EventError as error:
        raise _refused(error) from error
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
        raise EventMoved(f"{row.name} has changed in the meantime: load it again")
    FactRow.objects.bulk_create(
        FactRow(event_id=row.pk, number=number, kind=str(fact.kind), data=fact.data.document(), by_id=by, why=fact.why)
        for number, (fact, by) in enumerate(facts, start=row.length)
    )
    facts_appended(row, event, facts, row.length)
    row.length = event.length
    for name, value in shown.items():
        setattr(row, name, value)
    return event


def decided(kind: FactKind, data: Mapping[str, Any], why: str = "") -> Fact:
    """Return the fact that a person decides. Raise `BadRequest` or `EventRefusal` for bad data."""
    try:
        return Fact(parse_data(kind, data), why=why)
    except EventError as error:
        raise _refused(error) from error


def _refused(error: EventError) -> BadRequest:
    if error.code in NOT_OF_STATE or (isinstance(error, TermsError) and error.code not in OF_FIELD):
        return BadRequest(str(error))
    return EventRefusal(error.code, "{why}", why=error)


def by_arena(facts: Iterable[Fact]) -> list[tuple[Fact, int | None]]:
    """Attribute facts to the arena itself."""
    return [(fact, None) for fact in facts]


def check_in_opens(course: Course) -> datetime | None:
    """Return the time at which check-in opens. It closes at the start. Return None for an event without check-in."""
    if not course.check_in_s:
        return None
    return datetime.fromisoformat(course.starts_at) - timedelta(seconds=course.check_in_s)


def absences(event: Event, number: int) -> list[Fact]:
    """Return the facts with which an entrant who leaves is absent from the tables where it still has games."""
    tables = {p.key[:2] for p in event.pairings() if number in p.seats and number not in p.absent}
    return [Fact(EntrantAbsent(round, table, number)) for round, table in sorted(tables)]


LIVE_STATES = (EventState.OPEN, EventState.FROZEN, EventState.RUNNING, EventState.PAUSED)
"""States of the events that the advancer processes."""
