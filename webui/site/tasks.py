"""Tasks of the site, for workers of the queue `upkeep`: Celery finds them by the name of this module."""

import threading
from contextlib import suppress
from queue import Full, Queue

import structlog
from celery import shared_task
from django.conf import settings
from django.db import connections
from django.utils import translation

from webui.ladder import queries
from webui.ladder.actions.dispatching import FRAMES_TASK
from webui.ladder.values import HiddenResult
from webui.site.notices import send_due_mails
from webui.site.replay.frames import packed_frames
from webui.site.replay.loading import load_replay
from webui.site.replay.summary import summary_of
from webui.turns import Busy

WAIT_S = 20.0
"""Frames that visitors ask for meanwhile come first."""
MOST_WAITING = 100
"""Of more matches the first visitor makes the frames."""

log = structlog.get_logger(__name__)

_waiting: Queue[str] = Queue(MOST_WAITING)
_is_started = threading.Lock()
_is_sending = threading.Lock()


@shared_task(name=FRAMES_TASK)
def make_frames(match_id: str) -> None:
    """Have the frames of a match that has ended made before its first visitor needs them. Returns at once: the
    matchmaker shares the queue and its threads, and its messages are of use for some seconds only."""
    if _is_started.acquire(blocking=False):
        threading.Thread(target=_make_all, name="frames", daemon=True).start()
    with suppress(Full):
        _waiting.put_nowait(match_id)


@shared_task
def send_notices() -> None:
    """Send the emails of notices, beside this queue's other tasks: a mail server may let one wait."""
    if _is_sending.acquire(blocking=False):
        threading.Thread(target=_send_notices, name="emails", daemon=True).start()


def _send_notices() -> None:
    try:
        send_due_mails()
    except Exception:
        log.exception("emails_not_sent")  # they are still due
    finally:
        connections.close_all()
        _is_sending.release()


def _make_all() -> None:
    while True:
        match_id = _waiting.get()
        try:
            make_now(match_id)
        except HiddenResult:
            pass  # made when somebody looks, once the round is revealed
        except Exception:
            log.exception("frames_not_made", match=match_id)


def make_now(match_id: str) -> None:
    """Make the frames of a match, and the summary of its page, in the site's own language; no frames where others are
    being made all the time."""
    try:
        with translation.override(settings.LANGUAGE_CODE):
            line = queries.match_page(match_id).line
            with suppress(Busy):
                packed_frames(line, wait_s=WAIT_S)
            if (replay := load_replay(line)) is not None:
                summary_of(replay, line, 0)
    finally:
        connections.close_all()  # this thread may not need one again for long
