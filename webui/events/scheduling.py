"""Scheduling of an event's matches for the bots that are online, and counting of their results as facts."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from arena.events import Event, EventState, Fact, Pairing, deal_of
from arena.events.facts import EntrantAbsent, GameEnded
from arena.referee import Clock, Policy
from webui.bots.models import BotVersion
from webui.bots.queries import MAY_PLAY
from webui.events.facts import declines, fold_event
from webui.events.models import EventBot, EventMatch, EventRow
from webui.matches.models import MatchState, Participant
from webui.matches.ownership import schedule_match
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, PlaceTaken, RunnersFull, claim_places

log = structlog.get_logger(__name__)

STALE_S: Final = 30.0
"""Maximum time between steps of the advancer, in seconds. After a longer pause it does not know who was online."""
MOST_TRIES: Final = 3
"""Number of offers for one game that a bot may decline or ignore before it counts as absent."""


class Seats:
    """The versions that play for the entrants. A bot that may be given no match has none."""

    def __init__(self, row: EventRow, event: Event) -> None:
        bots = dict(EventBot.objects.filter(event=row).values_list("number", "bot_id"))
        versions = BotVersion.objects.filter(MAY_PLAY, bot_id__in=bots.values())
        ids = {(bot, name): pk for pk, bot, name in versions.values_list("pk", "bot_id", "name")}
        self.bot = bots
        self.version = {e.number: ids.get((bots[e.number], e.version)) for e in event.entrants}

    def is_there(self, number: int, online: Online) -> bool:
        """Return whether an entrant is online with the version that plays, and may be given a match."""
        return self.version.get(number) in online.room


def find_absent(
    row: EventRow, event: Event, seats: Seats, online: Online, now: datetime, *, is_known: bool
) -> list[Fact]:
    """Return the absences of entrants who have not come in time to a waiting table.

    If nobody is online, `is_known` is false: the arena is disconnected, and nobody is absent. Absences during a match
    are left to its referee.
    """
    flying = {
        (line.round, line.table, line.game)
        for line in EventMatch.objects.filter(event=row).filter(match__state__in=IN_FLIGHT_STATES)
    }
    pairings = [pairing for pairing in event.pairings() if pairing.key not in flying]
    awaited = {number for pairing in pairings for number in pairing.seats if number not in pairing.absent}
    entries = {entry.number: entry for entry in EventBot.objects.filter(event=row)}
    is_stale = row.advanced_at is None or now - row.advanced_at > timedelta(seconds=STALE_S)
    gone = set()
    for number, entry in entries.items():
        is_away = number in awaited and is_known and not seats.is_there(number, online)
        since = entry.away_since
        if not is_away:
            since = None
        elif since is None or is_stale or since > now:  # the clock was set back
            since = now
        if since != entry.away_since:
            EventBot.objects.filter(pk=entry.pk).update(away_since=since)
        if since is not None and now - since > timedelta(seconds=event.terms.course.no_show_s):
            gone.add(number)
    absent = {(*pairing.key[:2], number) for pairing in pairings for number in gone.intersection(pairing.seats)}
    absent |= _declined(row, event)
    return [
        Fact(EntrantAbsent(round, table, number))
        for round, table, number in sorted(absent)
        if number not in event.absent.get((round, table), ())
    ]


def _declined(row: EventRow, event: Event) -> set[tuple[int, int, int]]:
    """Return the entrants who have declined or ignored too many offers of a game."""
    declined = declines(row, event)
    return {(key[0], key[1], number) for (key, number), times in declined.items() if times >= MOST_TRIES}


def schedule_games(row: EventRow, event: Event, seats: Seats, online: Online, seed: bytes, free: int) -> int:
    """Schedule the games whose bots are online and have a free place. Return how many were scheduled."""
    # the latest match of each game
    known = {(line.round, line.table, line.game, line.attempt): line for line in _lines(row)}
    scheduled, awaited, is_full = 0, set[int](), False
    for pairing in event.pairings():
        line = known.get((*pairing.key, pairing.attempt))
        if line is not None and line.match.state not in (MatchState.ABORTED, MatchState.VOID):
            continue
        versions = _versions(pairing, seats, online)
        if versions is None:
            continue
        full = [seat for seat, version in zip(pairing.seats, versions, strict=True) if online.room[version] <= 0]
        if full or scheduled >= free:
            awaited |= {seats.bot[seat] for seat in full if seat not in pairing.absent}
            continue
        try:
            claim_places(online.sessions, event.terms.ruleset, versions)
        except RunnersFull:
            if not is_full:  # the ladders leave places for one table at a time
                awaited |= {
                    seats.bot[seat]
                    for seat, version in zip(pairing.seats, versions, strict=True)
                    if version in online.hosted and seat not in pairing.absent
                }
            is_full = True
            continue
        except PlaceTaken:
            continue  # the next step waits for the bots
        _schedule_pairing(row, event, pairing, versions, line, seed)
        online.room.subtract(versions)
        scheduled += 1
    others = EventBot.objects.filter(event=row).exclude(bot__in=awaited)
    others.filter(is_awaited=True).update(is_awaited=False)
    EventBot.objects.filter(event=row, bot__in=awaited, is_awaited=False).update(is_awaited=True)
    return scheduled


def _lines(row: EventRow) -> Iterable[EventMatch]:
    return EventMatch.objects.filter(event=row, is_counted=False).select_related("match").order_by("tries")


def _versions(pairing: Pairing, seats: Seats, online: Online) -> list[int] | None:
    """Return the version for each seat, with a bot of the house for an absent entrant. Return None if a bot is
    missing."""
    own = [None if seat in pairing.absent else seats.version.get(seat) for seat in pairing.seats]
    if any(version not in online.room for version in own if version is not None):
        return None
    spare = [version for version in online.house if version not in own]
    chosen = []
    for seat, version in zip(pairing.seats, own, strict=True):
        if version is None and (seat not in pairing.absent or not spare):
            return None
        chosen.append(spare.pop(0) if version is None else version)
    return chosen


def _schedule_pairing(
    row: EventRow, event: Event, pairing: Pairing, versions: Sequence[int], line: EventMatch | None, seed: bytes
) -> None:
    terms = event.terms
    match = schedule_match(
        terms.ruleset,
        versions,
        Clock.parse(terms.clock),
        Policy.parse(terms.policy),
        rated=terms.rated and not terms.hidden and not pairing.absent,
        deal=deal_of(seed, pairing.key, pairing.attempt) if terms.unit != "match" else None,
    )
    number, table, game = pairing.key
    EventMatch.objects.create(
        event=row,
        round=number,
        table=table,
        game=game,
        attempt=pairing.attempt,
        match_id=match,
        absent=sorted(pairing.absent),
        tries=1 if line is None else line.tries + 1,
    )


PLAYED = (MatchState.FINISHED, MatchState.VOID)


def count_results(row: EventRow, event: Event) -> list[Fact]:
    """Return the results of newly ended matches, in the order of the tables, and mark them as counted.

    A void match counts if all its seats forfeited. A match that the arena voided is played again.
    """
    ended = EventMatch.objects.filter(event=row, is_counted=False, match__state__in=[str(state) for state in PLAYED])
    facts, counted = [], []
    for line in ended.select_related("match").order_by("round", "table", "game", "attempt"):
        key = (line.round, line.table, line.game)
        table = event.rounds[line.round - 1].tables[line.table - 1]
        if event.attempts.get(key, 0) != line.attempt or key in event.games or event.is_decided(line.round, table):
            counted.append(line.pk)  # replayed, ruled or decided by absence in the meantime: its result does not count
            continue
        seats = list(Participant.objects.filter(match=line.match_id).order_by("seat"))
        if line.match.state == MatchState.VOID and not all(seat.forfeited_at is not None for seat in seats):
            continue
        facts.append(Fact(_result(line, event, seats)))
        counted.append(line.pk)
    EventMatch.objects.filter(pk__in=counted).update(is_counted=True)
    return facts


def _result(line: EventMatch, event: Event, seats: Sequence[Participant]) -> GameEnded:
    key = (line.round, line.table, line.game)
    if line.match.state == MatchState.VOID:
        table = event.rounds[line.round - 1].tables[line.table - 1]
        return GameEnded(*key, line.match_id, (1,) * len(seats), out=tuple(sorted(table.seats)))
    scores = tuple(seat.score for seat in seats if seat.score is not None)
    return GameEnded(
        *key,
        line.match_id,
        tuple(seat.placement for seat in seats if seat.placement is not None),
        scores if len(scores) == len(seats) else None,
        tuple(line.absent),
    )


def awaited_among(bots: Collection[int]) -> set[int]:
    """Return the bots among `bots` for which a match of a running event waits."""
    awaited = EventBot.objects.filter(bot__in=bots, is_awaited=True, is_in=True, event__state=str(EventState.RUNNING))
    return set(awaited.values_list("bot", flat=True))


def entered_versions() -> list[int]:
    """Return the versions that play in events whose field is frozen."""
    states = [str(state) for state in (EventState.FROZEN, EventState.RUNNING, EventState.PAUSED)]
    versions: list[int] = []
    for row in EventRow.objects.filter(state__in=states):
        try:
            versions += (version for version in Seats(row, fold_event(row)).version.values() if version is not None)
        except Exception:
            log.exception("event_not_read", event=row.slug)  # the versions of other events are kept all the same
    return versions
