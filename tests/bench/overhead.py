"""What the arena adds to a decision, beside its floor: `python -m tests.bench.overhead`.

The overhead is the time from a bot's answer, as the bot sends it, to the next ask of that match at a bot: the answer
goes through the gateway and Redis to the worker, is judged and committed, and the ask goes back. Gateway, worker with
its driver, Redis, database and bots are processes of their own.

The floor is measured in the same run: one byte from a bot through a bare grpc.aio server and two bare Redis lists to a
bare worker, which commits one transaction of the same shape (compare-and-set and insert) on the same database, and
back. Absolute figures move with the machine; the ratio is what to look at.

First one match at a time of bots that answer at once, in turn with the floor. Then matches at once on one worker, of
bots that think, with the floor beside them at the same pace. Each goal is printed beside what it got
(docs/performance.md).
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

import django

from tests.bench.figures import Goal, Used, p99
from tests.bench.overhead_processes import FLOOR_MATCH
from tests.kit.postgres_server import postgres_directory

if TYPE_CHECKING:
    from tests.kit.arena.arena import Arena

ROUNDS = 8
FLOOR_S = 0.5
GROWTH = ((1, 0.1), (10, 0.5), (50, 0.5), (100, 0.5), (100, 0.05), (500, 2.0))
"""Matches at once, and how long their bots think. With the last but one everything is busy."""
PACED = (50, 0.5)
"""Beside this one the floor goes at the same pace, to see what it takes of the processor."""
WARM_UP_S = 1.0
WINDOW_S = 5.0
BOT_PROCESSES = 2
ROOT = Path(__file__).resolve().parents[2]


class Child:
    """One of the processes above, for the time of a stack."""

    def __init__(self, stack: ExitStack, place: Arena, role: str, *arguments: str, first: object = None) -> None:
        self._log = place.directory / f"{role}.log"
        log = stack.enter_context(self._log.open("a"))
        self._process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "tests.bench.overhead_processes", role, *arguments],
                cwd=ROOT,
                env={**os.environ, **place.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        )
        stack.callback(self._process.kill)
        self.pid = self._process.pid
        if first is not None:
            self.tell(first)
        self.first = self.hear()

    def tell(self, words: object) -> None:
        """A line to its input: text as it is, everything else as JSON."""
        assert self._process.stdin is not None
        self._process.stdin.write((words if isinstance(words, str) else json.dumps(words)) + "\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        """A line of its output."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, f"a process has ended: {self._log.read_text()[-2000:]}"
        return line

    def times(self, words: object = "") -> list[float]:
        """What it has measured."""
        self.tell(words)
        return list(json.loads(self.hear()))


class Grown(NamedTuple):
    """What so many matches at once came to."""

    asks_a_second: float
    p99_ms: float
    cpu_ms: float
    """Of worker and gateway, an ask."""
    rss_kib: float
    """Of worker and gateway, a match: what its bots take, who are there before, is not of it."""


def new_bots(name: str, count: int) -> tuple[list[str], list[int]]:
    """Tokens and versions of bots that nobody has seen before."""
    from webui.accounts import actions as account_actions
    from webui.bots import actions as bot_actions
    from webui.bots import token_actions

    owner = account_actions.create_user(f"owner-of-{name}", None)
    bots = [bot_actions.register_bot(owner, f"{name}-{number}") for number in range(count)]
    return [token_actions.issue_token(bot).token for bot in bots], [
        bot_actions.register_version(bot, "1") for bot in bots
    ]


@contextmanager
def match_day(place: Arena, name: str, count: int, think_s: float, processes: int) -> Iterator[Any]:
    """A new gateway, a new worker and bots for so many matches: the processes, and a function that starts a match."""
    from tests.kit.arena.play import Bots
    from tests.kit.until import until

    place.gateways[0].kill()
    place.gateways[0] = gateway = place.start_gateway(0)
    empty = Used.by(gateway.pid)
    tokens, versions = new_bots(name, 2 * count)
    with ExitStack() as stack:
        worker = Child(stack, place, "worker")
        share = 2 * -(-count // processes)  # both bots of a match are in one process: it knows when it was answered
        shares = [tokens[first : first + share] for first in range(0, 2 * count, share)]
        address = f"127.0.0.1:{place.ports[0]}"
        bots = [Child(stack, place, "bots", address, str(think_s), first=few) for few in shares]
        until(lambda: set(versions) <= place.present(), "the bots' coming")

        def begin(number: int, match: str) -> None:
            mine = tuple(versions[2 * number : 2 * number + 2])
            place.schedule(Bots(mine, ("", "")), match)
            worker.tell(match)

        yield gateway, empty, worker, bots, begin


def measure_instant(place: Arena, floor: Child, show: Callable[[str], None]) -> tuple[float, float]:
    """One match at a time, in turn with the floor; gives the mean number of asks in a match, and the ratio."""
    rounds: list[tuple[list[float], list[float]]] = []
    with match_day(place, "instant", 1, 0, 1) as (_, _, _, [bots], begin):
        for number in range(ROUNDS + 1):
            below = floor.times([FLOOR_S, 0])
            begin(0, match := f"instant-{number}")
            while not place.has_ended(match):
                time.sleep(0.1)
            rounds.append((below, bots.times()))
    rounds = rounds[1:]  # the first one warms up
    ratio = [
        median(median(of) / median(floor) for floor, of in rounds),
        median(p99(of) / p99(floor) for floor, of in rounds),
    ]
    for name, which in (("floor", 0), ("arena", 1)):
        times = [one for both in rounds for one in both[which]]
        show(f"{name:10} {1e3 * median(times):8.2f} {1e3 * p99(times):8.2f} {len(times):8}")
    show(f"{'ratio':10} {ratio[0]:8.2f} {ratio[1]:8.2f}   (medians over {len(rounds)} rounds)")
    return mean(len(of) for _, of in rounds), ratio[0]


def measure_growth(place: Arena, floor: Child, count: int, think_s: float, asks: float) -> tuple[str, Grown]:
    """So many matches at once: a line of the table, and what counts of it."""
    name = f"{count}-{1e3 * think_s:.0f}"
    with match_day(place, name, count, think_s, BOT_PROCESSES) as (gateway, empty, worker, bots, begin):
        idle, held = Used.by(worker.pid), Used.by(gateway.pid)
        for number in range(count):
            begin(number, f"{name}-{number}")
        time.sleep(WARM_UP_S + think_s + count / 50)
        for child in bots:
            child.times()
        before = Used.by(worker.pid), Used.by(gateway.pid)
        below = floor.times([WINDOW_S, think_s])
        after = Used.by(worker.pid), Used.by(gateway.pid)
        times = [one for child in bots for one in child.times()]
    cpu = [1e3 * (late.cpu_s - early.cpu_s) / len(times) for early, late in zip(before, after, strict=True)]
    rss = [(late.rss_kib - early.rss_kib) / count for early, late in zip((idle, held), after, strict=True)]
    a_bot = (held.rss_kib - empty.rss_kib) / (2 * count)
    p50, floor_p50 = median(times), median(below)
    line = (
        f"{count:7} {1e3 * think_s:6.0f} {len(times) / WINDOW_S:7.0f}"
        f" {1e3 * p50:8.2f} {1e3 * p99(times):8.2f} {1e3 * floor_p50:8.2f} {p50 / floor_p50:6.2f}"
        + "".join(f" {value:8.2f}" for value in (*cpu, *(asks * ms / 1e3 for ms in cpu)))
        + "".join(f" {value:8.0f}" for value in (*rss, a_bot))
    )
    return line, Grown(len(times) / WINDOW_S, 1e3 * p99(times), sum(cpu), sum(rss))


def measure_floor(floor: Child, processes: Sequence[Child], pace_s: float) -> str:
    """What the floor's worker and gateway take for a decision at about this pace, as a line of the table."""
    before = [Used.by(process.pid) for process in processes]
    times = floor.times([WINDOW_S, pace_s])
    after = [Used.by(process.pid) for process in processes]
    cpu = [1e3 * (late.cpu_s - early.cpu_s) / len(times) for early, late in zip(before, after, strict=True)]
    return f"{'floor':14} {len(times) / WINDOW_S:7.0f}{'':34}" + "".join(f" {value:8.2f}" for value in cpu)


def measure(database: str) -> None:
    """Everything on one database."""
    from tests.kit.arena.arena import Arena
    from tests.kit.arena.play import Bots
    from webui.matches import ownership

    def show(line: str) -> None:
        print(line, flush=True)

    with ExitStack() as stack:
        place = stack.enter_context(Arena(database))
        assert place.upkeep is not None
        place.upkeep.kill()  # it is in a hurry, which costs
        place.schedule(Bots(tuple(new_bots("floor", 2)[1]), ("", "")), FLOOR_MATCH)
        ownership.claim_match(FLOOR_MATCH, "floor", 3600)
        floor_gateway = Child(stack, place, "floor-gateway", place.redis.url)
        floor_worker = Child(stack, place, "floor-worker", place.redis.url)
        floor = Child(stack, place, "floor-bot", floor_gateway.first)
        show(
            f"\n{database}, load average {os.getloadavg()[0]:.1f}: from an answer to the next ask, bots answer at once"
        )
        show(f"{'':10} {'p50 ms':>8} {'p99 ms':>8} {'samples':>8}")
        asks, ratio = measure_instant(place, floor, show)
        show(f"\n{database}: matches at once on one worker and one gateway; a match has {asks:.0f} asks")
        show(
            f"{'':7} {'think':>6} {'asks':>7} {'p50':>8} {'p99':>8} {'floor':>8} {'':6} {'CPU ms an ask':>17}"
            f" {'CPU s a match':>17} {'RSS KiB a match':>17}   a bot\n"
            f"{'matches':7} {'ms':>6} {'a s':>7} {'ms':>8} {'ms':>8} {'p50 ms':>8} {'ratio':>6}"
            + 3 * f"{'worker':>9}{'gateway':>9}"
            + f"{'gateway':>9}"
        )
        grown = {}
        for count, think_s in GROWTH:
            line, grown[count, think_s] = measure_growth(place, floor, count, think_s, asks)
            show(line)
            if (count, think_s) == PACED:
                show(measure_floor(floor, (floor_worker, floor_gateway), 1 / grown[PACED].asks_a_second))
        show(f"load average {os.getloadavg()[0]:.1f}\n")
        for goal in goals(ratio, grown):
            show(str(goal))


def goals(ratio: float, grown: Mapping[tuple[int, float], Grown]) -> list[Goal]:
    """What is aimed at, on two cores with nothing else to do."""
    many, busy, thinking = grown[PACED], grown[100, 0.05], grown[500, 2.0]
    return [
        Goal("one decision at a time, times the floor", ratio, 1.15),
        Goal("50 matches: ms of processor a decision, worker and gateway", many.cpu_ms, 1.6),
        Goal("100 matches of bots that think 50 ms: decisions a second", busy.asks_a_second, 800, is_least=True),
        Goal("100 matches of bots that think 50 ms: p99 of the overhead, ms", busy.p99_ms, 100),
        Goal("500 matches of bots that think 2 s: p99 of the overhead, ms", thinking.p99_ms, 50),
        Goal("500 matches: KiB of memory a match, worker and gateway", thinking.rss_kib, 100),
    ]


def main() -> None:
    """Measure and print."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    os.environ.setdefault("ARENA_SECRET_KEY", "bench")
    django.setup()
    logging.disable(logging.INFO)  # every match that is scheduled would be a line between those of the table
    for database in ["sqlite", *(["postgres"] if postgres_directory() else [])]:
        measure(database)
    if not postgres_directory():
        print("\nno PostgreSQL here: install Debian's package postgresql")


if __name__ == "__main__":
    main()
