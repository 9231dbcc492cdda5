"""Fairness reports through the HTTP API."""

from datetime import date
from typing import Any

from ninja import Router, Schema

from webui.api.callers import Request
from webui.core.errors import NotFound
from webui.fairness import queries


class FairnessDays(Schema):
    """The days of which there are reports."""

    items: list[date]


router = Router(tags=["fairness"])


@router.get("/fairness", response=FairnessDays)
def list_fairness_days(request: Request) -> FairnessDays:
    """The days of which there are reports, the latest first."""
    return FairnessDays(items=queries.fairness_days())


@router.get("/fairness/{day}", response=dict[str, Any])
def get_fairness_report(request: Request, day: date) -> dict[str, Any]:
    """What was checked of a day's matches, and of the month before."""
    report = queries.fairness_report(day)
    if report is None:
        raise NotFound("there is no fairness report of that day")
    return report
