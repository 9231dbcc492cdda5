"""Measure what hostile bots cost an honest one in another sandbox: `python -m tests.bench.hostile [WORD]`.

One runner plays both, each on a core of its own. The honest bot computes the same thing for each request, which takes
about 50 ms. It is asked alone, and then while the hostile bot has a request and does its worst. Both are measured in
turns, because the machine's speed changes. The 99th percentile of what the honest bot is charged should grow by at most
5 %.

The slowest request of sixty decides about a line, and a machine has slow requests without any neighbour. So each growth
has a 95 % interval (from requests drawn anew), and the last line has the requests of all lines.

After each match the bench waits until nothing of the hostile sandbox is left. That should take at most a second. If a
WORD is given, only hostile bots whose names contain it are tried.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

import structlog

from arena.bus import AsyncBus
from arena.gateway.clock import ListeningLoop
from tests.bench.figures import Goal, p99
from tests.bench.hosted import decide, hosted, sessions
from tests.kit.hostile import HOSTILE
from tests.kit.redis_server import RedisServer
from tests.kit.remains import groups_of
from tests.kit.until import soon
from tests.runner.conftest import RunnerWorker, Versions, bot_that

HONEST = bot_that(
    "compute(rounds)",
    before="""
def compute(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
rounds, used = 100_000, 0
while used < 0.02:
    rounds *= 2
    begun = time.process_time()
    compute(rounds)
    used = time.process_time() - begun
rounds = int(rounds * 0.05 / used)
""",
)
ROUNDS = 3
REQUESTS = 20
"""Requests in one round of one condition."""
WARM_UP = 3
DRAWS = 1000
"""Number of times that requests are drawn anew for an interval."""
HEAD = f"{'ms, median and p99':34}{'alone':>16}{'beside':>16}  growth of p99, 95 %  ended by{'':16} gone after"


@dataclass(slots=True)
class Measures:
    """What the honest bot is charged, in milliseconds, and what became of its hostile neighbour."""

    alone: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    gone_s: list[float] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """Growth of the 99th percentile, in percent."""
        return _growth(self.alone, self.beside)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the growth, in percent."""
        drawn = random.Random(1)
        growths = sorted(
            _growth(drawn.choices(self.alone, k=len(self.alone)), drawn.choices(self.beside, k=len(self.beside)))
            for _ in range(DRAWS)
        )
        return growths[DRAWS // 40], growths[-DRAWS // 40]

    def line(self, name: str) -> str:
        """Return one line of the table."""
        times = "".join(f"{median(each):9.1f}{p99(each):7.1f}" for each in (self.alone, self.beside))
        ends = ", ".join(sorted(self.faults - {""})) or "its referee"
        low, high = self.interval
        return (
            f"{name:34}{times} {self.growth:+5.1f} % ({low:+5.0f} to {high:+4.0f})  {ends:24}{max(self.gone_s):8.2f} s"
        )


def _growth(alone: list[float], beside: list[float]) -> float:
    return 100 * (p99(beside) / p99(alone) - 1)


def together(found: Iterable[Measures]) -> Measures:
    """Return the measures of all hostile bots as those of one."""
    whole = Measures()
    for one in found:
        whole.alone += one.alone
        whole.beside += one.beside
        whole.faults |= one.faults
        whole.gone_s += one.gone_s
    return whole


class Bench:
    """A runner with the honest bot as its first version, and the hostile ones after it."""

    def __init__(self, bus: AsyncBus, versions: Versions) -> None:
        self._bus = bus
        self._versions = versions
        self._honest, self._hostile = RunnerWorker(bus, "honest"), RunnerWorker(bus, "hostile")
        self._indices = iter(range(1_000_000))

    async def charged(self, count: int) -> list[float]:
        """Ask the honest bot, and return what it is charged for each answer, in milliseconds."""
        [session] = [one for one in await sessions(self._bus, len(self._versions.listed)) if one.bot_version == 1]
        return await decide(self._honest, session, "honest", [next(self._indices) for _ in range(count)])

    async def measure(self, version: int) -> Measures:
        """Measure the honest bot beside one hostile bot."""
        measures = Measures()
        [rival] = [one for one in await sessions(self._bus, len(self._versions.listed)) if one.bot_version == version]
        await self.charged(WARM_UP)
        for number in range(ROUNDS):
            measures.alone += await self.charged(REQUESTS)
            before, reports = set(groups_of(os.getpid())), len(self._versions.reports)
            match = f"match-{version}-{number}"
            await self._hostile.ask(rival, match, index=0)
            await soon(lambda before=before: set(groups_of(os.getpid())) - before, "a sandbox")  # type: ignore[misc]
            measures.beside += await self.charged(REQUESTS)
            await self._hostile.finish(rival, match)
            ended = time.monotonic()
            await soon(lambda before=before: set(groups_of(os.getpid())) <= before, "the end")  # type: ignore[misc]
            measures.gone_s.append(time.monotonic() - ended)
            await soon(lambda reports=reports: len(self._versions.reports) > reports, "a report")  # type: ignore[misc]
            measures.faults |= {report.fault for report in self._versions.reports if report.match == match}
        return measures


async def main(word: str) -> None:
    """Measure and print."""
    names = [name for name in HOSTILE if word in name]
    if not names:
        sys.exit(f"no hostile bot has {word!r} in its name; their names are: {', '.join(HOSTILE)}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    versions = Versions()
    versions.add(HONEST)
    for name in names:
        versions.add(HOSTILE[name].program)
    found: dict[str, Measures] = {}

    async def measure() -> None:
        bus = AsyncBus(redis.url)
        bench = Bench(bus, versions)
        print(HEAD)
        for number, name in enumerate(names):
            found[name] = await bench.measure(number + 2)
            print(found[name].line(name), flush=True)
        await bus.close()

    try:
        with RedisServer() as redis:
            redis.start()
            await hosted(versions, redis.url, sorted(os.sched_getaffinity(0))[-2:], measure)
    finally:
        shutil.rmtree(versions.root)
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    whole = together(found.values())
    print(whole.line("all together"))
    print(Goal("growth of the p99 of what is charged, in percent", whole.growth, 5))
    shown = [name for name, one in found.items() if one.interval[0] > 5]
    print(f"hostile bots whose whole interval is above 5 %: {', '.join(shown) or 'none'}")
    print(Goal("seconds until nothing is left", max(whole.gone_s), 1))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        runner.run(main(" ".join(sys.argv[1:])))
