"""Queries for fairness reports."""

from datetime import date

from msgspec import convert

from arena.fairness.figures import DayReport
from webui.fairness.models import FairnessReport


def fairness_report(day: date | None = None) -> DayReport | None:
    """Return the published report of a day. Return None if there is none.

    Without `day`, return that of the latest closed day, or of the current day if no day is closed.
    """
    reports = FairnessReport.objects.order_by("-is_closed", "-date")
    row = (reports if day is None else reports.filter(date=day)).values_list("document", flat=True).first()
    return None if row is None else convert(row, DayReport)


def fairness_days() -> list[date]:
    """Return the days that have a report, latest first."""
    return list(FairnessReport.objects.order_by("-date").values_list("date", flat=True))
