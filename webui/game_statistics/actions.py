"""Count all public matches, each of them once, in small steps.

A step takes the next matches in the order in which they ended, adds up what they say, and writes the sums and its
progress in one transaction. Progress changes by compare-and-set, so one of two simultaneous steps writes nothing. The
next step repeats one that was killed.

A match whose result is hidden is noted when its turn comes, and counted after its reveal. Counted are rated matches and
those of events. Challenges, comparisons and examinations are left out: their opponents are chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

import structlog
from django.db import models, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from arena.rules import RULES
from webui.core.errors import RecordAway
from webui.core.upkeep import UpkeepWorker
from webui.game_statistics.facts import EndFacts, MatchFacts, SeatFacts, StoryFacts, end_facts
from webui.game_statistics.models import (
    LOWER_IS_BETTER,
    ArenaRecord,
    BotPair,
    CountProgress,
    GameFigure,
    HeldCount,
    Meeting,
    WinStreak,
)
from webui.game_statistics.tally import Best, MeetingCounts, PairKey, Sums, Tally, is_better
from webui.matches.conditions import is_hidden
from webui.matches.hooks import is_overloaded
from webui.matches.models import Match, MatchRecord, MatchState, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import unpack_record
from webui.stories.models import Story, unpack_story

SETTLED: Final = timedelta(minutes=5)
"""Delay before a match is counted. By then its transaction is committed, and its story is usually made."""
CHUNK: Final = 50
"""Number of matches in a step."""
STEP_S: Final = 5.0
_MILLE: Final = 1000

log = structlog.get_logger(__name__)


def count_now(worker: UpkeepWorker) -> None:
    """Count the matches that have ended, unless the arena is overloaded."""
    if not is_overloaded():
        count_matches(is_stopping=worker.is_stopping)


def count_matches(budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Count matches for about `budget_s` seconds, but at least one step. Return how many were looked at.

    `RecordAway` is raised if the store of records fails. The next call continues.
    """
    end, looked_at = time.monotonic() + budget_s, 0
    while True:
        progress = CountProgress.objects.get_or_create(pk=1)[0]
        step = _revealed() or _next(progress)
        if not step or not _count(progress, step):
            return looked_at
        looked_at += len(step)
        if time.monotonic() >= end or is_stopping():
            return looked_at


def _matches() -> QuerySet[Match]:
    return Match.objects.select_related("event_match", "story", "record", "held_count").annotate(hides=is_hidden())


def _revealed() -> list[Match]:
    """Return matches that were hidden when their turn came, and are not any more."""
    held = HeldCount.objects.exclude(is_hidden("match__")).order_by("match__finished_at", "pk")
    return list(_matches().filter(pk__in=list(held.values_list("pk", flat=True)[:CHUNK])).order_by("finished_at", "pk"))


def _next(progress: CountProgress) -> list[Match]:
    """Return the next matches in the order in which they ended, whether they count or not."""
    rows = _matches().filter(state=MatchState.FINISHED, finished_at__lt=timezone.now() - SETTLED)
    if progress.last_at is not None:
        later = Q(finished_at__gt=progress.last_at) | Q(pk__gt=progress.last_id)
        rows = rows.filter(later, finished_at__gte=progress.last_at)
    return list(rows.order_by("finished_at", "pk")[:CHUNK])


def _count(progress: CountProgress, step: Sequence[Match]) -> bool:
    """Count these matches. Return False if another process has counted them meanwhile."""
    counting = [match for match in step if match.rated or getattr(match, "event_match", None) is not None]
    public = [match for match in counting if not vars(match)["hides"]]
    facts = _facts(public)  # the slow part, outside of the transaction
    with transaction.atomic():
        ours = CountProgress.objects.filter(pk=1, counted=progress.counted)
        if not ours.update(counted=F("counted") + len(step), **_position(step)):
            return False
        HeldCount.objects.filter(match__in=public).delete()
        HeldCount.objects.bulk_create([HeldCount(match=match) for match in counting if vars(match)["hides"]])
        bots = {seat.bot for one in facts for seat in one.seats}
        streaks = WinStreak.objects.filter(bot__in=bots).values_list("bot_id", "length")
        tally = Tally(streaks=dict(streaks))
        for one in facts:
            tally.add(one)
        _write(tally)
    return True


def _position(step: Sequence[Match]) -> dict[str, Any]:
    """Return the columns of progress after this step. Matches that were held do not change the position."""
    if hasattr(step[0], "held_count"):
        return {}
    return {"last_at": step[-1].finished_at, "last_id": step[-1].pk}


def _facts(matches: Sequence[Match]) -> list[MatchFacts]:
    """Return what these matches say, in their order."""
    seats: dict[str, list[SeatFacts]] = {match.pk: [] for match in matches}
    columns = ("match_id", "seat", "version__bot_id", "placement", "first_bid", "score", "forfeit_reason")
    rows = Participant.objects.filter(match__in=matches, placement__isnull=False).order_by("match_id", "seat")
    for match_id, seat, bot, placement, first_bid, score, forfeit in rows.values_list(*columns):
        seats[match_id].append(SeatFacts(seat, bot, placement or 0, first_bid or 0, score, bool(forfeit)))
    found = []
    for match in matches:
        facts = MatchFacts(match.pk, match.ruleset, tuple(seats[match.pk]))
        if facts.is_complete:
            facts = MatchFacts(facts.match, facts.ruleset, facts.seats, _end(match), _story(match, len(facts.seats)))
        found.append(facts)
    return found


def _end(match: Match) -> EndFacts | None:
    """Return the end of a match by its record. Return None for other rules, and if the record cannot be read."""
    record: MatchRecord | None = getattr(match, "record", None)
    if record is None or match.rules != RULES:
        return None
    try:
        return end_facts(unpack_record(packed_of(record)))
    except RecordAway:
        raise
    except Exception:  # a fault of the arena, which must not hold up other matches
        log.exception("end_not_counted", match=match.pk)
        return None


def _story(match: Match, seats: int) -> StoryFacts | None:
    story: Story | None = getattr(match, "story", None)
    if story is None:
        return None
    chances = [point.chances for point in unpack_story(bytes(story.packed))[0]]
    if any(len(point) != seats for point in chances):
        return None  # it is of another game, as in copies that benchmarks make
    lowest = {seat: round(_MILLE * min(column)) for seat, column in enumerate(zip(*chances, strict=True), 1)}
    return StoryFacts(story.lead_changes, lowest)


def _write(tally: Tally) -> None:
    """Add a tally to the tables, in a number of queries that does not depend on it."""
    _write_figures(tally)
    _write_pairs(tally)
    _write_records(tally)
    streaks = [WinStreak(bot_id=bot, length=length) for bot, length in tally.streaks.items()]
    _store(WinStreak, streaks, ["bot"], ["length"])


def _write_figures(tally: Tally) -> None:
    games = {game for game, _, _ in tally.figures}
    former = {(row.game, row.kind, row.key): row for row in GameFigure.objects.filter(game__in=games)}
    fields = list(asdict(Sums()))
    rows = []
    for (game, kind, key), sums in tally.figures.items():
        row = former.get((game, kind, key)) or GameFigure(game=game, kind=kind, key=key, **asdict(Sums()))
        _add(row, sums, fields)
        rows.append(row)
    _store(GameFigure, rows, ["game", "kind", "key"], fields)


def _write_pairs(tally: Tally) -> None:
    bots = {bot for pair in tally.meetings for bot in pair}
    known = BotPair.objects.filter(first__in=bots, second__in=bots)
    former = {(row.first_id, row.second_id): row for row in known}
    rows = []
    for pair, meetings in tally.meetings.items():
        row = former.get(pair) or BotPair(first_id=pair[0], second_id=pair[1], games=0, above=0, level=0)
        for counts in meetings.values():
            _add(row, counts, ["games", "above", "level"])
        for name, bests, is_lower in _bests(tally):
            best = bests.get(pair)
            if best is not None and is_better(best.value, getattr(row, name), is_lower=is_lower):
                setattr(row, name, best.value)
                setattr(row, f"{name}_match_id", best.match)
        rows.append(row)
    best_fields = [column for name, _, _ in _bests(tally) for column in (name, f"{name}_match")]
    _store(BotPair, rows, ["first", "second"], ["games", "above", "level", *best_fields])
    _write_meetings(tally, dict(_pair_ids(known)))


def _bests(tally: Tally) -> list[tuple[str, dict[PairKey, Best], bool]]:
    """Return the bests of pairs: their column, those of the tally, and whether lower values are better."""
    return [
        ("closest", tally.closest, True),
        ("highest", tally.highest, False),
        ("comeback", tally.comeback, True),
    ]


def _pair_ids(pairs: QuerySet[BotPair]) -> Iterable[tuple[PairKey, int]]:
    for number, first, second in pairs.values_list("pk", "first_id", "second_id"):
        yield (first, second), number


def _write_meetings(tally: Tally, ids: Mapping[PairKey, int]) -> None:
    known = Meeting.objects.filter(pair__in=[ids[pair] for pair in tally.meetings])
    former = {(row.pair_id, row.game, row.first_place, row.second_place): row for row in known}
    fields = list(asdict(MeetingCounts()))
    rows = []
    for pair, meetings in tally.meetings.items():
        for key, counts in meetings.items():
            names = dict(zip(("pair_id", "game", "first_place", "second_place"), (ids[pair], *key), strict=True))
            row = former.get((ids[pair], *key)) or Meeting(**names, **asdict(MeetingCounts()))
            _add(row, counts, fields)
            rows.append(row)
    _store(Meeting, rows, ["pair", "game", "first_place", "second_place"], fields)


def _write_records(tally: Tally) -> None:
    former = {(row.kind, row.players): row.value for row in ArenaRecord.objects.all()}
    rows = [
        ArenaRecord(kind=kind, players=players, value=best.value, match_id=best.match, bot_id=best.bot)
        for (kind, players), best in tally.records.items()
        if is_better(best.value, former.get((kind, players)), is_lower=kind in LOWER_IS_BETTER)
    ]
    _store(ArenaRecord, rows, ["kind", "players"], ["value", "match", "bot"])


def _add(row: models.Model, counts: Sums | MeetingCounts, fields: Sequence[str]) -> None:
    for name in fields:
        setattr(row, name, getattr(row, name) + getattr(counts, name))


def _store(table: type[models.Model], rows: Sequence[Any], unique: Sequence[str], fields: Sequence[str]) -> None:
    """Insert these rows, or update those that exist. The progress row is locked, so nobody else writes them."""
    for row in rows:
        if row._meta.pk.name == "id":
            row.pk = None  # it is found by its unique fields
    table._default_manager.bulk_create(
        rows, batch_size=200, update_conflicts=True, unique_fields=unique, update_fields=fields
    )
