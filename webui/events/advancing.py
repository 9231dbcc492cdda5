"""The advancer. It advances every event, from the state in the database and the bots that are online.

Any number of processes may run it at any time, and each may be killed at any point. One call does one step of an event
in one transaction. The transaction first updates the event's length by compare-and-set. If two advancers work on the
same event, one of them writes nothing.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q
from django.db.models.functions import Now

from arena.events import Draw, Event, EventState, Fact, FactKind, commitment_of
from arena.events.facts import (
    BotWithdrawn,
    EventCancelled,
    EventFinished,
    EventPublished,
    EventStarted,
    RoundDrawn,
)
from webui.bots.models import BotVersion
from webui.core.errors import BadRequest
from webui.core.upkeep import UpkeepWorker
from webui.events.actions import freeze_event
from webui.events.eligibility import versions_to_play
from webui.events.facts import LIVE_STATES, EventMoved, append_facts, by_arena, check_in_opens, fold_event
from webui.events.hooks import event_open
from webui.events.models import EventBot, EventMatch, EventRow, EventSecret, FactRow
from webui.events.scheduling import Seats, count_results, find_absent, schedule_games
from webui.matches.ending import void_match
from webui.matches.models import MatchState
from webui.matches.values import EVENT_CANCELLED
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession
from webui.ratings.folding import rate_match

NOT_CHECKED_IN = "neither checked in nor online at the start"
"""Reason with which the arena withdraws a bot before the start."""
"""Reason with which the matches of a cancelled event end. Pages translate it (`webui.words.badges`)."""

log = structlog.get_logger(__name__)


def advance_now(worker: UpkeepWorker) -> None:
    """Advance the events with the bots that are online, and wake their pages."""
    for slug in advance_events(worker.presences(), settings.EVENT_MATCHES_IN_FLIGHT):
        worker.wake(f"event:{slug}")


def advance_events(sessions: Iterable[OnlineSession], capacity: int) -> list[str]:
    """Advance every unfinished event by one step. Return the slugs of the events that changed.

    At most `capacity` matches of events are in flight. Events with the fewest matches in flight come first. No event
    gets more than three quarters of the capacity, so no event starves another.
    """
    most = max(1, capacity * 3 // 4)
    sessions = list(sessions)
    states = [str(state) for state in LIVE_STATES]
    rows = list(EventRow.objects.filter(Q(state__in=states) | ~Q(asked="") | _is_to_be_rated()).distinct())
    flying = Counter(
        dict(
            EventMatch.objects.filter(match__state__in=IN_FLIGHT_STATES)
            .values_list("event_id")
            .annotate(matches=Count("pk"))
        )
    )
    free = capacity - sum(flying.values())
    moved = []
    for row in sorted(rows, key=lambda row: (flying[row.pk], row.pk)):
        share, before = max(1, free // max(1, len(rows))), row.length
        try:
            limit = min(share, free, most - flying[row.pk])
            scheduled = advance_event(row, sessions, limit, flying[row.pk])
        except EventMoved:
            continue  # another advancer or the organiser was faster; the next call tries again
        except Exception:
            log.exception("event_not_advanced", slug=row.slug)  # continue with the other events
            continue
        free -= scheduled
        if scheduled or row.length > before:
            moved.append(row.slug)
    return moved


@transaction.atomic
def advance_event(row: EventRow, sessions: Sequence[OnlineSession], free: int, flying: int) -> int:
    """Advance an event by one step, and return the number of matches scheduled.

    A step handles what was asked, results, absences, the next round and new matches.
    """
    now: datetime = EventRow.objects.annotate(at=Now()).values_list("at", flat=True).get(pk=row.pk)
    if row.asked:
        _carry_out_request(row)
    if row.state == EventState.OPEN:
        _start_if_due(row, now, sessions)
    if row.state == EventState.OPEN:
        event = fold_event(row)
        event_open(row, event, check_in_opens(event.terms.course), now)
    if row.state == EventState.FROZEN:
        append_facts(row, by_arena([Fact(EventStarted())]))
    scheduled = 0
    if row.state in (EventState.RUNNING, EventState.PAUSED):
        event = fold_event(row)
        if results := count_results(row, event):
            event = append_facts(row, by_arena(results))
        online = Online.of(sessions, event.terms.ruleset.players, event.terms.ruleset.expansions)
        seats = Seats(row, event)
        if absent := find_absent(row, event, seats, online, now, is_known=bool(sessions)):
            event = append_facts(row, by_arena(absent))
        if row.state == EventState.RUNNING:
            event = _next_round(row, event, seats, online, now, is_flying=flying > 0)
        if row.state == EventState.RUNNING:
            free = min(free, event.terms.course.matches_at_once - flying)
            scheduled = schedule_games(row, event, Seats(row, event), online, seed_of(row), free)
    if row.hidden and row.revealed:
        _rate_revealed(row)
    EventRow.objects.filter(pk=row.pk).update(advanced_at=Now())
    return scheduled


def _is_to_be_rated() -> Q:
    """Return the condition for events that ended after their last step and had hidden results."""
    ended = (str(EventState.FINISHED), str(EventState.CANCELLED))
    return Q(state__in=ended, hidden=True, facts__at__gt=F("advanced_at"))


def _rate_revealed(row: EventRow) -> None:
    """Rate the matches of rounds that are revealed. Earlier ratings would have disclosed hidden results."""
    if not fold_event(row).terms.rated:
        return
    shown = EventMatch.objects.filter(event=row, is_counted=True, round__lte=row.revealed, absent=[])
    waiting = shown.filter(match__state=str(MatchState.FINISHED), match__rated=False)
    for match in waiting.order_by("match__finished_at", "match_id").values_list("match_id", flat=True):
        rate_match(match)


def seed_of(row: EventRow) -> bytes:
    """Return the seed of a published event."""
    return bytes.fromhex(EventSecret.objects.get(event=row).seed)


def _carry_out_request(row: EventRow) -> None:
    decision, by = row.asked, row.asked_by_id
    EventRow.objects.filter(pk=row.pk).update(asked="", asked_by=None, asked_why="")
    row.asked = ""
    try:
        with transaction.atomic():
            if decision == "publish":
                seed = secrets.token_bytes(32)
                EventSecret.objects.create(event=row, seed=seed.hex())
                append_facts(row, [(Fact(EventPublished(commitment_of(seed))), by)])
            else:
                _cancel(row, by)
    except BadRequest as error:
        # its state has changed in the meantime
        log.warning("event_refuses", slug=row.slug, asked=decision, error=str(error))


def _cancel(row: EventRow, by: int | None) -> None:
    """Cancel an event. Results that are there count; matches that are not over end at once, without a result.

    Nobody would count or rate the result of such a match, and its bots would be kept for nothing.
    """
    flying = EventMatch.objects.filter(event=row, match__state__in=IN_FLIGHT_STATES)
    for match in flying.order_by("match_id").values_list("match_id", flat=True):
        void_match(match, EVENT_CANCELLED, again=False)
    # After that, so that a match that has just ended counts.
    if row.state in (EventState.RUNNING, EventState.PAUSED) and (results := count_results(row, fold_event(row))):
        append_facts(row, by_arena(results))
    secret = EventSecret.objects.filter(event=row).first()
    cancelled = EventCancelled(bytes.fromhex(secret.seed) if secret else None)
    append_facts(row, [(Fact(cancelled, why=row.asked_why), by)])


def _start_if_due(row: EventRow, now: datetime, sessions: Sequence[OnlineSession]) -> None:
    """Freeze the field and start, at the scheduled time or when the event is full."""
    event = fold_event(row)
    course = event.terms.course
    is_full = course.starts_when_full and len(event.present) >= event.terms.entry.entrants
    is_time = bool(course.starts_at) and datetime.fromisoformat(course.starts_at) <= now
    if not is_full and not is_time:
        return
    try:
        with transaction.atomic():
            if is_time and course.check_in_s:
                if not sessions:
                    return  # the arena has no connections at all: nobody is withdrawn for that
                event = _withdraw_missing(row, event, sessions)
            freeze_event(row, event, _free_places(event, sessions))
    except BadRequest as error:
        row.refresh_from_db()  # the savepoint has undone the facts appended before
        # too few bots, for instance; retried at every step
        log.info("event_cannot_start", slug=row.slug, error=str(error))


def _withdraw_missing(row: EventRow, event: Event, sessions: Sequence[OnlineSession]) -> Event:
    """Withdraw the bots that have not checked in and are not online at the start."""
    bots = dict(EventBot.objects.filter(event=row, is_in=True).values_list("number", "bot_id"))
    there = set(BotVersion.objects.filter(pk__in=list(_free_places(event, sessions))).values_list("bot_id", flat=True))
    missing = [n for n in sorted(event.present - event.checked_in) if bots[n] not in there]
    EventBot.objects.filter(event=row, number__in=missing).update(is_in=False)
    return append_facts(row, by_arena(Fact(BotWithdrawn(number), why=NOT_CHECKED_IN) for number in missing))


def _free_places(event: Event, sessions: Iterable[OnlineSession]) -> Counter[int]:
    """Return the free places of the versions that are online and play the game of an event."""
    ruleset = event.terms.ruleset
    return Online.of(sessions, ruleset.players, ruleset.expansions).room


def _next_round(row: EventRow, event: Event, seats: Seats, online: Online, now: datetime, *, is_flying: bool) -> Event:
    """Draw what can be drawn now. Finish the event if nothing is left to draw and none of its matches is in flight."""
    course, seed = event.terms.course, seed_of(row)
    kinds = FactRow.objects.filter(event=row)
    if event.terms.format.is_continuous:
        started = kinds.filter(kind=str(FactKind.STARTED)).values_list("at", flat=True).first()
        is_over = course.ends_after_s and started and now - started > timedelta(seconds=course.ends_after_s)
        if is_over:
            return _finish(row, event, seed) if event.is_between_rounds and not is_flying else event
        busy = {number for pairing in event.pairings() for number in pairing.seats}
        free = [n for n in sorted(event.present - busy) if seats.is_there(n, online)]
        draw = event.draw(seed, free)
        return event if draw is None else _drawn(row, event, online, draw, tuple(free))
    if not event.is_between_rounds:
        return event
    last = kinds.filter(kind=str(FactKind.DRAWN)).order_by("-number").values_list("at", flat=True).first()
    if last is not None and now - last < timedelta(seconds=course.round_every_s):
        return event
    if course.next_round_at and now < datetime.fromisoformat(course.next_round_at):
        return event
    draw = event.draw(seed)
    if draw is not None:
        return _drawn(row, event, online, draw)
    return event if is_flying else _finish(row, event, seed)


def _drawn(row: EventRow, event: Event, online: Online, draw: Draw, free: tuple[int, ...] | None = None) -> Event:
    is_free = event.terms.versions == "free"
    hosted_only = event.terms.entry.hosted_bots_only
    plays = versions_to_play(row.slug, online.room, hosted_only=hosted_only) if is_free else {}
    versions = tuple(sorted(plays.items()))
    return append_facts(row, by_arena([Fact(RoundDrawn(draw.tables, draw.byes, draw.label, free, versions))]))


def _finish(row: EventRow, event: Event, seed: bytes) -> Event:
    EventBot.objects.filter(event=row).update(away_since=None, is_awaited=False)
    return append_facts(row, by_arena([Fact(EventFinished(seed))]))
