"""When a worker, or beat, shows that it works (`arena.host.heartbeat`).

A worker: at every turn of a match's loop and at the end of every task; and while it has no task, at every turn of the
loop that takes them. So a worker that takes no tasks is found out when the last one of before has ended, and one whose
threads all hang at once. A single match that hangs loses its lease, and another worker claims it.
"""

from __future__ import annotations

import time
from typing import Any, Final

from celery import bootsteps
from celery.signals import after_task_publish, beat_init, before_task_publish, task_postrun
from celery.worker import state
from celery.worker.consumer import Consumer

from arena.host.heartbeat import EVERY_S, Heartbeat, heartbeat_file

PAUSE_S: Final = 1.0
"""Between two tries to connect."""

heartbeat: Final = Heartbeat(heartbeat_file())
"""Of this process."""


class Turns(bootsteps.StartStopStep):
    """Turns of the loop that takes tasks, once it takes them."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent: Any) -> None:
        """The consumer has connected, and its loop is about to begin."""
        parent.timer.call_after(0, _turn)
        self._timer = parent.timer.call_repeatedly(EVERY_S, _turn)

    def stop(self, parent: Any) -> None:
        """It has lost the connection, or ends."""
        self._timer.cancel()


def _turn() -> None:
    if not state.reserved_requests:
        heartbeat.beat()


class PatientConsumer(Consumer):
    """Celery's consumer; it also shows that it is trying to get its connection back."""

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        """Redis refuses as the consumer connects; where it is away, Celery pauses by itself."""
        heartbeat.beat_while_blocked()
        super().on_connection_error_before_connected(exc)
        time.sleep(PAUSE_S)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Redis has gone, or refuses, for instance because its memory is full."""
        heartbeat.beat_while_blocked()
        super().on_connection_error_after_connected(exc)


@task_postrun.connect
def _task_ended(**_: Any) -> None:
    heartbeat.beat()


@beat_init.connect
def _beat_begins(**_: Any) -> None:
    """Beat works when it sends; where Redis takes nothing, it works as long as it tries."""
    after_task_publish.connect(_sent, weak=False)
    before_task_publish.connect(_tries, weak=False)


def _sent(**_: Any) -> None:
    heartbeat.beat()


def _tries(**_: Any) -> None:
    heartbeat.beat_while_blocked()
