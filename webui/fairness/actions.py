"""Fairness reports: the matches of each day (UTC), folded in steps.

The first match of a day starts its report. Every half minute a step folds in the matches that have ended since. When
the day is over and all its matches are folded, the report is closed and never changes again.

A step that was killed is repeated by the next step, which resumes at the position in the row. If two steps run at once,
one of them finds that the row has moved, and discards its work.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Min, OuterRef, Q, Subquery
from django.utils import timezone

from arena.fairness import Tallies, add, fold_end, fold_record, fold_round_trips, new_tallies, overcharges, win_chances
from arena.fairness.figures import DayReport
from arena.rules import RULES
from webui.core.errors import RecordAway
from webui.fairness.models import FairnessReport
from webui.matches.checks import record_findings
from webui.matches.conditions import is_hidden
from webui.matches.models import ENDED, Match, MatchRecord, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import ended_log, unpack_record
from webui.ratings.models import PublishedRating

FORMAT = "naqala/fairness/1"
DAYS = 30
"""Number of days that the monthly part of a report covers. A new arena starts its reports at most so many days ago."""
SETTLED = timedelta(seconds=60)
"""Delay before a finished match is folded. Its transaction commits shortly after the finish time that it records."""
STEP_S = 10.0
CHUNK = 50

log = structlog.get_logger(__name__)


def report_fairness(budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Continue the reports for about `budget_s` seconds. Return the number of matches folded."""
    end, folded = time.monotonic() + budget_s, 0
    while time.monotonic() < end and not is_stopping():
        row = _due()
        if row is None:
            break
        step = _FoldStep(row)
        for match in step.matches():
            step.take(match)
            if time.monotonic() >= end or is_stopping():
                break
        else:
            step.is_complete = True
        if not step.write():
            break
        folded += step.taken
    return folded


def _due() -> FairnessReport | None:
    """Return the open report, or a new one for the day after the last report; it may not be stored yet.

    Return None if no match has ended, or if that day is still in the future.
    """
    today = _settled().date()
    last = FairnessReport.objects.order_by("-date").first()
    if last is not None and not last.is_closed:
        return last
    if last is not None:
        day = last.date + timedelta(days=1)
    else:
        first = Match.objects.filter(state__in=ENDED).aggregate(first=Min("finished_at"))["first"]
        if first is None:
            return None
        day = max(first.astimezone(UTC).date(), today - timedelta(days=DAYS - 1))
    return None if day > today else FairnessReport(date=day, tallies=new_tallies())


def _settled() -> datetime:
    return timezone.now().astimezone(UTC) - SETTLED


class _FoldStep:
    """One step: a report, and the matches that are now folded into it."""

    def __init__(self, row: FairnessReport) -> None:
        self._row = row
        self._is_new = row._state.adding
        self._before = row.folded
        self._until = _settled()
        self.is_complete = False
        """Whether every match that had ended when the step began is folded."""

    @property
    def taken(self) -> int:
        return self._row.folded - self._before

    def matches(self) -> Iterator[Match]:
        """Yield the next matches in the order of their ends, without challenges, whose owners chose the opponents."""
        first = datetime(self._row.date.year, self._row.date.month, self._row.date.day, tzinfo=UTC)
        ended = (
            Match.objects.filter(finished_at__gte=first, finished_at__lt=min(first + timedelta(days=1), self._until))
            .filter(challenge_match=None)
            .select_related("secret", "record")
            .annotate(hides=is_hidden())
            .order_by("finished_at", "id")
        )
        while True:
            after = Q()
            if self._row.last_at is not None:
                after = Q(finished_at__gt=self._row.last_at) | Q(
                    finished_at=self._row.last_at, id__gt=self._row.last_id
                )
            chunk = list(ended.filter(after)[:CHUNK])
            yield from chunk
            if len(chunk) < CHUNK:
                return

    def take(self, match: Match) -> None:
        """Fold a match into the report. If that fails, list the match as a failure so that the others continue."""
        try:
            fold_match(self._row.tallies, match)
        except RecordAway:
            raise  # the storage is unavailable: the step is repeated
        except Exception as error:
            log.exception("match_not_folded", match=match.id)
            self._row.tallies["failures"][match.id] = f"the report could not read it: {type(error).__name__}"
        self._row.folded += 1
        self._row.last_at, self._row.last_id = match.finished_at, match.id

    def write(self) -> bool:
        """Store the step. Return False if there was nothing to write, or if another process was faster."""
        row = self._row
        row.is_closed = self.is_complete and row.date < self._until.date()
        if not self.taken and not row.is_closed:
            return False
        row.made_at = timezone.now()
        row.document = asdict(_report(row))
        if self._is_new:
            try:
                with transaction.atomic():
                    row.save(force_insert=True)
            except IntegrityError:
                return False
            return True
        fields = ("folded", "last_at", "last_id", "is_closed", "tallies", "document", "made_at")
        ours = FairnessReport.objects.filter(date=row.date, folded=self._before, is_closed=False)
        return bool(ours.update(**{field: getattr(row, field) for field in fields}))


def _report(row: FairnessReport) -> DayReport:
    """Return the published report: the day, and the last `DAYS` days together."""
    from arena.fairness.report import summary  # imports SciPy, which only the upkeep worker needs

    first = row.date - timedelta(days=DAYS - 1)
    month: Tallies = row.tallies
    for tallies in FairnessReport.objects.filter(date__gte=first, date__lt=row.date).values_list("tallies", flat=True):
        month = add(month, {**new_tallies(), **tallies})
    return DayReport(
        format=FORMAT,
        date=str(row.date),
        closed=row.is_closed,
        made_at=row.made_at.astimezone(UTC).isoformat(timespec="seconds"),
        day=summary(row.tallies),
        days=DAYS,
        month=summary(month),
    )


def fold_match(tallies: Tallies, match: Match) -> None:
    """Count a match that has ended, and prove its record. A hidden match is only counted as hidden."""
    if getattr(match, "hides", False):
        tallies["hidden"] += 1
        return
    fold_end(tallies, match.state.lower(), match.reason)
    try:
        record = match.record
    except MatchRecord.DoesNotExist:
        if match.state == "FINISHED":
            tallies["failures"][match.id] = "it has no record"
        return
    if match.rules != RULES:
        tallies["unchecked"] += 1
        return
    if faults := list(record_findings(match)):
        tallies["failures"][match.id] = "; ".join(faults)
        return
    tallies["proved"] += 1
    document = unpack_record(packed_of(record))
    fold_record(tallies, document, _chances(match))
    log = ended_log(match.id, document)
    fold_round_trips(tallies, document, ((entry.seat, entry.kind, entry.data or {}) for entry in log))
    for overcharge in overcharges((entry.number, entry.kind, entry.data, entry.at) for entry in log):
        message = f"log entry {overcharge.number}: {overcharge.ms} ms charged, {overcharge.most} ms have passed"
        tallies["overcharges"].setdefault(match.id, message)


def _chances(match: Match) -> list[float] | None:
    """Return each seat's chance to win by the ratings published before the match, seat 1 first.

    Fits that include the match itself or later ones are ignored. Return None unless every seat has such a rating.
    """
    if match.ladder_number is None:
        return None
    before = PublishedRating.objects.filter(
        fit__ladder=match.ladder_id, version=OuterRef("version"), finished__lt=match.ladder_number
    ).order_by("-finished")
    seats = (
        Participant.objects.filter(match=match).order_by("seat").annotate(points=Subquery(before.values("points")[:1]))
    )
    points = list(seats.values_list("points", flat=True))
    return None if None in points else win_chances(points)
