"""The judgement of a process that gives no sign of work: is it slow, stuck, or stopped? No I/O.

A machine without a free processor makes every process slow. Killing one then makes things worse, because a start takes
seconds of processor time. Therefore a process is not judged by the time that passes, but by what it did with that
time. Each second without a sign of work is one of these:

- The process worked. It counts: a process that works for long without a sign is stuck.
- The process waited for a processor or the disk. It does not count.
- The process wanted no processor. On a machine at rest it counts, because a process that waits for nothing that this
  machine could give is deadlocked. On a busy machine the process may wait for another one that gets no processor, so
  it counts at a tenth.
- The process was stopped by a signal. It counts; when the limit is reached, the process is continued.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from arena.host.processor import ProcessorUse

BUSY_SHARE: Final = 0.1
"""Share of the time without work that counts on a machine on which some process always waits."""
MOST_DOUBLINGS: Final = 4
"""Maximum number of times that the limit is doubled."""


class Judgement(StrEnum):
    """What to do with a process that gives no sign of work."""

    WAIT = "wait"
    CONTINUE = "continue"
    """Send it SIGCONT."""
    RESTART = "restart"


def pressure(before: Sequence[float], after: Sequence[float], passed_s: float) -> float:
    """Return the share of the time for which processes of this machine waited for one resource: 0 at rest, at most 1.

    Arguments are two results of `stalls_s` and the seconds between them.
    """
    if passed_s <= 0:
        return 0.0
    most_s = max((late - early for early, late in zip(before, after, strict=False)), default=0.0)
    return min(1.0, max(0.0, most_s / passed_s))


def silence_s(before: ProcessorUse | None, after: ProcessorUse | None, passed_s: float, pressure: float) -> float:
    """Return how many of the `passed_s` seconds without a sign of work count against the process.

    All of them count where its use of the processor is not known. A process that waits at the end is taken to have
    waited whenever it did not work; over many readings that is right on average.
    """
    if before is None or after is None or after.is_stopped:
        return passed_s
    worked_s = min(passed_s, max(0.0, after.worked_s - before.worked_s))
    idle_s = 0.0 if after.is_waiting else passed_s - worked_s
    return worked_s + idle_s * (1 - (1 - BUSY_SHARE) * pressure)


def judge(silent_s: float, limit_s: float, *, hangs: int, is_stopped: bool) -> Judgement:
    """Judge a process after `silent_s` seconds that count (`silence_s`).

    `hangs`: how often it has been restarted for its silence since it last worked well. Each time doubles the limit.
    """
    if silent_s <= limit_s * 2 ** min(hangs, MOST_DOUBLINGS):
        return Judgement.WAIT
    return Judgement.CONTINUE if is_stopped else Judgement.RESTART
