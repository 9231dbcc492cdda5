"""Gateway, workers and Redis are stopped at random moments, for half a second to 90 s, during matches of honest bots.

No bot may get a fault for it, and nobody's clock may pay. The bots answer at once, so any charge is an error in the
arena's measurements. ARENA_STANDSTILL_MATCHES and ARENA_STANDSTILL_S make the test shorter, and ARENA_STANDSTILL_SEED
changes it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import pytest

from arena.referee import Clock, Kind
from tests.faults import table
from tests.kit.arena.arena import Arena
from webui.matches.models import ENDED, LogRow, Match, MatchState

MATCHES = int(os.environ.get("ARENA_STANDSTILL_MATCHES", "1000"))
LONGEST_S = float(os.environ.get("ARENA_STANDSTILL_S", "90"))
SHORTEST_S = 0.5
IN_FLIGHT = 8
MOST_MS = 250

pytestmark = [pytest.mark.soak, pytest.mark.timeout(8 * 3600)]


@contextmanager
def standstills(victims: dict[str, int], chance: random.Random) -> Iterator[Counter[str]]:
    """Stop one process after the other for a while. Yield how often each was stopped."""
    done: Counter[str] = Counter()
    closed = Event()

    def stop_one_after_the_other() -> None:
        while not closed.wait(chance.uniform(0.5, 3)):
            name = chance.choice(sorted(victims))
            os.kill(victims[name], signal.SIGSTOP)
            closed.wait(SHORTEST_S * (LONGEST_S / SHORTEST_S) ** chance.random())
            os.kill(victims[name], signal.SIGCONT)
            done[name] += 1

    thread = Thread(target=stop_one_after_the_other, daemon=True)
    thread.start()
    try:
        yield done
    finally:
        closed.set()
        thread.join()


def quantile(ordered: list[int], of_all: float) -> int:
    """Return a quantile of ordered values."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * of_all))]


def test_nobody_is_charged_for_what_stands_still(database: str, django_db_blocker: Any) -> None:
    row = table.row("gateway, workers, Redis stopped at random", database, tries=MATCHES)
    chance = random.Random(os.environ.get("ARENA_STANDSTILL_SEED", "1"))
    names = [f"m{number}" for number in range(MATCHES)]
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = stack.enter_context(Arena(database))
        bots = arena.seat("ada", "bob")
        workers = stack.enter_context(arena.working(2))
        assert arena.redis.process is not None
        victims = {"gateway": arena.gateways[0].pid, "Redis": arena.redis.process.pid}
        victims |= {f"worker {number}": worker.pid for number, worker in enumerate(workers)}
        with standstills(victims, chance) as done:
            waiting = list(names)
            while waiting:
                ended = Match.objects.filter(state__in=ENDED).count()
                for name in waiting[: max(0, ended + IN_FLIGHT - (MATCHES - len(waiting)))]:
                    waiting.remove(name)
                    arena.schedule(bots, name, clock=Clock())
                time.sleep(0.1)
            arena.finish(*names, timeout=3600)
        fates = [arena.fate(name) for name in names]
        charged = sorted(ms for fate in fates for ms in fate.charged_ms.values())
        faults = Counter(kind for fate in fates for kind in fate.kinds if kind in (Kind.FAULT, Kind.FORFEIT))
        aborts = LogRow.objects.filter(kind=Kind.ABORT).values_list("match_id", "data")
        blamed = [match for match, data in aborts if data["seats"]]
        # If a bot cannot be reached for too long, an offer is withdrawn; the matchmaker would make another one.
        row.survived = sum(fate.state == MatchState.FINISHED for fate in fates) + len(aborts)
        most = quantile(charged, 0.999)
        row.note = (
            f"{sum(done.values())} standstills {dict(done)}; {len(charged)} asks, charged: median "
            f"{quantile(charged, 0.5)} ms, p99 {quantile(charged, 0.99)} ms, p99.9 {most} ms, most {charged[-1]} ms; "
            f"faults {dict(faults)}, {len(aborts)} offers taken back, {len(blamed)} with blame"
        )
        print(row.note)
        assert not faults
        assert not blamed
        assert row.survived == MATCHES
        assert most <= MOST_MS
