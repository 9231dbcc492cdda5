"""The bot in the sandbox of hosted bots, for the examination of a submission: its essential checks alone."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from arena.doctor.check import CheckFinding, DoctorCheck
from arena.doctor.checks import CHECKS
from arena.doctor.process import LINES, ExaminedProcess, Starter
from arena.doctor.run import diagnose
from arena.hosting.faults import fault_of
from arena.hosting.limits import bot_limits
from arena.hosting.runtime import BOT_ENVIRONMENT, BotFiles
from arena.sandbox.limits import SandboxEnd, SandboxVerdict
from arena.sandbox.running import RunningSandbox, SandboxStartFailure, start


def essential_checks() -> list[DoctorCheck]:
    """Return the checks without which a bot cannot play."""
    return [check for check in CHECKS if check.is_essential]


async def examine_image(files: BotFiles, command: Sequence[str], memory_bytes: int) -> AsyncIterator[CheckFinding]:
    """Yield the finding of each essential check of a bot in the sandbox.

    - `files`: the unpacked bundle.
    - `command`: as `resolve_command` returns it.
    - `memory_bytes`: the memory that its manifest names.

    Raises `SandboxStartFailure` if this machine makes no sandbox.
    """
    with tempfile.TemporaryDirectory(prefix="arena-examination-") as folder:
        Path(folder).chmod(0o711)  # the sandbox may have a user of its own
        socket = Path(folder) / "arena.sock"
        bot = _starter(files, command, memory_bytes, socket)
        async for finding in diagnose(bot, essential_checks(), socket):
            yield finding


def _starter(files: BotFiles, command: Sequence[str], memory_bytes: int, socket: Path) -> Starter:
    async def start_bot(_address: str, token: str, on_exit: Callable[[], None]) -> ExaminedProcess:
        environment = {**BOT_ENVIRONMENT, "ARENA_TOKEN": token}
        limits = bot_limits(memory_bytes)
        sandbox = await asyncio.to_thread(start, command, files.mounts(socket), limits, environment=environment)
        return SandboxedProcess(sandbox, lambda verdict: _fault_words(verdict, memory_bytes), on_exit)

    return start_bot


def _fault_words(verdict: SandboxVerdict, memory_bytes: int) -> str:
    found = fault_of(verdict, bot_limits(memory_bytes))
    return found[1] if found else ""


class SandboxedProcess:
    """A bot in its sandbox. Its output is known when it has ended."""

    def __init__(
        self, sandbox: RunningSandbox, fault_words: Callable[[SandboxVerdict], str], on_exit: Callable[[], None]
    ) -> None:
        self._sandbox = sandbox
        self._fault_words = fault_words
        self.verdict: SandboxVerdict | None = None
        """Verdict on the sandbox; `None` while it runs."""
        self._lines: tuple[str, ...] = ()
        self._waiter = asyncio.create_task(self._wait(on_exit))

    async def _wait(self, on_exit: Callable[[], None]) -> None:
        verdict = await asyncio.to_thread(self._sandbox.wait)
        text = verdict.stdout.text() + verdict.stderr.text()
        words = self._fault_words(verdict)
        self._lines = (*text.splitlines()[-LINES:], *([words] if words else []))
        self.verdict = verdict
        on_exit()

    @property
    def exit_code(self) -> int | None:
        """Exit code, or the negative signal number that ended it; `None` while it runs."""
        if self.verdict is None:
            return None
        if self.verdict.end is SandboxEnd.START_FAILED:
            raise SandboxStartFailure(self.verdict.reason)
        if self.verdict.end is SandboxEnd.EXITED:
            return self.verdict.exit_code
        return -(self.verdict.signal or signal.SIGKILL)

    @property
    def output(self) -> tuple[str, ...]:
        """The last lines that it printed, and why it ended."""
        return self._lines

    def forget_output(self) -> None:
        """Forget the output so far."""
        self._lines = ()

    @property
    def pid(self) -> int | None:
        """Return nothing: its processes have no id outside of the sandbox."""
        return None

    def terminate(self) -> None:
        """End it at once: a sandbox knows no other end."""
        self._sandbox.kill()

    async def kill(self) -> None:
        """Kill it and everything that it started. Returns when it has ended."""
        self._sandbox.kill()
        await self._waiter
