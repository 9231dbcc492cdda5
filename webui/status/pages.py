"""The public status page of the arena."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from webui.core.pages import PageContext, render_page
from webui.status.queries import DAYS
from webui.status.values import ArenaStatus, Incident
from webui.status.words import (
    BAR_HEIGHT,
    BAR_STEP,
    Bar,
    Part,
    bars,
    current_status,
    headline,
    part_names,
    parts,
    well_share,
)

SOON_S: Final = 5.0
"""Lateness below which a task counts as in time."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class StatusContext(PageContext):
    """The state of the arena, and its history."""

    template: str = "status/status.html"
    here: str = "status"
    status: ArenaStatus
    headline: str
    parts: list[Part]
    median_ms: float | None
    p99_ms: float | None
    wait_s: int
    late_s: int
    """Lateness of the periodic tasks in seconds. Less than `SOON_S` is 0: they are looked for once a second."""
    bars: list[Bar]
    bar_height: int = BAR_HEIGHT
    bars_width: int = DAYS * BAR_STEP
    bar_width: int = BAR_STEP - 3
    share: float | None
    incidents: list[tuple[Incident, list[str]]]
    """Incidents, each with the names of its parts."""


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show whether matches are played, how fast, which parts work, and the history.

    The page works without Redis. Without the database it says only that the database is down.
    """
    try:
        current = current_status()
    except (OperationalError, InterfaceError) as error:
        log.warning("status_without_database", error=str(error))
        # Render a page without the usual frame, which would read the visitor from the database.
        text = render_to_string("status/status_away.html")
        return HttpResponse(text, status=503, headers={"Retry-After": "30", "Cache-Control": "no-store"})
    overhead = current.overhead
    context = StatusContext(
        status=current,
        headline=headline(current),
        parts=parts(current),
        median_ms=1000 * overhead.median_s if overhead else None,
        p99_ms=1000 * overhead.p99_s if overhead else None,
        wait_s=round(current.oldest_wait_s),
        late_s=round(current.upkeep_late_s) if current.upkeep_late_s >= SOON_S else 0,
        bars=bars(current),
        share=well_share(current),
        incidents=[(incident, part_names(incident.parts)) for incident in current.incidents],
    )
    response = render_page(request, context)
    response.headers["Cache-Control"] = "no-cache"
    return response
