"""The public status page of the arena."""

from __future__ import annotations

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from webui.status.queries import DAYS
from webui.status.words import BAR_HEIGHT, BAR_STEP, bars, current_status, headline, part_names, parts, well_share

log = structlog.get_logger(__name__)


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Show whether matches are played, how fast, which parts work, and the history.

    The page works without Redis. Without the database it says only that the database is down.
    """
    try:
        found = current_status()
    except (OperationalError, InterfaceError) as error:
        log.warning("status_without_database", error=str(error))
        # Render a page without the usual frame, which would read the visitor from the database.
        text = render_to_string("status/status_away.html")
        return HttpResponse(text, status=503, headers={"Retry-After": "30", "Cache-Control": "no-store"})
    overhead = found.overhead
    context = {
        "here": "status",
        "status": found,
        "headline": headline(found),
        "parts": parts(found),
        "median_ms": 1000 * overhead.median_s if overhead else None,
        "p99_ms": 1000 * overhead.p99_s if overhead else None,
        "wait_s": round(found.oldest_wait_s),
        "bars": bars(found),
        "bar_height": BAR_HEIGHT,
        "bars_width": DAYS * BAR_STEP,
        "bar_width": BAR_STEP - 3,
        "share": well_share(found),
        "incidents": [(incident, part_names(incident.parts)) for incident in found.incidents],
    }
    response = render(request, "status/status.html", context)
    response.headers["Cache-Control"] = "no-cache"
    return response
