"""The sender of webhooks. It signs due messages by Standard Webhooks, and sends each in a thread of its own.

A slow receiver therefore delays no other receiver.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from hmac import digest
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

import structlog
from cryptography.fernet import InvalidToken
from django.conf import settings
from prometheus_client import Counter as MetricCounter

from arena.host.posting import Reply, post
from webui.core.encryption import Purpose, decrypt
from webui.core.upkeep import UpkeepWorker
from webui.webhooks import deliveries
from webui.webhooks.messages import is_own_host
from webui.webhooks.values import DueDelivery

MOST: Final = 32
"""Maximum number of simultaneous requests."""
LOOK_S: Final = 1.0
"""Interval at which more messages are looked for while some are in progress."""

DELIVERIES: Final = MetricCounter("arena_webhook_requests_total", "Messages sent to webhooks, by outcome", ["outcome"])
"""`received`, `refused` (the receiver answered with another status), or one of `arena.host.posting.Failure`."""

log = structlog.get_logger(__name__)


def send_now(worker: UpkeepWorker) -> None:
    """Send the messages that are due."""
    send_due(worker.is_stopping)


def send_due(is_stopping: Callable[[], bool]) -> None:
    """Send all messages that are due, until there are none.

    Messages in progress when the process ends are sent again by another process.
    """
    replies = SimpleQueue[tuple[DueDelivery, Reply]]()
    under_way: dict[int, DueDelivery] = {}

    def send(due: DueDelivery) -> None:
        try:
            reply = deliver(due)
        except Exception:  # our mistake, which must not block a place for ever
            log.exception("webhook_not_sent", message=due.message)
            reply = Reply(detail="an error in the arena: the message is sent again")
        replies.put((due, reply))

    while not is_stopping():
        if len(under_way) < MOST:
            owners = Counter(due.user_id for due in under_way.values())
            for due in deliveries.take_deliveries(MOST - len(under_way), owners):
                under_way[due.id] = due
                # Neither pooled nor waited for: a process that is stopping need not wait for its requests.
                Thread(target=send, args=(due,), name="webhook", daemon=True).start()
        if not under_way:
            return
        try:
            due, reply = replies.get(timeout=LOOK_S)
        except Empty:
            continue
        del under_way[due.id]
        deliveries.note_reply(due.id, reply)
        DELIVERIES.labels("received" if reply.is_success else reply.failure or "refused").inc()


def deliver(due: DueDelivery) -> Reply:
    """Send a message, signed with each of its secrets. Return the reply."""
    try:
        keys = [decrypt(secret, Purpose.WEBHOOKS) for secret in due.secrets]
    except InvalidToken:
        log.error("webhook_secret_not_decrypted", message=due.message, hint="set ARENA_FORMER_SECRET_KEYS")
        return Reply(detail="the arena's secret key has changed: make a new secret")
    body, now = due.body.encode(), int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"naqala-arena/{version('naqala-arena')}",
        "webhook-id": due.message,
        "webhook-timestamp": str(now),
        "webhook-signature": " ".join(sign(key, due.message, now, body) for key in keys),
    }
    return post(due.url, headers, body, is_own=is_own_host, private_too=settings.PRIVATE_WEBHOOKS)


def sign(secret: str, message: str, timestamp: int, body: bytes) -> str:
    """Return the signature of Standard Webhooks: HMAC-SHA256 of id, time in Unix seconds and body."""
    key = b64decode(secret.partition("_")[2])
    return "v1," + b64encode(digest(key, f"{message}.{timestamp}.".encode() + body, sha256)).decode()
