"""Live spectators of one web process: `python -m tests.bench.spectators [HOW_MANY]`, 450 unless told otherwise, for a
process takes 500 live readers (`live_slots` in webui/site/views/games.py) and refuses the others.

The site runs as in production. All spectators follow one running match by server-sent events; decisions are appended
through the actions as a worker appends them, and wake the site through Redis. Measured is the time from the commit of a
decision to its frame at each spectator. Beside it, in the same run, a single spectator: the ratio is the cost of the
crowd. The spectators are sockets of this process, which shares the machine with the site.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import django

from tests.kit.ports import ReservedPort
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui.commands.services.ready import page_answers

SPECTATORS = 450
DECISIONS = 12
"""How many frames each crowd is timed on."""
PATIENCE_S = 120.0


class Refused(Exception):
    """The site does not take a spectator; the message has its answer."""


class Spectator:
    """A socket that follows the match and notes when the frame of each decision came."""

    def __init__(self) -> None:
        self.came: dict[int, float] = {}

    async def watch(self, port: int, address: str, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        # As behind a proxy, for the readers of one address are limited.
        client = f"X-Forwarded-For: 10.0.{number // 250}.{number % 250}"
        head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n{client}\r\nAccept: text/event-stream\r\n\r\n"
        writer.write(head.encode())
        try:
            status = (await reader.readline()).decode().strip()
            if status.split()[1:2] != ["200"]:
                raise Refused(f"the site refused spectator {number + 1}: {status}")
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    self.came.setdefault(int(line[4:]), time.perf_counter())
        finally:
            writer.close()


class Play:
    """A match whose decisions are written one by one."""

    def __init__(self) -> None:
        from tests.kit.ladder import Kit, Writer, play_out

        kit = Kit()
        self.claim = kit.claim(kit.match(kit.versions(3)), lease_s=3600)
        self._entries = play_out(self.claim).entries
        self._written = 0
        self._writer = Writer(self.claim)
        self._events = 0

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


async def crowd(port: int, play: Play, many: int) -> list[float]:
    """Milliseconds from commit to frame, of every spectator and decision."""
    from django.conf import settings

    from arena.bus import AsyncBus

    spectators = [Spectator() for _ in range(many)]
    address = f"/matches/{play.claim.match_id}/live"
    took: list[float] = []
    async with AsyncBus(settings.REDIS_URL) as bus, asyncio.TaskGroup() as group:
        watching = [group.create_task(spectator.watch(port, address, n)) for n, spectator in enumerate(spectators)]
        for number in range(DECISIONS + 1):
            index = await asyncio.to_thread(play.decide)
            committed = time.perf_counter()
            await bus.wake(play.claim.match_id)
            async with asyncio.timeout(PATIENCE_S):
                while not all(index in spectator.came for spectator in spectators):
                    await asyncio.sleep(0.005)
            if number:  # with the first, everybody arrives
                took += [(spectator.came[index] - committed) * 1e3 for spectator in spectators]
            await asyncio.sleep(0.5)  # the pace of a match, beyond the breath that a feed takes between two reads
        for task in watching:
            task.cancel()
    return took


def used(process: int) -> tuple[float, float]:
    """Seconds of processor and MiB of memory of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), pages * resource.getpagesize() / 2**20


def main(many: int) -> None:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with ExitStack() as stack:
        var = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-bench-"))
        redis = stack.enter_context(RedisServer())
        os.environ |= {"REDIS_URL": redis.url, "DJANGO_SETTINGS_MODULE": "webui.settings", "ARENA_VAR": var}
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        play = Play()
        port = stack.enter_context(ReservedPort()).number
        command: list[Any] = [sys.executable, "-m", "uvicorn", "webui.asgi:application", "--port", port]
        site = stack.enter_context(subprocess.Popen([*map(str, command), "--log-level", "error"]))
        stack.callback(site.terminate)
        until(lambda: page_answers(port), "the site's first page")
        print(f"{'spectators':>10} {'p50 ms':>8} {'p99 ms':>8} {'of one':>8} {'cpu s':>7} {'MiB':>7}")
        floor = 0.0
        for crowd_size in (1, many):
            before, _ = used(site.pid)
            took = asyncio.run(crowd(port, play, crowd_size))
            after, memory = used(site.pid)
            floor = floor or median(took)
            print(
                f"{crowd_size:10} {median(took):8.1f} {quantiles(took, n=100)[98]:8.1f} {median(took) / floor:8.1f} "
                f"{after - before:7.2f} {memory:7.0f}"
            )


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else SPECTATORS)
    except* Refused as refused:
        sys.exit(str(refused.exceptions[0]))
