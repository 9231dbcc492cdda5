"""Queries of events. All hidden results are filtered here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from django.db.models import Q, QuerySet

from arena.events import Event, EventState, Fact, FactKind, StandingLine
from arena.events.facts import EntrantAbsent, GameEnded, GameRuled, GamesRepeated
from webui.accounts.models import User
from webui.bots.queries import bot_ref
from webui.core.errors import NotFound
from webui.events.facts import LIVE_STATES, find_event, read_facts
from webui.events.models import EventBot, EventMatch, EventRow
from webui.events.values import EventGame, EventLine, EventMark, EventPage
from webui.matches.conditions import is_hidden, is_waiting
from webui.matches.live import live_boards
from webui.matches.models import MatchState
from webui.replays.onward import Series

MOST_ENTRIES = 10
"""Maximum number of events listed for a bot."""
SETTLED = (EventState.ARCHIVED, EventState.CANCELLED)
"""States in which nothing changes any more. The results of a finished event may still be ruled."""
IN_FLIGHT = (MatchState.SCHEDULED, MatchState.RUNNING)


@dataclass(frozen=True)
class _Seen:
    """An event and its standings, computed from the facts that somebody may see."""

    event: Event
    shown: int
    standings: list[StandingLine]
    movement: Mapping[int, int]


@lru_cache(maxsize=32)
def _seen(event_id: int, created_at: str, length: int, sees_all: bool) -> _Seen:
    """Compute the event from its first `length` facts, which never change.

    Do not call it in a transaction that may be rolled back: results are cached.
    """
    facts = read_facts(event_id, length)
    event = Event(facts)
    shown = len(event.rounds)
    if event.terms.hidden and not sees_all:
        shown = min(shown, event.revealed)
        event = Event(_without_results(facts, shown))
    rows = event.standings(event.seed, shown) if event.entrants else []
    before = {line.entrant: line.place for line in event.standings(event.seed, shown - 1)} if shown > 1 else {}
    movement = {line.entrant: before[line.entrant] - line.place for line in rows if line.entrant in before}
    return _Seen(event, shown, rows, movement)


def _seen_of(row: EventRow, sees_all: bool) -> _Seen:
    return _seen(row.pk, row.created_at.isoformat(), row.length, sees_all)


def events(*, states: tuple[str, ...] = (), before: str | None = None, limit: int = 100) -> list[EventLine]:
    """Return events, newest first.

    `states` selects events in these states. Without it, all except drafts are returned: only their organisers see
    drafts. `before` is a slug; only events older than that one are returned.
    """
    rows = EventRow.objects.select_related("owner").order_by("-created_at", "-pk")
    rows = rows.filter(state__in=states) if states else rows.exclude(state=str(EventState.DRAFT))
    if before is not None:
        last = EventRow.objects.filter(slug=before)
        at = last.values("created_at")[:1]
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=last.values("pk")[:1]))
    return [_line(row) for row in rows[:limit]]


def own_events(user_id: int) -> list[EventLine]:
    """Return the events that a user organises, including drafts."""
    rows = EventRow.objects.filter(Q(owner_id=user_id) | Q(helpers=user_id)).select_related("owner").distinct()
    return [_line(row, sees_all=True) for row in rows.order_by("-created_at", "-pk")]


def entries_of(bot_id: int) -> list[tuple[str, int]]:
    """Return the unfinished events that a bot has entered, newest first. Each item is the slug and the bot's number
    there."""
    entries = EventBot.objects.filter(bot=bot_id, is_in=True, event__state__in=LIVE_STATES)
    return list(entries.order_by("-event__created_at")[:MOST_ENTRIES].values_list("event__slug", "number"))


def organiser(slug: str) -> str:
    """Return the name of an event's organiser."""
    return find_event(slug).owner.username


def sees_all(slug: str, user_id: int | None) -> bool:
    """Return whether a user organises an event and so sees hidden results. Raise `NotFound` also for somebody else's
    draft."""
    return _sees_all(find_event(slug), user_id)


def _sees_all(row: EventRow, user_id: int | None) -> bool:
    is_organiser = user_id is not None and (
        user_id == row.owner_id
        or row.helpers.filter(pk=user_id).exists()
        or User.objects.filter(pk=user_id, is_staff=True).exists()
    )
    if row.state == EventState.DRAFT and not is_organiser:
        raise NotFound(f"there is no event {row.slug!r}")
    return is_organiser


def organises_match(match_id: str, user_id: int) -> bool:
    """Return whether a user organises the event of a match."""
    row = EventRow.objects.filter(matches__match=match_id).first()
    return row is not None and _sees_all(row, user_id)


def standings_seen(row: EventRow) -> list[StandingLine]:
    """Return the public standings of an event."""
    return _seen_of(row, sees_all=False).standings


def event_mark(slug: str, *, sees_all: bool) -> EventMark:
    """Return a mark that changes whenever the event's page changes. With `sees_all` it is that of the organisers'
    page."""
    row = find_event(slug)
    seen = _seen_of(row, sees_all)
    lines = _lines(row).filter(match__state__in=IN_FLIGHT, round__lte=seen.shown).order_by("match_id")
    playing = list(lines.values_list("match_id", "match__state"))
    boards = live_boards([match for match, state in playing if state == MatchState.RUNNING])
    away = sorted(_away(row, sees_all))
    parts = [row.state, seen.event.length, playing, away, [board.ply for board in boards.values()]]
    parts.append([row.owner.username, *row.helpers.values_list("username"), row.asked if sees_all else ""])
    mark = sha256(repr(parts).encode()).hexdigest()[:16]
    return EventMark(mark, row.state in SETTLED, seen.event.terms if row.state == EventState.OPEN else None)


def event_page(slug: str, user_id: int | None = None) -> EventPage:
    """Return an event as far as this user may see it. Raise `NotFound` also for somebody else's draft."""
    row = find_event(slug)
    is_organiser = _sees_all(row, user_id)
    facts = read_facts(row.pk, row.length)
    seen = _seen_of(row, is_organiser)
    if seen.event.length < len(facts):
        facts = _without_results(facts, seen.shown)
    entries = list(EventBot.objects.filter(event=row).select_related("bot__owner"))
    games = {
        (round, table, game): EventGame(match, state, started, finished)
        for round, table, game, match, state, started, finished in _lines(row)
        .filter(round__lte=seen.shown)
        .order_by("attempt", "tries")
        .values_list("round", "table", "game", "match_id", "match__state", "match__started_at", "match__finished_at")
    }
    return EventPage(
        line=_line(row, sees_all=is_organiser),
        event=seen.event,
        shown=seen.shown,
        standings=seen.standings,
        movement=seen.movement,
        bots={entry.number: bot_ref(entry.bot) for entry in entries},
        games=games,
        boards=live_boards([game.match for game in games.values() if game.state == MatchState.RUNNING]),
        facts=facts,
        away=_away(row, is_organiser),
        is_organiser=is_organiser,
        asked=row.asked,
        helpers=list(row.helpers.values_list("username", flat=True)),
    )


def _away(row: EventRow, sees_all: bool) -> dict[int, datetime]:
    """Return the entrants for whom a table waits, each with the time since when.

    While a round is hidden, only organisers see them: waiting for an entrant discloses that it won, and an end of the
    wait that it was absent.
    """
    if row.hidden and row.revealed < row.rounds and not sees_all:
        return {}
    rows = EventBot.objects.filter(event=row, away_since__isnull=False).values_list("number", "away_since")
    return {number: since for number, since in rows if since is not None}


def _lines(row: EventRow) -> QuerySet[EventMatch]:
    return EventMatch.objects.filter(event=row)


def _without_results(facts: list[Fact], shown: int) -> list[Fact]:
    """Return the facts without those that disclose results of rounds after `shown`.

    The draw of a round discloses results of the earlier rounds.
    """
    shown_facts, drawn = [], 0
    for fact in facts:
        drawn += fact.kind is FactKind.DRAWN
        tells = drawn - 1 if fact.kind is FactKind.DRAWN else 0
        if isinstance(fact.data, GamesRepeated):
            games = tuple(game for game in fact.data.games if game[0] <= shown)
            fact, tells = replace(fact, data=GamesRepeated(games)), 0 if games else shown + 1
        elif isinstance(fact.data, GameEnded | GameRuled | EntrantAbsent):
            tells = fact.data.round
        if tells <= shown:
            shown_facts.append(fact)
    return shown_facts


def _line(row: EventRow, *, sees_all: bool = False) -> EventLine:
    return EventLine(
        slug=row.slug,
        name=row.name,
        state=row.state,
        format=row.format,
        players=row.players,
        owner=row.owner.username,
        entrants=row.entrants,
        rounds=min(row.rounds, row.revealed + 1) if row.hidden and not sees_all else row.rounds,
        is_hidden=row.hidden,
        created_at=row.created_at,
    )


def series_of(match_id: str) -> Series | None:
    """Return the event of a match, with its next match that is public."""
    line = EventMatch.objects.filter(match=match_id).select_related("event").first()
    if line is None:
        return None
    later = EventMatch.objects.filter(~is_hidden("match__"), ~is_waiting("match__"), pk__gt=line.pk)
    following = later.filter(event=line.event_id).order_by("pk").values_list("match", flat=True).first()
    return Series(line.event.slug, line.event.name, following)
