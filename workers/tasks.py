"""The task of Celery's workers: `play_match`."""

from __future__ import annotations

from django.conf import settings

from workers import shared
from workers.app import app
from workers.driver import Driver


@app.task
def play_match(match_id: str) -> None:
    """Referee this match to its end, unless another worker does."""
    link, lease_s = shared.link(), settings.LEASE_SECONDS
    Driver(match_id, link, shared.database, lease_s=lease_s, site_url=settings.SITE_URL).run()
