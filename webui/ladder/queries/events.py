"""Events, with the one filter of what may be seen of hidden results."""

from functools import lru_cache

from django.db.models import Q

from arena.events import Event, EventState, Fact, FactKind
from webui.ladder.events import find_event, read_facts
from webui.ladder.models import EventBot, EventMatch, EventRow, User
from webui.ladder.queries.refs import bot_ref
from webui.ladder.values import NotFound
from webui.ladder.values.events import EventGame, EventLine, EventPage

TELLING = (FactKind.RESULT, FactKind.RULED, FactKind.ABSENT, FactKind.AGAIN)
"""Facts of a round that tell a result. The draw of a round tells those of the rounds before it."""


@lru_cache(maxsize=32)
def _folded(event_id: int, created_at: str, length: int) -> Event:
    """The event after so many facts: those never change. Not for transactions, which may be rolled back."""
    return Event(read_facts(event_id, length))


def events(*, states: tuple[str, ...] = (), limit: int = 100) -> list[EventLine]:
    """Events, newest first; drafts are their organiser's business."""
    rows = EventRow.objects.select_related("owner").order_by("-created_at", "-pk")
    rows = rows.filter(state__in=states) if states else rows.exclude(state=str(EventState.DRAFT))
    return [_line(row) for row in rows[:limit]]


def own_events(user_id: int) -> list[EventLine]:
    """The events that somebody organises, drafts too."""
    rows = EventRow.objects.filter(Q(owner_id=user_id) | Q(helpers=user_id)).select_related("owner").distinct()
    return [_line(row) for row in rows.order_by("-created_at", "-pk")]


def organiser(slug: str) -> str:
    """The name of an event's organiser."""
    return find_event(slug).owner.username


def event_page(slug: str, user_id: int | None = None) -> EventPage:
    """An event as this user may see it; `NotFound`, also for somebody else's draft."""
    row = find_event(slug)
    helpers = list(row.helpers.values_list("pk", "username"))
    is_organiser = user_id is not None and (
        user_id == row.owner_id
        or any(user_id == pk for pk, _ in helpers)
        or User.objects.filter(pk=user_id, is_staff=True).exists()
    )
    if row.state == EventState.DRAFT and not is_organiser:
        raise NotFound(f"there is no event {slug!r}")
    facts = read_facts(row.pk, row.length)
    event = _folded(row.pk, row.created_at.isoformat(), row.length)
    shown = len(event.rounds)
    if event.terms.hidden and not is_organiser:
        shown = min(shown, event.revealed)
        facts = _without_results(facts, shown)
        event = Event(facts)
    rows = event.standings(event.seed, shown) if event.entrants else []
    before = {line.entrant: line.place for line in event.standings(event.seed, shown - 1)} if shown > 1 else {}
    entries = list(EventBot.objects.filter(event=row).select_related("bot__owner"))
    games = {
        (line.round, line.table, line.game): EventGame(line.match_id, line.match.state)
        for line in EventMatch.objects.filter(event=row).select_related("match").order_by("attempt", "tries")
        if line.round <= shown
    }
    return EventPage(
        line=_line(row),
        event=event,
        shown=shown,
        standings=rows,
        movement={line.entrant: before[line.entrant] - line.place for line in rows if line.entrant in before},
        bots={entry.number: bot_ref(entry.bot) for entry in entries},
        games=games,
        facts=facts,
        away={entry.number: entry.away_since for entry in entries if entry.away_since is not None},
        is_organiser=is_organiser,
        asked=row.asked,
        helpers=[name for _, name in helpers],
    )


def _without_results(facts: list[Fact], shown: int) -> list[Fact]:
    """The facts that follow from the results of so many rounds."""
    found, drawn = [], 0
    for fact in facts:
        drawn += fact.kind is FactKind.DRAWN
        tells = drawn - 1 if fact.kind is FactKind.DRAWN else 0
        if fact.kind in TELLING:
            tells = max(int(game[0]) for game in fact.data.get("games") or [[fact.data["round"]]])
        if tells <= shown:
            found.append(fact)
    return found


def _line(row: EventRow) -> EventLine:
    return EventLine(
        slug=row.slug,
        name=row.name,
        state=row.state,
        format=row.format,
        players=row.players,
        owner=row.owner.username,
        entrants=row.entrants,
        rounds=row.rounds,
        is_hidden=row.hidden,
        created_at=row.created_at,
    )
