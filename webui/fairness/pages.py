"""The fairness reports as pages and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.fairness.figures import Calibration, DayReport, ShareLine, ShareTable
from webui.core.pages import PageContext, render_page
from webui.core.paging import ListPage, page_of
from webui.fairness import queries

DAYS_LISTED = 30


@dataclass(frozen=True)
class FairnessLine:
    """A seat or place in a table, with its place on the axis of shares."""

    number: int
    figures: ShareLine
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
    figures: ShareTable
    lines: list[FairnessLine]


def tables(of_report: Mapping[str, ShareTable]) -> list[FairnessTable]:
    """Return the tables of a report, one for each number of players."""
    return [
        FairnessTable(
            int(players), table, [_line(number, line, int(players)) for number, line in enumerate(table.lines, 1)]
        )
        for players, table in of_report.items()
    ]


def _line(number: int, line: ShareLine, players: int) -> FairnessLine:
    def on_axis(share: float) -> float:
        return round(min(100.0, max(0.0, 50 * share * players)), 2)

    left = on_axis(line.low)
    return FairnessLine(number, line, left, round(on_axis(line.high) - left, 2), on_axis(line.share))


@dataclass(frozen=True)
class ShownReport:
    """The parts of a report that its page shows in another form."""

    day: date
    made_at: datetime
    ended: int
    """Number of matches that ended on the day."""
    seats: list[FairnessTable]
    places: list[FairnessTable]
    calibration: list[tuple[int, Calibration]]
    """Calibration for each number of players."""


@dataclass(frozen=True, kw_only=True)
class FairnessContext(PageContext):
    """The report of a day. It is None before the first report."""

    template: str = "fairness/fairness.html"
    here: str = "ladder"
    report: DayReport | None
    shown: ShownReport | None
    days: ListPage[date]


@require_safe
def fairness(request: HttpRequest, day: str = "") -> HttpResponse:
    """Show the report of a day. Without `day`, show the latest complete report."""
    report = _report(day) if day else queries.fairness_report()
    days = page_of(queries.fairness_days(), request.GET.get("page"), DAYS_LISTED)
    return render_page(request, FairnessContext(report=report, shown=_shown(report) if report else None, days=days))


def _shown(report: DayReport) -> ShownReport:
    return ShownReport(
        day=date.fromisoformat(report.date),
        made_at=datetime.fromisoformat(report.made_at),
        ended=sum(report.day.ended.values()),
        seats=tables(report.month.seats),
        places=tables(report.month.places),
        calibration=[(int(players), table) for players, table in report.month.calibration.items()],
    )


@require_safe
def fairness_json(request: HttpRequest, day: str) -> JsonResponse:
    """Return the report of a day as JSON."""
    response = JsonResponse(asdict(_report(day)))
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-fairness-{day}.json") or ""
    return response


def _report(day: str) -> DayReport:
    """Return the report of a day such as `2026-11-23`. Raise `Http404` if there is none."""
    try:
        report = queries.fairness_report(date.fromisoformat(day))
    except ValueError:
        report = None
    if report is None or report.date != day:
        raise Http404("there is no fairness report of that day")
    return report
