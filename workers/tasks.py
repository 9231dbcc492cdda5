"""The tasks. Each is a few lines: what they do is in `webui.ladder.actions` and in `workers.driver`."""

from __future__ import annotations

import os

from django.conf import settings

from webui.ladder import actions, doctor
from workers import shared
from workers.app import app
from workers.driver import Driver
from workers.heartbeat import heartbeat

MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_MATCHES", "8"))
"""How many rated matches the matchmaker keeps scheduled or running."""
EVENT_MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_EVENT_MATCHES", "8"))
"""How many matches of events are scheduled or running, beside those of the ladders."""


@app.task
def play_match(match_id: str) -> None:
    """Referee this match to its end, unless another worker does."""
    link, lease_s = shared.link(), settings.LEASE_SECONDS
    Driver(match_id, link, shared.database, lease_s=lease_s, site_url=settings.SITE_URL).run()


@app.task
def matchmake() -> None:
    """Schedule rated matches among the bots that are online."""
    link = shared.link()
    shared.database(actions.matchmake, link.bus.presences(), MATCHES_IN_FLIGHT)


@app.task
def advance_events() -> None:
    """Carry the events on."""
    link = shared.link()
    for slug in shared.database(actions.advance_events, link.bus.presences(), EVENT_MATCHES_IN_FLIGHT):
        link.bus.wake(f"event:{slug}")


@app.task
def examine() -> None:
    """Check what the tables must say, and prove a sample of the records again."""
    link = shared.link()
    shared.database(actions.tidy_up)

    def is_stopping() -> bool:
        heartbeat.beat()
        return link.stopping.is_set()

    shared.database(doctor.examine_nightly, is_stopping)
