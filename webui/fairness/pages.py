"""The fairness reports as pages and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from webui.core.paging import page_of
from webui.fairness import queries

DAYS_LISTED = 30


@dataclass(frozen=True)
class FairnessLine:
    """A seat or place in a table: its share of the wins and its mean score, with their uncertainty.

    `low` and `high` bound the interval of the share. `error` is half the interval of the score.
    """

    number: int
    share: float
    low: float
    high: float
    score: float
    error: float | None
    left: float
    """Start of the share's interval, in percent of an axis from 0 to twice the equal share.

    `width` and `middle` have the same unit.
    """
    width: float
    middle: float


@dataclass(frozen=True)
class FairnessTable:
    """All seats, or all places in the first bidding, of games with the same number of players."""

    players: int
    games: int
    p: float | None
    """P-value of the test for equal shares. None if there are too few games for a test."""
    lines: list[FairnessLine]


def tables(document: dict[str, Any]) -> list[FairnessTable]:
    """Return the tables of a report, one for each number of players."""
    return [
        FairnessTable(
            int(players),
            table["games"],
            table["p"],
            [_line(number, line, int(players)) for number, line in enumerate(table["lines"], 1)],
        )
        for players, table in document.items()
    ]


def _line(number: int, line: dict[str, Any], players: int) -> FairnessLine:
    def on_axis(share: float) -> float:
        return round(min(100.0, max(0.0, 50 * share * players)), 2)

    left = on_axis(line["low"])
    return FairnessLine(
        number, line["share"], line["low"], line["high"], line["score"], line["score_error"],
        left, round(on_axis(line["high"]) - left, 2), on_axis(line["share"]),
    )  # fmt: skip


@require_safe
def fairness(request: HttpRequest, day: str = "") -> HttpResponse:
    """Show the report of a day. Without `day`, show the latest complete report."""
    report = _report(day) if day else queries.fairness_report()
    days = page_of(queries.fairness_days(), request.GET.get("page"), DAYS_LISTED)
    context: dict[str, Any] = {"here": "ladder", "report": report, "days": days}
    if report is not None:
        of_day, month = report["day"], report["month"]
        context |= {
            "day": date.fromisoformat(report["date"]),
            "made_at": datetime.fromisoformat(report["made_at"]),
            "checks": of_day,
            "ended": sum(of_day["ended"].values()),
            "month": month,
            "seats": tables(month["seats"]),
            "places": tables(month["places"]),
            "calibration": [(int(players), table) for players, table in month["calibration"].items()],
        }
    return render(request, "fairness/fairness.html", context)


@require_safe
def fairness_json(request: HttpRequest, day: str) -> JsonResponse:
    """Return the report of a day as JSON."""
    response = JsonResponse(_report(day))
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-fairness-{day}.json") or ""
    return response


def _report(day: str) -> dict[str, Any]:
    """Return the report of a day such as `2026-11-23`. Raise `Http404` if there is none."""
    try:
        report = queries.fairness_report(date.fromisoformat(day))
    except ValueError:
        report = None
    if report is None or report["date"] != day:
        raise Http404("there is no fairness report of that day")
    return report
