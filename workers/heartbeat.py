"""The heartbeat of a worker (`arena.host.heartbeat`).

A worker beats at every turn of a match's loop and at the end of every task. While it has no task, it also beats at
every turn of the loop that takes tasks. This detects a worker that takes no more tasks (once its current tasks end)
and a worker whose threads all hang. A single match that hangs loses its lease, and another worker claims it.

The upkeep process (`workers.upkeep`) beats in its own loop.
"""

from __future__ import annotations

import time
from typing import Any, Final

from celery import bootsteps
from celery.signals import task_postrun
from celery.worker import state
from celery.worker.consumer import Consumer

from arena.host.heartbeat import EVERY_S, Heartbeat, heartbeat_file

PAUSE_S: Final = 1.0
"""Pause between two attempts to connect."""

heartbeat: Final = Heartbeat(heartbeat_file())
"""Heartbeat of this process."""


class HeartbeatStep(bootsteps.StartStopStep):
    """Turns of the loop that takes tasks, while it takes them."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        """Begin to beat: the consumer has connected, and its loop is about to start."""
        parent.timer.call_after(0, _turn)
        self._timer = parent.timer.call_repeatedly(EVERY_S, _turn)

    def stop(self, parent: Any) -> None:
        """Stop to beat: the consumer has lost the connection, or ends."""
        self._timer.cancel()


def _turn() -> None:
    if not state.reserved_requests:
        heartbeat.beat()


class PatientConsumer(Consumer):
    """Celery's consumer, which also beats while it tries to reconnect."""

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        """Beat if Redis refuses the connection, and pause. If Redis is unavailable, Celery pauses by itself."""
        heartbeat.beat_while_blocked()
        super().on_connection_error_before_connected(exc)
        time.sleep(PAUSE_S)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Beat if Redis has become unavailable or refuses, for example because its memory is full."""
        heartbeat.beat_while_blocked()
        super().on_connection_error_after_connected(exc)


@task_postrun.connect
def _task_ended(**_: Any) -> None:
    heartbeat.beat()
