"""The doctor: checks invariants of a deployment's tables on live data, without stopping or locking anything.

Each check is a few SELECTs, and no check compares the results of two of them. Matches that go on meanwhile therefore
cause no findings. Verifying records by the rules is slow, so it is done for a sample unless all are requested.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db.models import Count, Max
from django.db.models.functions import Coalesce
from django.utils import timezone
from prometheus_client import Gauge

from arena.rules import RULES
from webui.core.errors import RecordAway
from webui.core.subjects import let_go, subjects
from webui.core.upkeep import UpkeepWorker
from webui.ladders.models import Ladder
from webui.matches.checks import Scope, record_findings
from webui.matches.models import (
    Match,
    MatchRecord,
)
from webui.matches.ownership import new_match_id
from webui.ratings.folding import rebuild_ratings
from webui.status.actions import note_examination

SAMPLE = 100
"""Default number of records that are verified."""

NIGHTS = timedelta(days=3)
"""Age of the oldest matches that the nightly run checks. It allows for a night or two without a run."""

MOST_FINISHES = 50_000
"""Maximum number of finishes of a ladder whose ratings the nightly run folds again. `arena admin doctor` has no
limit.
"""

FINDINGS: Final = Gauge("arena_doctor_findings", "Findings of the doctor last night, by check", ["check"])
LAST_RUN: Final = Gauge(
    "arena_doctor_run_timestamp_seconds", "When the doctor last completed here; 0: not since the process started"
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Finding:
    """A violation of an invariant."""

    check: str
    """Name of the check."""
    subject: str
    """Id of the match, or name of the ladder."""
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject}: {self.message}"


@dataclass(frozen=True)
class Examination:
    """The number of subjects that were checked, and the findings."""

    looked_at: dict[str, int]
    """Number of subjects of each check."""
    findings: list[Finding]
    skipped: int
    """Number of records in the sample that only a process with other rules can verify."""

    @property
    def is_healthy(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings

    def document(self) -> dict[str, Any]:
        """Return the examination as JSON."""
        return {**asdict(self), "healthy": self.is_healthy}


Progress = Callable[[str, int, int], None]
"""Callback for progress: name of the check, number of subjects done, number of all subjects."""


def examine(
    sample: int | None = SAMPLE,
    progress: Progress = lambda check, done, total: None,
    *,
    since: datetime | None = None,
) -> Examination:
    """Run all checks.

    `sample` is the number of records that are verified by the rules, drawn at random each time. None: all of them.

    With `since`, only matches that run or ended since then are checked. Ratings are then checked only for ladders with
    at most `MOST_FINISHES` finishes, because they are folded from the first finish on.
    """
    looked_at: dict[str, int] = {}
    findings: list[Finding] = []
    scope = Scope(since)
    matches = scope.matches().count()
    for check in (check for subject in subjects() for check in subject.checks):
        progress(check.name, 0, matches)
        findings += [Finding(check.name, about, message) for about, message in check.find(since)]
        looked_at[check.name] = matches
        progress(check.name, matches, matches)

    listed = Ladder.objects.order_by("slug")
    if since is not None:
        listed = listed.filter(finished__lte=MOST_FINISHES)
    ladders = list(listed.values_list("slug", flat=True))
    looked_at["ratings"] = len(ladders)
    for done, slug in enumerate(ladders, start=1):
        findings += [Finding("ratings", slug, message) for message in _ratings(slug)]
        progress("ratings", done, len(ladders))

    chosen = list(MatchRecord.objects.values_list("pk", flat=True)) if sample is None else _drawn(sample)
    looked_at["records"] = len(chosen)
    skipped = 0
    for done, match_id in enumerate(chosen, start=1):
        match = Match.objects.select_related("secret").get(pk=match_id)
        if match.rules == RULES:
            try:
                findings += [Finding("records", match_id, message) for message in record_findings(match)]
            except RecordAway as error:
                findings.append(Finding("records", match_id, str(error)))
        else:
            skipped += 1
        progress("records", done, len(chosen))
    return Examination(looked_at, findings, skipped)


def _drawn(sample: int) -> list[str]:
    """Return the ids of `sample` records, or of all records if there are fewer, drawn at random.

    Ids are random themselves. Each draw takes the next id after a random text, among those not drawn yet.
    """
    chosen: set[str] = set()
    for _ in range(sample):
        left = MatchRecord.objects.exclude(pk__in=chosen).order_by("pk").values_list("pk", flat=True)
        if (match_id := left.filter(pk__gte=new_match_id()).first() or left.first()) is None:
            break
        chosen.add(match_id)
    return sorted(chosen)


class _Stopped(Exception):
    """The calling process is stopping."""


def examine_now(worker: UpkeepWorker) -> None:
    """Delete expired data, check the invariants of the database, and verify a sample of the records again."""
    if deleted := let_go(worker.is_stopping):
        log.info("let_go", **{name.replace(" ", "_"): rows for name, rows in deleted.items()})
    if (examination := examine_nightly(worker.is_stopping)) is not None:
        counts = Counter(finding.check for finding in examination.findings)
        for check in examination.looked_at:
            FINDINGS.labels(check).set(counts[check])
        LAST_RUN.set_to_current_time()


def examine_nightly(is_stopping: Callable[[], bool] = lambda: False) -> Examination | None:
    """Run all checks on what is new since the last nights. Log every finding, and note all for the pages of staff.

    Return None if the process is stopping. Older data was checked on earlier nights, and
    `arena admin doctor` checks it again.
    """

    def look_up(check: str, done: int, total: int) -> None:
        if is_stopping():
            raise _Stopped

    try:
        examination = examine(progress=look_up, since=timezone.now() - NIGHTS)
    except _Stopped:
        log.info("doctor_stopped")
        return None
    findings = [asdict(finding) for finding in examination.findings]
    note_examination(examination.looked_at, findings, examination.skipped)
    for finding in examination.findings:
        log.error("doctor_found", **asdict(finding))
    log.info(
        "doctor_done", findings=len(examination.findings), skipped=examination.skipped, looked_at=examination.looked_at
    )
    return examination


def _ratings(slug: str) -> Iterator[str]:
    """Check that the finishes of a ladder are numbered without a gap, and that its ratings follow from them."""
    ladder = Ladder.objects.annotate(
        numbers=Count("matches__ladder_number"), last=Coalesce(Max("matches__ladder_number"), 0)
    ).get(slug=slug)
    if not ladder.numbers == ladder.last == ladder.finished:
        yield (
            f"it counts {ladder.finished} finishes, and {ladder.numbers} matches have the numbers up to {ladder.last}"
        )
    else:  # a fold over a gap reveals nothing more
        yield from rebuild_ratings(slug, write=False).differences
