"""Matches over a bad network: nobody may lose a decision or a game to it.

The faults are up to 200 ms of jitter each way, outages of two seconds, killed gateways, and referees that stall for
200 ms. Six matches are played every day, a thousand in `make soak-faults`.
"""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import pytest

from arena.referee import Clock, Kind
from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.process import Process
from tests.kit.network import BadNetwork
from tests.kit.until import until
from webui.matches.models import ENDED, LogRow, Match, MatchState

JITTER_S = 0.2
OUTAGE_S = 2.0
STALL_S = 0.2
AT_ONCE = 50

pytestmark = [pytest.mark.timeout(4 * 3600), pytest.mark.slow]


@contextmanager
def disturbed(faults: dict[str, Callable[[Event], None]], seed: int) -> Iterator[Counter[str]]:
    """Apply one fault after the other, each as often as the others. Yield how often each happened."""
    done: Counter[str] = Counter()
    closed, chance = Event(), random.Random(seed)

    def go_on() -> None:
        while True:
            for name in chance.sample(sorted(faults), len(faults)):
                if closed.wait(chance.uniform(0.5, 3)):
                    return
                faults[name](closed)
                done[name] += 1

    thread = Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield done
    finally:
        closed.set()
        thread.join()


@pytest.mark.parametrize("matches", [6, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_bad_network_costs_nobody_a_decision(matches: int, database: str, django_db_blocker: Any) -> None:
    row = table.row("bad network", database, tries=matches)
    names = [f"m{number}" for number in range(matches)]
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = stack.enter_context(Arena(database))
        network = stack.enter_context(BadNetwork(arena.ports[0], jitter_s=JITTER_S, seed=8))
        bots = arena.seat("ada", "bob", through=network.port)
        workers = stack.enter_context(arena.working(2))

        def stand_still(closed: Event) -> None:
            network.stand_still(True)
            closed.wait(OUTAGE_S)
            network.stand_still(False)

        def lose_connections(closed: Event) -> None:
            network.stand_still(True)
            network.cut()
            closed.wait(OUTAGE_S)
            network.stand_still(False)

        def kill_the_gateway(closed: Event) -> None:
            arena.gateways[0].kill()
            arena.gateways[0] = arena.start_gateway(0)

        def stop_a_worker(closed: Event, worker: Process) -> None:
            worker.signal(signal.SIGSTOP)
            closed.wait(STALL_S)
            worker.signal(signal.SIGCONT)

        faults = {
            "standstill": stand_still,
            "cut": lose_connections,
            "gateway": kill_the_gateway,
            **{
                f"worker {n}": lambda closed, worker=worker: stop_a_worker(closed, worker)
                for n, worker in enumerate(workers)
            },
        }
        with disturbed(faults, int(os.environ.get("ARENA_NETWORK_SEED", "1"))) as done:
            for begin in range(0, matches, AT_ONCE):
                batch = names[begin : begin + AT_ONCE]
                for name in batch:
                    arena.schedule(bots, name, clock=Clock())
                arena.finish(*batch, timeout=1800)
            until(lambda: len(done) == len(faults), "each fault at least once")
        fates = [arena.fate(name) for name in names]
        wrong = Counter(kind for fate in fates for kind in fate.kinds if kind in (Kind.FAULT, Kind.FORFEIT))
        aborts = LogRow.objects.filter(kind=Kind.ABORT).values_list("match_id", "data")
        blamed = [match for match, data in aborts if data["seats"]]
        row.survived = sum(fate.state == MatchState.FINISHED for fate in fates) + len(aborts)
        charged = sorted(ms for fate in fates for ms in fate.charged_ms.values())
        row.note = (
            f"{dict(done)}; {len(charged)} asks, charged: median {charged[len(charged) // 2]} ms, most {charged[-1]} ms"
        )
        print(row.note)
        assert not wrong
        assert not blamed
        assert row.survived == matches == Match.objects.filter(state__in=ENDED).count()
