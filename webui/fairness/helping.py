"""Measurements, for staff, of which bots help which. They cover a sample of each day's tables of three to five.

A table takes about a second. When the report of a day is closed, the latest `MOST` tables of that day are measured in
steps. Each table has its own row, so a step may safely be killed or run twice. Rows older than `DAYS` are deleted.
"""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import structlog
from django.utils import timezone

from arena.rules import RULES
from webui.core.errors import RecordAway
from webui.core.upkeep import UpkeepWorker
from webui.fairness.actions import report_fairness
from webui.fairness.models import FairnessReport, HelpMeasure
from webui.fairness.suspicions import house_bot_keys
from webui.matches.models import Match, MatchState, Participant
from webui.matches.record_store import packed_of
from webui.matches.records import unpack_record

log = structlog.get_logger(__name__)

DAYS = 30
MOST = 300
STEP_S = 10.0


def report_now(worker: UpkeepWorker) -> None:
    """Continue the fairness reports, and measure which bots help others."""
    report_fairness(is_stopping=worker.is_stopping)
    measure_helps(is_stopping=worker.is_stopping)


def measure_helps(budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Measure tables for about `budget_s` seconds. After the last table, compare the pairs of bots.

    Return the number of tables measured.
    """
    from arena.fairness.kingmaking import helps  # imports SciPy, which only the upkeep worker needs

    report = FairnessReport.objects.filter(is_closed=True).order_by("-date").first()
    if report is None or report.pairs is not None:
        return 0
    end, measured = time.monotonic() + budget_s, 0
    for match_id in _not_measured(report.date):
        if time.monotonic() >= end or is_stopping():
            return measured
        match = Match.objects.select_related("record").get(pk=match_id)
        assert match.finished_at is not None  # set, because the query filters by it
        try:
            measured_helps = [
                help._asdict() for help in helps(_by_bot(match.pk, unpack_record(packed_of(match.record))))
            ]
        except RecordAway:
            raise
        except Exception:  # a fault of the arena: the other tables are still measured
            log.exception("help_not_measured", match=match_id)
            measured_helps = []
        row = HelpMeasure(match=match, finished_at=match.finished_at, helps=measured_helps)
        HelpMeasure.objects.bulk_create([row], ignore_conflicts=True)  # two workers measure the same
        measured += 1
    FairnessReport.objects.filter(date=report.date).update(pairs=_pairs())
    return measured


def _not_measured(day: date) -> list[str]:
    first = datetime(day.year, day.month, day.day, tzinfo=UTC)
    tables = Match.objects.filter(
        state=MatchState.FINISHED,
        finished_at__gte=first,
        finished_at__lt=first + timedelta(days=1),
        ruleset__players__gte=3,
        rules=RULES,
        record__isnull=False,
        challenge_match=None,
    ).order_by("-finished_at", "id")
    return [match_id for match_id, measured in tables.values_list("pk", "help_measure")[:MOST] if measured is None]


def _by_bot(match_id: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with bot ids in place of the bots' names. The ids survive the erasure of an author."""
    bots = Participant.objects.filter(match=match_id).order_by("seat").values_list("version__bot", flat=True)
    return {**record, "seats": [{**seat, "name": str(bot)} for seat, bot in zip(record["seats"], bots, strict=True)]}


def _pairs() -> dict[str, Any]:
    """Return the comparison over all measured tables, most striking pairs first. Delete the measures that expired."""
    from arena.fairness.kingmaking import Help, pairs

    HelpMeasure.objects.filter(finished_at__lt=timezone.now() - timedelta(days=DAYS)).delete()
    games = [[Help(**fields) for fields in helps] for helps in HelpMeasure.objects.values_list("helps", flat=True)]
    return pairs(games, house_bot_keys()).document()
