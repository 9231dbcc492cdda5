"""Routes for fairness reports."""

from dataclasses import asdict
from datetime import date
from typing import Any

from ninja import Router

from webui.api.callers import Request
from webui.api.lists import Listed
from webui.api.schemas import ValueView
from webui.core.errors import NotFound
from webui.fairness import queries


class FairnessDays(ValueView):
    """Days that have a fairness report."""

    items: list[date]


router = Router(tags=["fairness"])


@router.get("/fairness", response=FairnessDays)
def list_fairness_days(request: Request) -> Listed[date]:
    """Days that have a fairness report, latest first."""
    return Listed(queries.fairness_days())


@router.get("/fairness/{day}", response=dict[str, Any])
def get_fairness_report(request: Request, day: date) -> dict[str, Any]:
    """The fairness report on a day's matches, and on the month up to that day."""
    report = queries.fairness_report(day)
    if report is None:
        raise NotFound("there is no fairness report of that day")
    return asdict(report)
