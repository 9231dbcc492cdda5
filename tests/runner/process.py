"""A runner process with a fixed list of versions: `python -m tests.runner.process < JSON`.

The JSON has the address of Redis, the places, and the versions with the folders of their images. The process prints
each report on a seat, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from arena.gateway.clock import ListeningLoop
from arena.hosting.messages import HostedVersionInfo, HostedVersions, SeatReport
from arena.runner.server import RunnerConfig, SandboxRunner
from arena.sandbox.cores import CorePool
from tests.runner.hosting import open_folder


class FixedVersions:
    """Versions of a file, and a list of reports that is printed."""

    def __init__(self, versions: dict[int, str]) -> None:
        self._versions = [
            HostedVersionInfo(
                version=version, bot=version, image=folder, command=("/usr/bin/python3", "/bot/bot.py"),
                memory_bytes=256 << 20, wants_legal=True,
            )
            for version, folder in versions.items()
        ]  # fmt: skip

    async def hosted(self) -> HostedVersions:
        return HostedVersions(versions=tuple(self._versions))

    async def report_seat(self, report: SeatReport) -> None:
        print("report", msgspec.json.encode(report).decode(), flush=True)

    @asynccontextmanager
    async def folder(self, sha256: str) -> AsyncIterator[Path]:
        yield Path(sha256)


async def run(spec: dict[str, object]) -> None:
    versions = FixedVersions(dict(spec["versions"]))  # type: ignore[call-overload]
    places = int(str(spec["places"]))
    folder = open_folder()
    config = RunnerConfig(
        id=f"runner-{secrets.token_hex(4)}", redis_url=str(spec["redis"]), places=places, folder=folder
    )
    runner = SandboxRunner(config, versions, versions, CorePool(sorted(os.sched_getaffinity(0))))
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await runner.start()
    print(f"runner {config.id} is ready", flush=True)
    stopping, failing = asyncio.create_task(stop.wait()), asyncio.create_task(runner.wait())
    await asyncio.wait([stopping, failing], return_when=asyncio.FIRST_COMPLETED)
    await runner.drain()
    shutil.rmtree(folder)
    print("drained", flush=True)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=ListeningLoop) as loop:
        loop.run(run(json.load(sys.stdin)))
