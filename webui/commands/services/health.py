"""The health check of a container (`arena admin alive`): does its process work, and if not, would a restart help?

An orchestrator restarts a container whose check fails several times. On an overloaded machine that would make things
worse, so a silent process is judged as `arena up` judges it (`liveness`): by what it does with its time. A check is a
program that ends, while `arena up` watches all the time. Therefore the check watches for a few seconds and takes them
for the whole silence.

The heartbeat file shows the last sign of work. A process that answers requests writes none, so the check itself notes
there that it got an answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.host.heartbeat import HANG_LIMIT_S, Heartbeat, age_s
from arena.host.processor import PROC, process_age_s, processor_use, stalls_s
from webui.commands.services.liveness import pressure, silence_s

WATCH_S: Final = 5.0
"""Minimum seconds for which a silent process is watched."""
LOOK_S: Final = 1.0
"""Seconds between two looks at it."""


def is_healthy(works: Callable[[], bool], heartbeat: Path | None, pid: int, *, proc: Path = PROC) -> bool:
    """Return whether the process works, or is only slow. One that has ended does neither.

    `works` returns whether it shows that it works. A process that has never done so is not healthy.

    `pid` is the process's id: 1 in its container.
    """
    if works():
        return True
    if not (proc / str(pid)).exists():
        return False
    if heartbeat is None or (silent_s := _silent_s(heartbeat, pid, proc)) is None:
        return False
    watched_s = counted_s = 0.0
    at, use, stalls = time.monotonic(), processor_use(pid, proc), stalls_s(proc)
    while watched_s < WATCH_S:
        time.sleep(LOOK_S)
        if works():
            return True
        before, use_before, stalls_before = at, use, stalls
        at, use, stalls = time.monotonic(), processor_use(pid, proc), stalls_s(proc)
        watched_s += at - before
        counted_s += silence_s(use_before, use, at - before, pressure(stalls_before, stalls, at - before))
    return silent_s * counted_s / watched_s < HANG_LIMIT_S


def answers(asks: Callable[[], bool], heartbeat: Path | None) -> bool:
    """Return whether the process answers a request. If it does, note that as a heartbeat."""
    is_answered = asks()
    if is_answered:
        Heartbeat(heartbeat).beat()
    return is_answered


def _silent_s(heartbeat: Path, pid: int, proc: Path) -> float | None:
    """Return the seconds since the process last worked. Return None if it has not done so since it was started.

    A heartbeat may have been left by the previous process of the container.
    """
    silent_s, started_s = age_s(heartbeat), process_age_s(pid, proc)
    if silent_s is None or (started_s is not None and silent_s > started_s):
        return None
    return silent_s
