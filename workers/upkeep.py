"""The upkeep process: `python -m workers.upkeep`. It runs the periodic tasks that the subjects declare.

The database says what is due (`webui.core.turns`), so any number of these processes share the tasks. The process looks
once a second, and as soon as a task ends. It begins with the most overdue task whose lane has a free thread.

Only Celery's workers referee matches. This process needs no queue: a task is due whether or not somebody sends a
message.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread, current_thread
from typing import Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")

from arena.host.loading import loading

with loading():
    import django

    django.setup()

    # Models cannot be imported earlier.
    import structlog
    from django.conf import settings
    from django.db import InterfaceError, OperationalError
    from django.utils.module_loading import import_string
    from structlog.contextvars import bound_contextvars

    from arena.bus import Bus, BusError, Presence
    from arena.host import tracing
    from arena.host.metrics import HEARTBEAT, or_nan, serve_metrics
    from arena.host.processor import SWITCH_S
    from arena.host.signing import SigningKeyError
    from arena.host.sockets import raise_file_limit
    from webui.core import turns
    from webui.core.errors import RecordAway
    from webui.core.upkeep import Lane, PeriodicTask, UpkeepWorker, periodic_tasks
    from webui.hosting import queries as hosting_queries
    from webui.matches import queries as match_queries
    from webui.matches.signing import signer
    from webui.status import queries as status_queries
    from workers import metrics
    from workers.announcing import Announcer
    from workers.database import Pool
    from workers.heartbeat import heartbeat
    from workers.sweeper import Sweeper

log = structlog.get_logger(__name__)

SLOTS: Final = {Lane.SHORT: 2, Lane.NETWORK: 2, Lane.LONG: 3}
"""Number of tasks of each lane that run at once. Two long tasks may take an hour: the doctor, and a month of data."""
LOOK_S: Final = 1.0
LEAVE_S: Final = 3.0
"""Longest time for which a stopping process waits for its tasks. A later run does the rest."""
AGAIN_S: Final = 3600.0
"""Time after which a task of the night that has not ended is due again, because its process may have died."""
OUTAGES: Final = (OperationalError, InterfaceError, BusError, RecordAway)
"""Errors of a database, a Redis or a store that is away. A later run does the work."""


class Upkeep:
    """Runs the periodic tasks that are due, until it is stopped."""

    def __init__(self, tasks: Sequence[PeriodicTask], bus: Bus, database: Pool) -> None:
        self.stopping = Event()
        """Set when the process stops."""
        self._tasks = {task.name: task for task in tasks}
        self._bus = bus
        self._database = database
        self._lock = Lock()
        self._running: dict[str, Thread] = {}
        self._is_one_waiting = False
        """Whether the last look found a due task for which there was no thread."""
        self._has_ended = Event()
        """Set when a task ends while another one waits for its thread."""
        self._is_database_away = False
        self._leaves_at = 0.0
        """Time by the monotonic clock."""

    def run(self) -> None:
        """Run tasks until the process stops."""
        while not self.stopping.is_set():
            self._has_ended.clear()
            try:
                self.look()
            except (OperationalError, InterfaceError) as error:
                self._note_outage(error)
            except Exception:
                log.exception("upkeep_failed")  # whatever it is, the next look may find it gone
            self._has_ended.wait(LOOK_S)
        self._leaves_at = time.monotonic() + LEAVE_S

    def close(self) -> None:
        """Wait for the tasks that still run, until `LEAVE_S` after the end of `run`."""
        for thread in self._threads():
            thread.join(max(0.0, self._leaves_at - time.monotonic()))

    def stop(self) -> None:
        """Let `run` end. Safe in a signal handler."""
        self.stopping.set()
        self._has_ended.set()

    def look(self) -> list[str]:
        """Begin the due tasks for which there are threads, the most overdue first. Return their names."""
        found = self._database(self._next_turns)
        self._is_database_away = False
        for lane in Lane:
            late = [turn.late_s for turn in found if self._tasks[turn.name].lane is lane]
            metrics.TASKS_LATE.labels(lane).set(max([0.0, *late]))
        begun: list[str] = []
        is_one_waiting = False
        for turn in sorted(found, key=lambda turn: -turn.late_s):
            task = self._tasks[turn.name]
            if not turn.is_due or self.stopping.is_set():
                break
            if not self._has_place(task):
                is_one_waiting = True
            elif self._database(turns.take_turn, turn, AGAIN_S if task.at else task.every_s):
                self._begin(task, turn)
                begun.append(task.name)
        self._is_one_waiting = is_one_waiting
        if self._has_free_thread(Lane.SHORT):
            heartbeat.beat()  # if all short tasks hang, this process is of no use
        return begun

    def _next_turns(self) -> list[turns.NextTurn]:
        periods = {task.name: task.period_s for task in self._tasks.values()}
        found = turns.next_turns(periods)
        if new := self._tasks.keys() - found.keys():
            tasks = (self._tasks[name] for name in new)
            turns.add_turns({task.name: task.next_after_s(datetime.now(UTC)) if task.at else 0.0 for task in tasks})
            found = turns.next_turns(periods)
        return list(found.values())

    def _has_place(self, task: PeriodicTask) -> bool:
        return task.name not in self._running and self._has_free_thread(task.lane)

    def _has_free_thread(self, lane: Lane) -> bool:
        with self._lock:
            return Counter(self._tasks[name].lane for name in self._running)[lane] < SLOTS[lane]

    def _threads(self) -> list[Thread]:
        with self._lock:
            return list(self._running.values())

    def _begin(self, task: PeriodicTask, turn: turns.NextTurn) -> None:
        thread = Thread(target=self._run, args=(task, turn), name=task.name, daemon=True)
        with self._lock:
            thread.start()  # if it cannot start, its task runs the next time
            self._running[task.name] = thread

    def _run(self, task: PeriodicTask, turn: turns.NextTurn) -> None:
        began, state = time.perf_counter(), "success"
        with bound_contextvars(task=task.name):
            try:
                self._database(import_string(task.function), self._services(task))
                if task.at and not self.stopping.is_set():
                    took = timedelta(seconds=time.perf_counter() - began)
                    self._database(turns.put_off, turn, task.next_after_s(turn.now + took))
            except OUTAGES as error:
                state = "failure"
                log.debug("task_failed", error=str(error))  # the look and the bus say once that something is away
            except Exception:
                state = "failure"
                log.exception("task_failed")
            finally:
                if task.lane is Lane.SHORT:
                    heartbeat.beat()
                metrics.TASKS.labels(task.name).observe(time.perf_counter() - began)
                metrics.TASKS_ENDED.labels(task.name, state).inc()
                with self._lock:
                    if self._running.get(task.name) is current_thread():
                        del self._running[task.name]
                if self._is_one_waiting:
                    self._has_ended.set()

    def _services(self, task: PeriodicTask) -> UpkeepWorker:
        def is_stopping() -> bool:
            if task.lane is Lane.SHORT:
                heartbeat.beat()  # shows that a task which takes long still works
            return self.stopping.is_set()

        return UpkeepWorker(self._presences, is_stopping, self._bus.wake)

    def _presences(self) -> list[Presence]:
        self._bus.check_writes()
        return self._bus.presences()

    def _note_outage(self, error: Exception) -> None:
        heartbeat.beat_while_blocked()
        if not self._is_database_away:
            log.warning("database_away", error=str(error))
        self._is_database_away = True


def measure(database: Pool) -> None:
    """Register the gauges that are measured when they are read. Most values are the same in all processes."""
    HEARTBEAT.set_function(heartbeat.shown_at)
    metrics.OLDEST_SCHEDULED.set_function(or_nan(lambda: database(match_queries.oldest_wait)))
    metrics.WAITING.labels("scheduled").set_function(or_nan(lambda: database(status_queries.scheduled)))
    metrics.WAITING.labels("running").set_function(or_nan(lambda: database(status_queries.running)))
    metrics.RUNNERS.set_function(or_nan(lambda: database(hosting_queries.runners_alive)))
    metrics.HOSTED_BOTS.set_function(or_nan(lambda: database(hosting_queries.hosted_bots)))
    metrics.OLDEST_SUBMISSION.set_function(or_nan(lambda: database(hosting_queries.oldest_wait)))
    metrics.DATABASE_SIZE.set_function(or_nan(lambda: database(status_queries.database_bytes)))
    metrics.DELIVERIES_DUE.set_function(or_nan(lambda: database(status_queries.oldest_due)))


def check_tasks(tasks: Sequence[PeriodicTask]) -> None:
    """Import the functions of all tasks. Raise `SystemExit` if one does not exist."""
    for task in tasks:
        try:
            import_string(task.function)
        except ImportError as error:
            raise SystemExit(f"the periodic task {task.name} cannot be imported: {error}") from error


def check_signing_key() -> None:
    """Raise `SystemExit` if there is no signing key. The process sweeps, and signs the offers of new matches."""
    try:
        signer()
    except (SigningKeyError, OSError) as error:
        raise SystemExit(f"offers and records cannot be signed: {error}; set ARENA_SIGNING_KEY") from error


def main() -> None:
    """Run the periodic tasks until SIGTERM. The process then ends within a few seconds."""
    tasks = periodic_tasks()
    check_tasks(tasks)
    check_signing_key()
    raise_file_limit()
    sys.setswitchinterval(SWITCH_S)
    database, bus = Pool(sum(SLOTS.values()) + 3), Bus(settings.REDIS_URL)
    measure(database)
    serve_metrics("upkeep")
    tracing.start("upkeep")
    upkeep = Upkeep(tasks, bus, database)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: upkeep.stop())
    sweeper = Sweeper(bus, database, settings.SITE_URL)
    announcer = Announcer("upkeep", bus, database)
    gc.freeze()
    sweeper.start()
    announcer.start()
    log.info("upkeep_ready", tasks=len(tasks))
    upkeep.run()
    announcer.close()
    sweeper.close()
    upkeep.close()  # tasks ended while the other two did
    bus.close()
    tracing.stop()
    log.info("upkeep_stopped")
    gc.freeze()  # otherwise the interpreter collects the garbage of all modules at exit


if __name__ == "__main__":
    main()
