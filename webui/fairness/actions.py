"""Fairness reports: the matches of each day (UTC), folded in steps.

A day's report is begun with its first match, and carried on every half minute with what has ended since; when the day
is over and all of it folded, the report is closed and never changed again. A step that was killed is made again by the
next one, from where the row says; of two at once one finds that the row has moved, and drops what it has.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Min, OuterRef, Q, Subquery
from django.utils import timezone

from arena.fairness import Tallies, add, fold_end, fold_record, new_tallies, overcharges, win_chances
from arena.rules import RULES
from webui.core.errors import RecordAway
from webui.fairness.models import FairnessReport
from webui.matches.checks import record_findings
from webui.matches.hidden import is_hidden
from webui.matches.models import ENDED, Match, MatchRecord, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import ended_log, unpack_record
from webui.ratings.models import PublishedRating

FORMAT = "naqala/fairness/1"
DAYS = 30
"""What has few cases a day is shown of so many days, and arenas are looked back at for so long."""
SETTLED = timedelta(seconds=60)
"""A match that has ended is in the tables when its transaction is, which is not long after its time of finish."""
STEP_S = 10.0
CHUNK = 50

log = structlog.get_logger(__name__)


def report_fairness(budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Carry the reports on for about so many seconds; return how many matches were folded."""
    end, folded = time.monotonic() + budget_s, 0
    while time.monotonic() < end and not is_stopping():
        row = _due()
        if row is None:
            break
        step = _Step(row)
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
    """The report that is not closed, or that of the day after; not stored yet, maybe. None: there is nothing to say."""
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


class _Step:
    """A report, and the matches that are folded into it now."""

    def __init__(self, row: FairnessReport) -> None:
        self._row = row
        self._is_new = row._state.adding
        self._before = row.folded
        self._until = _settled()
        self.is_complete = False
        """Nothing is left that had ended when the step began."""

    @property
    def taken(self) -> int:
        return self._row.folded - self._before

    def matches(self) -> Iterator[Match]:
        """Those that come next, in the order of their ends, without challenges: their owners chose who meets whom."""
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
        """Fold a match in. One that cannot be folded, which is our fault, is named, and the others go on."""
        try:
            fold_match(self._row.tallies, match)
        except RecordAway:
            raise  # it is not the match's fault: the step is made again
        except Exception as error:
            log.exception("match_not_folded", match=match.id)
            self._row.tallies["failures"][match.id] = f"the report could not read it: {type(error).__name__}"
        self._row.folded += 1
        self._row.last_at, self._row.last_id = match.finished_at, match.id

    def write(self) -> bool:
        """Store the step; False if nothing was to be written, or somebody else was faster."""
        row = self._row
        row.is_closed = self.is_complete and row.date < self._until.date()
        if not self.taken and not row.is_closed:
            return False
        row.made_at = timezone.now()
        row.document = _document(row)
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


def _document(row: FairnessReport) -> dict[str, Any]:
    """What is published: the day, and all days of the last month together."""
    from arena.fairness.report import summary  # SciPy, which all processes but the upkeep worker do without

    first = row.date - timedelta(days=DAYS - 1)
    month: Tallies = row.tallies
    for tallies in FairnessReport.objects.filter(date__gte=first, date__lt=row.date).values_list("tallies", flat=True):
        month = add(month, {**new_tallies(), **tallies})
    return {
        "format": FORMAT,
        "date": str(row.date),
        "closed": row.is_closed,
        "made_at": row.made_at.astimezone(UTC).isoformat(timespec="seconds"),
        "day": summary(row.tallies),
        "days": DAYS,
        "month": summary(month),
    }


def fold_match(tallies: Tallies, match: Match) -> None:
    """Count a match that has ended, and prove its record. Of one that is hidden nothing is told but that it is."""
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
    for found in overcharges((entry.number, entry.kind, entry.data, entry.at) for entry in log):
        message = f"log entry {found.number}: {found.ms} ms charged, {found.most} ms have passed"
        tallies["overcharges"].setdefault(match.id, message)


def _chances(match: Match) -> list[float] | None:
    """What each seat's chance to win was by the ratings that were published before, seat 1 first; None unless all seats
    had one. A fit that covers the match itself, or later ones, is none of them."""
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
