"""Live spectators of one web process: `python -m tests.bench.spectators [HOW_MANY] [MATCHES]`, 5,000 of ten matches
unless told otherwise.

The site runs as in production. Each match goes on at its own pace: a decision a second on average, at times that differ
from match to match. Decisions are appended through the actions as a worker appends them, and wake the site through
Redis. Measured is the time from the commit of a decision to the whole frame at each of the match's spectators. Beside
it, in the same run, a single spectator of one match. The spectators are sockets of a process of their own
(`tests.bench.spectators_sockets`), which shares the machine with the site.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import accumulate
from statistics import median
from typing import Any, NamedTuple

import django

from tests.bench.figures import Goal, Used, p99
from tests.kit.ports import ReservedPort
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui.commands.services.ready import page_answers

SPECTATORS, MATCHES = 5_000, 10
DECISIONS = 20
"""Of each match while it is measured."""
PACE_S = (0.5, 1.5)
"""Between two decisions of a match, evenly spread."""
SEED = 5
GOAL_MS = 500


class Play:
    """A match whose decisions are written one by one."""

    def __init__(self, kit: Any) -> None:
        from tests.kit.ladder import Writer, play_out

        self._claim = kit.claim(kit.match(kit.versions(3)), lease_s=3600)
        self._entries = play_out(self._claim).entries
        self._written = 0
        self._writer = Writer(self._claim)
        self._events = 0

    @property
    def match_id(self) -> str:
        return str(self._claim.match_id)

    def decide(self) -> int:
        """Append up to and with the next decision; the id of its frame: the index of the event that follows."""
        from arena.referee import Kind

        first = self._written
        while True:
            entry = self._entries[self._written]
            self._written += 1
            if entry.kind in (Kind.DECISION, Kind.CHANCE):
                self._events += 1
            following = self._entries[self._written]
            if entry.kind == Kind.DECISION and following.kind == Kind.DECISION:
                break
        self._writer.append(self._entries[first : self._written], 3600)
        return self._events


class Crowd(NamedTuple):
    """What so many spectators came to."""

    took: list[float]
    """Milliseconds from commit to frame, of every spectator and decision."""
    arrival_s: float
    share: float
    """Of a core, while they followed."""
    cpu_ms: float
    """For one decision at one spectator."""
    mib: float
    """Of memory more than before they came."""


class Spectators:
    """The process of the sockets."""

    def __init__(self, stack: ExitStack, port: int) -> None:
        command = [sys.executable, "-m", "tests.bench.spectators_sockets", str(port)]
        self._process = stack.enter_context(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(self._process.kill)

    def tell(self, words: Any) -> Any:
        """A line to its input; the answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            sys.exit("the spectators have left")
        return json.loads(answer)


def times(matches: int) -> list[tuple[float, int]]:
    """When each match has its decisions, in order: seconds after the begin, and which match."""
    draw = random.Random(SEED)
    of_each = [
        accumulate([draw.uniform(0, 1), *(draw.uniform(*PACE_S) for _ in range(DECISIONS - 1))]) for _ in range(matches)
    ]
    return sorted((when, number) for number, whens in enumerate(of_each) for when in whens)


def measure(site: int, port: int, plays: list[Play], many: int) -> Crowd:
    """So many spectators of these matches, who come, follow, and leave."""
    from django.conf import settings

    from arena.bus import Bus

    latest = [play.decide() for play in plays]
    addresses = [f"/matches/{play.match_id}/live?after={index}" for play, index in zip(plays, latest, strict=True)]
    committed: list[tuple[int, int, float]] = []
    with ExitStack() as stack:
        bus = stack.enter_context(Bus(settings.REDIS_URL))
        empty = Used.by(site)
        spectators = Spectators(stack, port)
        arrival_s = spectators.tell({"addresses": addresses, "readers": many})
        time.sleep(2)  # the number of readers is told once more
        before, began = Used.by(site), time.monotonic()
        for when, number in times(len(plays)):
            time.sleep(max(0.0, began + when - time.monotonic()))
            latest[number] = index = plays[number].decide()
            committed.append((number, index, time.monotonic()))
            bus.wake(plays[number].match_id)
        came = spectators.tell(dict(zip(addresses, latest, strict=True)))
        after, lasted = Used.by(site), time.monotonic() - began
    took = []
    for number, index, when in committed:
        arrivals = came[addresses[number]][str(index)]
        assert len(arrivals) == len(range(number, many, len(plays))), "every frame comes once to everybody"
        took += [1e3 * (arrival - when) for arrival in arrivals]
    cpu_s = after.cpu_s - before.cpu_s
    return Crowd(took, arrival_s, cpu_s / lasted, 1e3 * cpu_s / len(took), (after.rss_kib - empty.rss_kib) / 1024)


def main(many: int, matches: int) -> None:
    """Measure and print."""
    with ExitStack() as stack:
        var = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-"))
        redis = stack.enter_context(RedisServer())
        os.environ |= {"ARENA_VAR": var, "REDIS_URL": redis.url, "DJANGO_SETTINGS_MODULE": "webui.settings"}
        django.setup()
        from django.core.management import call_command

        from tests.kit.ladder import Kit

        call_command("migrate", verbosity=0)
        kit = Kit()
        plays = [Play(kit) for _ in range(matches)]
        port = stack.enter_context(ReservedPort()).number
        command = [sys.executable, "-m", "webui.commands.site", "--port", str(port)]
        log = stack.enter_context(open(f"{var}/site.log", "w"))
        site = stack.enter_context(subprocess.Popen(command, stdout=log, stderr=log))
        stack.callback(site.terminate)
        until(lambda: page_answers(port), "the site's first page")
        print(
            f"a decision of each match every {PACE_S[0]} to {PACE_S[1]} s, {DECISIONS} of each,"
            f" load average {os.getloadavg()[0]:.1f}\n"
            f"{'':10} {'':7} {'commit to frame, ms':>26} {'to come':>8} {'processor':>15} {'memory':>14}\n"
            f"{'spectators':10} {'matches':7} {'p50':>8} {'p99':>8} {'max':>8} {'s':>8}"
            f" {'cores':>7} {'ms each':>7} {'MiB':>6} {'KiB each':>8}",
            flush=True,
        )
        for crowd, of in ((1, 1), (many, matches)):
            found = measure(site.pid, port, plays[:of], crowd)
            print(
                f"{crowd:10} {of:7} {median(found.took):8.1f} {p99(found.took):8.1f} {max(found.took):8.1f}"
                f" {found.arrival_s:8.1f} {found.share:7.2f} {found.cpu_ms:7.3f} {found.mib:6.0f}"
                f" {1024 * found.mib / crowd:8.0f}",
                flush=True,
            )
        print(Goal(f"{many:,} spectators of {matches} matches: p99 from commit to frame, ms", p99(found.took), GOAL_MS))


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    main(*numbers, *(SPECTATORS, MATCHES)[len(numbers) :])
