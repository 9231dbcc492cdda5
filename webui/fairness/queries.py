"""Fairness reports."""

from datetime import date
from typing import Any

from webui.fairness.models import FairnessReport


def fairness_report(day: date | None = None) -> dict[str, Any] | None:
    """What is published of a day; without one, of the last day that is over, else of today so far. None if there is
    nothing yet."""
    reports = FairnessReport.objects.order_by("-is_closed", "-date")
    row = (reports if day is None else reports.filter(date=day)).values_list("document", flat=True).first()
    return row


def fairness_days() -> list[date]:
    """The days of which there are reports, the latest first."""
    return list(FairnessReport.objects.order_by("-date").values_list("date", flat=True))
