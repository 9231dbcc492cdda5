"""The runner process of a deployment: `python -m arena.runner --gateway HOST:PORT --cores 0,1 --places 8`.

Its environment has REDIS_URL, and ARENA_RUNNER_TOKEN, which `arena admin runner NAME` makes. If the machine allows no
sandbox, the process says why, and ends with `NO_SANDBOX`.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import gc
import os
import secrets
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

# A sandbox is started by a fork, which needs nothing of gRPC. Its handlers would stop the threads of all streams.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import structlog

import arena.bots.__main__
import arena.bots.drawing
import arena.bots.house_bots  # noqa: F401 - bots in Python load all three: `share_bytecode`
from arena.gateway.clock import ListeningLoop
from arena.host import tracing
from arena.host.heartbeat import heartbeat_file
from arena.host.logs import configure, logging_config
from arena.host.metrics import serve_metrics
from arena.host.places import Places, state_directory
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import RunnerFacts
from arena.hosting.runtime import closed_folder, describe_runtime, hosting_support, share_bytecode
from arena.runner.desk import RunnerDesk
from arena.runner.images import ImageCache
from arena.runner.jobs import work_on_jobs
from arena.runner.server import RunnerConfig, SandboxRunner
from arena.runner.trials import work_on_trials
from arena.sandbox.cores import CorePool
from arena.sandbox.running import has_own_users

log = structlog.get_logger(__name__)

NO_SANDBOX: Final = 69
"""Exit code of a runner on a machine that allows no sandbox."""


def cores_of(text: str) -> tuple[int, ...]:
    """Return the cores in a list such as `0,2-3`. Raise `ValueError` if this process may not use one of them."""
    cores: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores += range(int(first), int(last or first) + 1)
    if missing := sorted(set(cores) - os.sched_getaffinity(0)):
        raise ValueError(f"core {missing[0]} is not one of this process")
    return tuple(dict.fromkeys(cores))


@contextmanager
def runner_folder(path: Path) -> Iterator[Path]:
    """Yield the folder of this runner, which is its alone until the end of the context.

    Temporary files are made in it meanwhile, so that the next runner removes those of one that was killed.

    Raises `OSError` if another runner has it, or if it is another user's.
    """
    path.mkdir(mode=0o711, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(f"{path} is not a folder of this user: choose another one with --folder")
    if has_own_users() and (closed := closed_folder(path.resolve().parent)):
        raise PermissionError(f"users of sandboxes cannot enter {closed}: choose another folder with --folder")
    path.chmod(0o711)  # users of sandboxes enter it, and find only what they know
    with (path / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(f"another runner uses {path}: choose another folder with --folder") from None
        scratch = path / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        scratch.chmod(0o711)
        tempfile.tempdir = str(scratch)
        try:
            yield path
        finally:
            tempfile.tempdir = None
            shutil.rmtree(scratch, ignore_errors=True)


async def describe(desk: RunnerDesk) -> None:
    """Find out what bots find here, for authors. It takes a while, because each program is asked for its version."""
    description = await asyncio.to_thread(describe_runtime)
    desk.facts = msgspec.structs.replace(desk.facts, runtime=msgspec.json.encode(description).decode())


async def run(config: RunnerConfig, desk: RunnerDesk, images: ImageCache, pool: CorePool) -> None:
    """Run a runner until SIGTERM or SIGINT."""
    async with desk:
        runner = SandboxRunner(config, desk, images, pool)
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        gc.collect()
        gc.freeze()  # exempt all loaded objects: collecting them again and again would delay every bot
        await runner.start()
        print(f"runner {runner.id} is ready", flush=True)
        describing = asyncio.create_task(describe(desk))
        stopping, failing = asyncio.create_task(stop.wait()), asyncio.create_task(runner.wait())
        working = asyncio.create_task(work_on_jobs(desk, images, pool, DEFAULT_LIMITS), name="jobs")
        trying = asyncio.create_task(work_on_trials(desk, pool), name="trials")
        await asyncio.wait([stopping, failing, working, trying], return_when=asyncio.FIRST_COMPLETED)
        failures = [error for task in (failing, working, trying) if task.done() and (error := task.exception())]
        working.cancel()
        trying.cancel()
        await runner.drain()
        for task in (stopping, failing, describing):
            task.cancel()
        await asyncio.wait([working, trying])
        if failures:
            raise failures[0]


def main() -> int:
    """Run one runner until SIGTERM. It then shuts down within five seconds. Return its exit code."""
    allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    parser = argparse.ArgumentParser("python -m arena.runner", description="Plays hosted bots in sandboxes.")
    parser.add_argument(
        "--gateway", action="append", required=True, help="address of a gateway; name several for others in its place"
    )
    parser.add_argument("--certificate", type=Path, help="PEM file with the gateways' certificate chain")
    parser.add_argument("--cores", default=allowed, help="cores for bots, such as 0,2-3 (all that this process has)")
    parser.add_argument("--places", type=int, default=16, help="number of sandboxes at the same time")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Places(state_directory()).runner,
        help="folder for images, which others may enter",
    )
    parser.add_argument(
        "--for-friends",
        action="store_true",
        help="start even if the kernel here neither counts nor limits what bots use: never for bots of strangers",
    )
    arguments = parser.parse_args()
    configure(logging_config(os.environ.get("ARENA_LOG_FORMAT", "console"), os.environ.get("ARENA_LOG_LEVEL", "INFO")))
    redis_url, token = os.environ.get("REDIS_URL", ""), os.environ.get("ARENA_RUNNER_TOKEN", "")
    if not redis_url or not token:
        parser.error("set REDIS_URL and ARENA_RUNNER_TOKEN")
    share_bytecode()
    support = hosting_support()
    if not support.is_possible:
        print(f"no sandbox is possible here: {'; '.join(support.reasons)}", file=sys.stderr)
        return NO_SANDBOX
    if not (support.is_fit_for_strangers or arguments.for_friends):
        print(f"no bots of strangers here (--for-friends): {'; '.join(support.reasons)}", file=sys.stderr)
        return NO_SANDBOX
    for reason in support.reasons:
        log.warning("sandbox_is_weaker", why=reason)
    try:
        cores = cores_of(arguments.cores)
        with runner_folder(arguments.folder) as folder:
            config = RunnerConfig(
                id=f"runner-{secrets.token_hex(8)}", redis_url=redis_url, places=arguments.places,
                folder=folder, heartbeat=heartbeat_file(),
            )  # fmt: skip
            facts = RunnerFacts(cores=len(cores), places=config.places, process=config.id)
            desk = RunnerDesk(arguments.gateway, token, folder, facts, arguments.certificate)
            images = ImageCache(folder / "images", desk, DEFAULT_LIMITS)
            serve_metrics("runner")
            tracing.start("runner")
            with asyncio.Runner(loop_factory=ListeningLoop) as loop:
                loop.run(run(config, desk, images, CorePool(cores)))
            tracing.stop()
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
