"""The tasks. Each is a few lines that call the subjects of `webui` or `workers.driver`."""

from __future__ import annotations

import os
import threading
from collections import Counter

import structlog
from django.conf import settings
from django.db import connections

from webui.challenges import pairing
from webui.comparisons import actions as comparison_actions
from webui.core import retention
from webui.core.errors import RecordAway
from webui.events import advancing
from webui.fairness import actions as fairness_actions
from webui.fairness import helping
from webui.matches import packing
from webui.matches.record_store import Mover
from webui.pairing import examinations, matchmaking
from webui.staff import doctor
from webui.stories import actions as story_actions
from webui.tv import actions as tv_actions
from webui.webhooks import presence
from workers import metrics, shared
from workers.app import app
from workers.driver import Driver
from workers.heartbeat import heartbeat
from workers.webhooks import send_due

MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_MATCHES", "8"))
"""Number of rated matches that the matchmaker keeps scheduled or running."""
EVENT_MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_EVENT_MATCHES", "8"))
"""Number of events' matches that are scheduled or running, in addition to those of the ladders."""

log = structlog.get_logger(__name__)

_is_fitting = threading.Lock()
_is_publishing = threading.Lock()
_is_sending = threading.Lock()
_is_packing = threading.Lock()
_is_moving = threading.Lock()
_is_telling = threading.Lock()
_mover = Mover()


@app.task
def play_match(match_id: str) -> None:
    """Referee this match to its end, unless another worker does."""
    link, lease_s = shared.link(), settings.LEASE_SECONDS
    Driver(match_id, link, shared.database, lease_s=lease_s, site_url=settings.SITE_URL).run()


@app.task
def matchmake() -> None:
    """Schedule matches among the bots that are online: examinations, challenges, and then rated ones."""
    online = shared.link().bus.presences()
    shared.database(examinations.begin_examinations, online)
    kept = shared.database(pairing.advance_challenges, online, MATCHES_IN_FLIGHT)
    shared.database(matchmaking.matchmake, online, MATCHES_IN_FLIGHT, kept=kept)


@app.task
def fit_ratings() -> None:
    """Publish the ratings of the ladders that are due.

    It may take a minute, so it runs beside this queue's other tasks.
    """
    if _is_fitting.acquire(blocking=False):
        threading.Thread(target=_fit_ratings, name="ratings", daemon=True).start()


def _fit_ratings() -> None:
    from webui.ratings import fitting  # NumPy and SciPy, which referees do not need

    try:
        fitting.fit_due()
    except Exception:
        log.exception("ratings_not_fitted")  # they stay due
    finally:
        connections.close_all()
        _is_fitting.release()


@app.task
def advance_events() -> None:
    """Advance the events."""
    link = shared.link()
    for slug in shared.database(advancing.advance_events, link.bus.presences(), EVENT_MATCHES_IN_FLIGHT):
        link.bus.wake(f"event:{slug}")


@app.task
def advance_comparisons() -> None:
    """Advance the comparisons of versions."""
    link = shared.link()
    shared.database(comparison_actions.advance_comparisons, link.bus.presences(), MATCHES_IN_FLIGHT)


@app.task
def note_presence() -> None:
    """Store which bots are online, for those who are notified of changes."""
    online = {session.bot for session in shared.link().bus.presences() if session.connected}
    shared.database(presence.note_presence, online)


@app.task
def feature_next() -> None:
    """Choose the next match on TV."""
    shared.database(tv_actions.feature_next)


@app.task
def send_webhooks() -> None:
    """Send the messages of webhooks. A receiver may be slow, so it runs beside this queue's other tasks."""
    if _is_sending.acquire(blocking=False):
        threading.Thread(target=_send_webhooks, name="webhooks", daemon=True).start()


def _send_webhooks() -> None:
    try:
        send_due(shared.database, shared.link().stopping.is_set)
    except Exception:
        log.exception("webhooks_not_sent")  # they stay due
    finally:
        _is_sending.release()


@app.task
def report_fairness() -> None:
    """Advance the fairness reports, and measure which bots help others."""
    link = shared.link()

    def is_stopping() -> bool:
        heartbeat.beat()
        return link.stopping.is_set()

    shared.database(fairness_actions.report_fairness, is_stopping=is_stopping)
    shared.database(helping.measure_helps, is_stopping=is_stopping)


@app.task
def publish_data() -> None:
    """Make the files of open data that are due.

    A month may take an hour, so it runs beside this queue's other tasks.
    """
    if _is_publishing.acquire(blocking=False):
        threading.Thread(target=_publish_data, name="data", daemon=True).start()


def _publish_data() -> None:
    from webui.open_data import actions as data_actions  # zstd and, for months, PyArrow, which referees do not need

    try:
        data_actions.publish_data(shared.link().stopping.is_set)
    except Exception:
        log.exception("data_not_published")  # it stays due
    finally:
        connections.close_all()
        _is_publishing.release()


@app.task
def pack_logs() -> None:
    """Pack the logs of matches that have ended.

    An old database has many, so it runs beside this queue's other tasks.
    """
    if _is_packing.acquire(blocking=False):
        threading.Thread(target=_pack_logs, name="packing", daemon=True).start()


def _pack_logs() -> None:
    try:
        packing.pack_logs(is_stopping=shared.link().stopping.is_set)
    except Exception:
        log.exception("logs_not_packed")  # the next time
    finally:
        connections.close_all()
        _is_packing.release()


@app.task
def move_records() -> None:
    """Move records to the configured store.

    It may be slow or unavailable, so this runs beside this queue's other tasks.
    """
    if settings.RECORDS and _is_moving.acquire(blocking=False):
        threading.Thread(target=_move_records, name="records", daemon=True).start()


def _move_records() -> None:
    try:
        _mover.step(is_stopping=shared.link().stopping.is_set)
    except RecordAway as error:
        log.warning("records_not_moved", error=str(error))  # they stay in the database until the next time
    except Exception:
        log.exception("records_not_moved")
    finally:
        connections.close_all()
        _is_moving.release()


@app.task
def make_stories() -> None:
    """Make the stories of matches that have finished.

    One takes some seconds, so it runs beside this queue's other tasks.
    """
    if settings.STORY_SECONDS and _is_telling.acquire(blocking=False):
        threading.Thread(target=_make_stories, name="stories", daemon=True).start()


def _make_stories() -> None:
    try:
        story_actions.make_stories(settings.STORY_SECONDS, is_stopping=shared.link().stopping.is_set)
    except RecordAway as error:
        log.warning("stories_not_made", error=str(error))  # stories of newer matches exist
    except Exception:
        log.exception("stories_not_made")  # the next time
    finally:
        connections.close_all()
        _is_telling.release()


@app.task
def examine() -> None:
    """Delete expired data, check the invariants of the database, and prove a sample of the records again."""
    link = shared.link()

    def is_stopping() -> bool:
        heartbeat.beat()
        return link.stopping.is_set()

    gone = shared.database(retention.let_go, is_stopping)
    if gone:
        log.info("let_go", **{name.replace(" ", "_"): rows for name, rows in gone.items()})
    if (examination := shared.database(doctor.examine_nightly, is_stopping)) is not None:
        found = Counter(finding.check for finding in examination.findings)
        for check in examination.looked_at:
            metrics.DOCTOR.labels(check).set(found[check])
        metrics.DOCTOR_RUN.set_to_current_time()
