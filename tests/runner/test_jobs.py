"""Jobs with real sandboxes: what is handed in is built and examined, and each fault gets its name and its words."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.manifest import manifest_json
from arena.hosting.messages import BuildResult, JobFailure, JobInfo, JobResult, RunnerFacts
from arena.runner import examination
from arena.runner.desk import RunnerDesk
from arena.runner.images import ImageCache
from arena.runner.jobs import MOST_WAITING, JobLog, StoppedJob, work_on_jobs
from arena.sandbox.cores import CorePool
from tests.kit.until import soon
from tests.runner.hosting import TOKEN, MemoryHosting, open_folder, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOT = """
from arena.bots import Bot

class Careful(Bot):
    player_counts = (2, 3)
    expansions = ("artisans",)

    def choose(self, view, legal):
        return legal[0]
"""
FLOOD = """
import os, time
import grpc
from arena.wire.service import SERVICE
from arena.wire.v1.bot_pb2 import BotMessage

def messages():
    yield BotMessage(hello={"token": os.environ["ARENA_TOKEN"], "max_matches": 1}).SerializeToString()
    while True:
        yield BotMessage(answer={"match_id": "x" * 500_000}).SerializeToString()

try:
    for _ in grpc.insecure_channel(os.environ["ARENA_SERVER"]).stream_stream(f"/{SERVICE}/Play")(messages()):
        pass
except grpc.RpcError:
    time.sleep(10_000)  # __main__
"""
BUILT = 'language = "python"\ncommand = ["python3", "-m", "arena.bots", "bot.py"]\nbuild = ["python3", "build.py"]\n'
BUILD = f"""
import pathlib, time
print("step 1", flush=True)
time.sleep({{sleep_s}})
pathlib.Path("bot.py").write_text({BOT!r})
print("step 2")
"""
RUNNER = """
import asyncio, sys
from pathlib import Path
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import RunnerFacts
from arena.runner.desk import RunnerDesk
from arena.runner.images import ImageCache
from arena.runner.jobs import work_on_jobs
from arena.sandbox.cores import CorePool

async def main(server, token, folder):
    async with RunnerDesk([server], token, Path(folder), RunnerFacts()) as desk:
        images = ImageCache(Path(folder) / "images", desk, DEFAULT_LIMITS)
        await work_on_jobs(desk, images, CorePool([0]), DEFAULT_LIMITS)

asyncio.run(main(*sys.argv[1:]))
"""


class Jobs:
    """A gateway with one job, and runners."""

    def __init__(self, hosting: MemoryHosting, server: str, folder: Path) -> None:
        self.hosting = hosting
        self.server = server
        self.folder = folder
        self.pool = CorePool([min(os.sched_getaffinity(0))])
        """The only core of its runners."""

    def submit(self, **files: str) -> None:
        """Hand in files; `bot_py` stands for bot.py, and `weights__net` for weights/net."""
        source = self.folder / "source"
        source.mkdir()
        for name, content in files.items():
            file = source / name.replace("__", "/").replace("_", ".")
            file.parent.mkdir(exist_ok=True)
            file.write_text(content)
        bundle = pack(source, "bot", self.folder / "bundle", DEFAULT_LIMITS)
        if bundle.weights is not None:
            self.hosting.blobs[bundle.weights.sha256] = bundle.weights.packed.read_bytes()
        self.hosting.blobs[bundle.sha256] = bundle.packed.read_bytes()
        self.hosting.job = JobInfo(id=5, epoch=0, source=bundle.sha256, manifest=manifest_json(bundle.manifest))

    @asynccontextmanager
    async def runner(self) -> AsyncIterator[asyncio.Task[None]]:
        """Work on jobs while the context lasts."""
        folder = self.folder / "runner"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711)
        async with RunnerDesk([self.server], TOKEN, folder, RunnerFacts()) as desk:
            images = ImageCache(folder / "images", desk, DEFAULT_LIMITS)
            working = asyncio.create_task(work_on_jobs(desk, images, self.pool, DEFAULT_LIMITS))
            try:
                yield working
            finally:
                working.cancel()
                await asyncio.wait([working])

    async def result(self) -> JobResult | JobFailure:
        """Return the result of the job, once a runner has it."""
        async with self.runner():
            await soon(lambda: isinstance(self.hosting.result, JobResult | JobFailure), "the result", timeout=900)
        result = self.hosting.result
        assert isinstance(result, JobResult | JobFailure)
        return result

    async def failure(self) -> JobFailure:
        """Return the failure of the job."""
        result = await self.result()
        assert isinstance(result, JobFailure), self.hosting.log
        return result


@pytest_asyncio.fixture(loop_scope="session")
async def jobs() -> AsyncIterator[Jobs]:
    folder = open_folder()  # not one of pytest's, which every other run of pytest closes to users of sandboxes
    hosting = MemoryHosting()
    async with serving(hosting) as server:
        yield Jobs(hosting, server, folder)
    shutil.rmtree(folder)


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examine once: the bot of the test fails each time."""
    monkeypatch.setattr(examination, "ATTEMPTS", 1)


async def test_one_file_is_a_bot(jobs: Jobs) -> None:
    jobs.submit(bot_py=BOT)
    result = await jobs.result()
    assert isinstance(result, JobResult), jobs.hosting.log
    # It has no bot.toml, so it plays the base game.
    assert (result.facts.player_counts, result.facts.expansions, result.facts.wants_legal) == ((2, 3), (), True)
    assert result.facts.sdk.startswith("arena-python/")
    assert jobs.hosting.job is not None and jobs.hosting.job.image == jobs.hosting.job.source
    assert jobs.hosting.log == "Examination\n" + "".join(f"{check.name}: passed\n" for check in examination.ESSENTIAL)


async def test_what_a_build_makes_is_examined(jobs: Jobs) -> None:
    jobs.submit(bot_toml=BUILT + 'expansions = ["artisans"]\n', build_py=BUILD.format(sleep_s=0))
    result = await jobs.result()
    assert isinstance(result, JobResult), jobs.hosting.log
    assert result.facts.expansions == ("artisans",)
    job = jobs.hosting.job
    assert job is not None and job.image != job.source and job.image in jobs.hosting.blobs
    assert jobs.hosting.log.startswith("Build: python3 build.py\nstep 1\nstep 2\nExamination\n")


async def test_a_bot_finds_its_weights(jobs: Jobs) -> None:
    command = 'language = "python"\ncommand = ["python3", "-m", "arena.bots", "bot.py"]\n'
    manifest = f'{command}build = ["cp", "main.py", "bot.py"]\n'
    jobs.submit(bot_toml=manifest, main_py=f"assert open('weights/net').read() == 'abc'\n{BOT}", weights__net="abc")
    assert isinstance(await jobs.result(), JobResult), jobs.hosting.log


async def test_a_build_that_was_done_is_not_done_again(jobs: Jobs) -> None:
    jobs.submit(bot_py=BOT)
    assert jobs.hosting.job is not None
    await jobs.hosting.take_job(1)
    await jobs.hosting.finish_build(1, BuildResult(job=5, epoch=1, image=jobs.hosting.job.source))
    jobs.hosting.is_held = False
    jobs.hosting.job = replace(jobs.hosting.job, source="0" * 64)  # it is not even fetched
    assert isinstance(await jobs.result(), JobResult)


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(
    ("bot", "fault", "words"),
    [
        ("raise SystemExit(3)  # __main__", "EXITED", "its program ended with exit code 3, in the check dials-in"),
        ("import os; os.abort()  # __main__", "CRASHED", "its program crashed with signal SIGABRT"),
        ("import no_such_module  # __main__", "EXITED", "\n| ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = b'x' * 400_000_000  # __main__", "OUT_OF_MEMORY", "killed: used more than 256 MB"),
        (
            BOT.replace("legal[0]", "'no action'"),
            "EXAMINATION_FAILED",
            "check answers: in phase bid, with 2 players, it answered",
        ),
        (BOT.replace("(2, 3)", "(7,)"), "EXITED", "7"),
        (FLOOD, "EXAMINATION_FAILED", "its stream was ended with MESSAGE_TOO_LARGE"),
    ],
)
async def test_a_bot_that_fails_gets_a_fault_and_words(jobs: Jobs, bot: str, fault: str, words: str) -> None:
    jobs.submit(bot_py=bot)
    failure = await jobs.failure()
    assert failure.fault == fault
    assert words in failure.text
    assert failure.text in jobs.hosting.log
    assert not jobs.hosting.reports


@pytest.mark.usefixtures("once")
async def test_a_bot_that_never_says_hello_has_not_started(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "PATIENCE", 0.1)
    jobs.submit(bot_py="import time; time.sleep(10_000)  # __main__")
    failure = await jobs.failure()
    assert failure.fault == "START_FAILED"
    assert "it must dial ARENA_SERVER" in failure.text


async def test_a_bot_that_is_examined_gives_its_core_to_others_that_wait(jobs: Jobs) -> None:
    jobs.submit(bot_py=f"import time\nwhile time.process_time() < 3 * {examination.SLICE_S}:\n    pass\n{BOT}")
    core = await jobs.pool.take()
    async with jobs.runner():
        await soon(lambda: jobs.pool.is_wanted, "the examination, which waits for a core", timeout=900)
        jobs.pool.put_back(core)
        assert await jobs.pool.take() == core
        assert jobs.pool.is_wanted and "passed" not in jobs.hosting.log, "it has given way, and waits for its turn"
        jobs.pool.put_back(core)
        await soon(lambda: isinstance(jobs.hosting.result, JobResult), "the result", timeout=900)
        assert await jobs.pool.take() == core, "it is free again"


@pytest.mark.usefixtures("once")
async def test_an_interpreter_that_is_missing_is_named(jobs: Jobs) -> None:
    jobs.submit(bot_toml='language = "other"\ncommand = ["cobol", "bot.cob"]\n', bot_cob="")
    failure = await jobs.failure()
    assert (failure.fault, "the runtime has no program 'cobol'" in failure.text) == ("START_FAILED", True)


@pytest.mark.usefixtures("once")
async def test_a_program_that_cannot_be_executed_is_the_bots_fault(jobs: Jobs) -> None:
    jobs.submit(bot_toml='language = "other"\ncommand = ["./bot.sh"]\n', bot_sh="#!/nope\n")
    failure = await jobs.failure()
    assert failure.fault == "START_FAILED"
    assert failure.text == (
        "its program cannot be executed\n"
        "| /bot/bot.sh cannot be executed: the program in its first line, or its loader, is missing"
    )


async def test_a_build_that_fails_says_why(jobs: Jobs) -> None:
    jobs.submit(bot_toml=BUILT, build_py="print('no compiler'); raise SystemExit(2)")
    failure = await jobs.failure()
    assert (failure.fault, failure.text) == ("BUILD_FAILED", "the build failed: exit code 2; the log says why")
    assert jobs.hosting.log == "Build: python3 build.py\nno compiler\n"


async def test_a_job_that_another_runner_has_is_stopped(jobs: Jobs) -> None:
    jobs.submit(bot_toml=BUILT, build_py=BUILD.format(sleep_s=10_000))
    async with jobs.runner():
        await soon(lambda: "step 1" in jobs.hosting.log, "the log, while the build runs", timeout=900)
        assert jobs.hosting.job is not None
        jobs.hosting.job = replace(jobs.hosting.job, epoch=7)
        jobs.hosting.is_held = False  # and it can be taken again
        await soon(lambda: jobs.hosting.job is not None and jobs.hosting.job.epoch == 8, "the next claim", timeout=900)


async def test_a_runner_that_stops_gives_its_job_back(jobs: Jobs) -> None:
    jobs.submit(bot_toml=BUILT, build_py=BUILD.format(sleep_s=10_000))
    async with jobs.runner():
        await soon(lambda: "step 1" in jobs.hosting.log, "the build", timeout=900)
    assert not jobs.hosting.is_held
    assert jobs.hosting.result is None


async def test_files_that_no_gateway_has_are_no_fault_of_the_bot(jobs: Jobs) -> None:
    jobs.submit(bot_py=BOT)
    blobs = dict(jobs.hosting.blobs)
    jobs.hosting.blobs.clear()
    async with jobs.runner():
        await soon(lambda: jobs.hosting.job is not None and jobs.hosting.job.epoch >= 2, "another try", timeout=900)
        jobs.hosting.blobs.update(blobs)
        await soon(lambda: jobs.hosting.result, "the result", timeout=900)
    assert isinstance(jobs.hosting.result, JobResult)


@pytest.mark.slow
async def test_a_killed_runner_loses_nothing(jobs: Jobs) -> None:
    jobs.submit(bot_toml=BUILT, build_py=BUILD.format(sleep_s=15))
    folder = jobs.folder / "killed"
    folder.mkdir()
    folder.chmod(0o711)
    runner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUNNER, jobs.server, TOKEN, str(folder),
        env={**os.environ, "GRPC_ENABLE_FORK_SUPPORT": "0"},  # as the runner's own main module sets it
    )  # fmt: skip
    try:
        await soon(lambda: "step 1" in jobs.hosting.log, "the build", timeout=900)
    finally:
        runner.send_signal(signal.SIGKILL)
        await runner.wait()
    assert jobs.hosting.result is None and jobs.hosting.is_held
    jobs.hosting.is_held = False  # its lease has expired
    assert isinstance(await jobs.result(), JobResult)
    assert jobs.hosting.job is not None and jobs.hosting.job.epoch == 2
    assert jobs.hosting.log.startswith("Build: python3 build.py\nstep 1\nstep 2\nExamination\n")


async def test_a_long_log_keeps_its_beginning_and_its_end() -> None:
    log = JobLog()
    log.add("begins\n")
    sent = log.take()
    for number in range(0, MOST_WAITING, 100):
        log.add("".join(f"{line}\n" for line in range(number, number + 100)))
    while piece := log.take():
        assert len(piece) <= 4096
        sent += piece
    assert sent.startswith("begins\n\n[… ") and sent.endswith(f"\n{number + 99}\n")
    assert len(sent) < MOST_WAITING + 100
    log.is_closed.set()
    with pytest.raises(StoppedJob):
        log.add("")
