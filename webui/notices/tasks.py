"""Tasks of the queue `upkeep`. Celery finds them by the name of this module."""

import threading

import structlog
from celery import shared_task
from django.db import connections

from webui.notices.emails import send_due_mails
from webui.notices.hooks import emails_due

log = structlog.get_logger(__name__)

_is_sending = threading.Lock()


@shared_task
def send_notices() -> None:
    """Send the emails of notices in a thread. A slow mail server must not delay the queue's other tasks."""
    if _is_sending.acquire(blocking=False):
        threading.Thread(target=_send_notices, name="emails", daemon=True).start()


def _send_notices() -> None:
    try:
        for work in (emails_due, send_due_mails):  # a failure of the one does not stop the other
            try:
                work()
            except Exception:
                log.exception("emails_not_sent")  # the emails are still due
    finally:
        connections.close_all()
        _is_sending.release()
