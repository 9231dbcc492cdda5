"""Examine a bot in its sandbox: the essential checks of the doctor, at a Unix socket.

The bot has a core of its own meanwhile. When others wait for a core, it gives its core to them after some seconds, and
goes on when it is its turn again. No time of a check passes until then. A bot that fails is examined once more, because
the machine may be to blame: it may have stalled.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from arena.doctor import CheckFinding, CheckOutcome
from arena.doctor.check import examine
from arena.doctor.process import LINES, ExaminedProcess
from arena.doctor.sandboxed import SandboxedProcess, essential_checks
from arena.doctor.session import open_session
from arena.gateway.errors import HelloRefused
from arena.gateway.greeting import presence_of, read_hello
from arena.gateway.identity import Identity
from arena.gateway.limits import GatewayLimits
from arena.hosting.archives import BundleError
from arena.hosting.faults import HostingFault, fault_of, missing_part
from arena.hosting.limits import bot_limits
from arena.hosting.manifest import BotManifest
from arena.hosting.messages import HelloFacts
from arena.hosting.runtime import BOT_ENVIRONMENT, BotFiles, resolve_command
from arena.sandbox.cores import CorePool, CoreTurn
from arena.sandbox.limits import SandboxEnd, SandboxLimits, SandboxVerdict
from arena.sandbox.running import RunningSandbox, SandboxStartFailure, start
from arena.wire.v1.bot_pb2 import BotMessage, Hello

ESSENTIAL: Final = tuple(essential_checks())
PATIENCE: Final = 6.0
"""Factor on the doctor's times, for a machine that is busy."""
ATTEMPTS: Final = 2
SLICE_S: Final = 2.0
"""Seconds after which the bot gives its core to one that waits."""
NOT_EXECUTED: Final = (126, 127)
"""Exit codes of a program that cannot be executed, as in shells. Its standard error says why."""


class ExaminationFailure(Exception):
    """The bot failed its examination. The message says what is wrong and what to do."""

    def __init__(self, fault: HostingFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def last_lines(verdict: SandboxVerdict) -> tuple[str, ...]:
    """Return the last lines of its standard error, or of its standard output if it wrote none there."""
    text = verdict.stderr.text().strip() or verdict.stdout.text().strip()
    return tuple(text.split("\n")[-LINES:]) if text else ()


class BotExamination:
    """One examination of one image."""

    def __init__(
        self,
        files: BotFiles,
        manifest: BotManifest,
        pool: CorePool,
        log: Callable[[str], None],
        *,
        limits: SandboxLimits | None = None,
        patience: float = PATIENCE,
        attempts: int = ATTEMPTS,
    ) -> None:
        """Prepare an examination.

        - `log` gets a line for each check.
        - `limits` of the sandbox; by default those of a bot that plays.
        - `patience`: factor on the doctor's times.
        - `attempts`: number of examinations of a bot that fails.
        """
        self._files = files
        self._manifest = manifest
        self._pool = pool
        self._log = log
        self._limits = limits or bot_limits(manifest.memory_bytes)
        self._patience = patience
        self._attempts = attempts
        self.passed: list[str] = []
        """Names of the checks that the bot has passed in the latest attempt."""
        self._process: SandboxedProcess | None = None
        """The latest process."""
        self._core: int | None = None
        self._turn: CoreTurn | None = None
        """The turn of the latest process."""
        self._changing = asyncio.Lock()
        """Held while a process starts, and while the core is given to others."""
        self._frozen_s = 0.0
        """Seconds for which others have had its core."""
        self._frozen_at: float | None = None
        """When others got its core (monotonic); `None` while it has its core."""

    async def facts(self) -> HelloFacts:
        """Examine the bot, and return what it announces.

        Raises `ExaminationFailure` if the bot is at fault, and `SandboxStartFailure` if this machine is.
        """
        for attempt in range(self._attempts):
            try:
                return await self._attempt()
            except ExaminationFailure as failure:
                self._log(f"{failure}\n")
                if attempt + 1 == self._attempts:
                    raise
                self._log("The bot is examined once more, because this machine may have been too busy.\n")
        raise AssertionError("unreachable")

    async def _attempt(self) -> HelloFacts:
        self.passed = []
        try:
            command = resolve_command(self._manifest.command)
        except BundleError as error:
            raise ExaminationFailure(HostingFault.START_FAILED, f"the bot cannot start: {error}") from None
        self._core = await self._pool.take(is_request=False)
        sharing = asyncio.create_task(self._share_core())
        try:
            with tempfile.TemporaryDirectory(prefix="arena-examination-") as name:
                folder = Path(name)
                folder.chmod(0o711)  # the sandbox may have a user of its own
                socket = folder / "socket"
                starting = partial(self._start, command, socket)
                async with open_session(starting, socket, self._patience, self._clock) as session:
                    for check in ESSENTIAL:
                        finding = await examine(session, check)
                        if finding.outcome is CheckOutcome.FAILED:
                            await session.stop()
                            has_said_hello = any(stream.hello is not None for stream in session.server.streams)
                            raise self._failure(finding, has_said_hello=has_said_hello)
                        self._log(f"{check.name}: {finding.outcome}\n")
                        self.passed.append(check.name)
                    hello = session.hello
        finally:
            sharing.cancel()
            await asyncio.wait([sharing])
            self._turn = None
            if self._core is not None:
                self._pool.put_back(self._core)
        return self._facts_of(hello)

    def _clock(self) -> float:
        """Return the seconds that count for the bot, in which it had its core."""
        return (self._frozen_at or time.monotonic()) - self._frozen_s

    async def _share_core(self) -> None:
        """Give the core to others that wait for one, again and again."""
        while True:
            await asyncio.sleep(SLICE_S)
            async with self._changing:
                if self._turn is not None and self._pool.is_wanted:
                    await self._give_way(self._turn)

    async def _give_way(self, turn: CoreTurn) -> None:
        """Freeze the bot, give its core to those that wait, and let the bot go on behind them."""
        assert self._core is not None
        self._frozen_at = time.monotonic()
        try:
            await turn.freeze()
            turn.pause()
            self._pool.put_back(self._core)
            self._core = None
            self._core = await self._pool.take()
            turn.resume(self._core)
        finally:
            self._frozen_s += time.monotonic() - self._frozen_at
            self._frozen_at = None

    async def _start(
        self, command: Sequence[str], socket: Path, _: str, token: str, on_exit: Callable[[], None]
    ) -> ExaminedProcess:
        async with self._changing:
            return await self._start_on_core(command, socket, token, on_exit)

    async def _start_on_core(
        self, command: Sequence[str], socket: Path, token: str, on_exit: Callable[[], None]
    ) -> ExaminedProcess:
        assert self._core is not None
        core = self._core
        launch = partial(
            start, command, self._files.mounts(socket),
            self._limits, environment={**BOT_ENVIRONMENT, "ARENA_TOKEN": token},
        )  # fmt: skip
        starting = asyncio.create_task(asyncio.to_thread(self._launch, launch, core))
        try:
            sandbox, self._turn = await asyncio.shield(starting)
        except asyncio.CancelledError:
            (await starting)[0].kill()
            raise
        self._process = SandboxedProcess(sandbox, lambda verdict: "", on_exit)
        return self._process

    def _launch(self, launch: Callable[[], RunningSandbox], core: int) -> tuple[RunningSandbox, CoreTurn]:
        """Start the sandbox on a core. It blocks."""
        sandbox = launch()
        sandbox.freeze()
        turn = CoreTurn(sandbox, core)
        turn.begin()
        return sandbox, turn

    def _failure(self, finding: CheckFinding, *, has_said_hello: bool) -> ExaminationFailure:
        """Return the failure that this finding means. Raises `SandboxStartFailure` if the machine is to blame."""
        check, sentence = finding.check, finding.sentence
        assert self._process is not None and self._process.verdict is not None
        verdict = self._process.verdict
        output = "".join(f"\n| {line}" for line in last_lines(verdict))
        if verdict.end is SandboxEnd.START_FAILED:
            raise SandboxStartFailure(verdict.reason)
        if check is ESSENTIAL[0] and verdict.exit_code in NOT_EXECUTED:
            words = f"its program cannot be executed{missing_part(verdict)}{output}"
            return ExaminationFailure(HostingFault.START_FAILED, words)
        if verdict.end is SandboxEnd.KILLED:  # by us, so it ran when the check failed
            if not has_said_hello:
                words = f"{sentence}: it must dial ARENA_SERVER, a Unix socket here, and say hello"
                return ExaminationFailure(HostingFault.START_FAILED, words + output)
            words = f"check {check.name}: {sentence}. {check.advice}"
            return ExaminationFailure(HostingFault.EXAMINATION_FAILED, words + output)
        found = fault_of(verdict, self._limits)
        if found is None:
            raise SandboxStartFailure("the machine ended the bot")
        fault, words = found
        return ExaminationFailure(fault, f"{words}, in the check {check.name}: {check.what}{output}")

    def _facts_of(self, hello: Hello) -> HelloFacts:
        """Return the facts of a hello, as far as the manifest allows them."""
        try:
            read_hello(BotMessage(hello=hello).SerializeToString())
            presence = presence_of(hello, Identity(0, 0, "", 0, False, 0), "", GatewayLimits())
        except HelloRefused as refused:
            raise ExaminationFailure(HostingFault.EXAMINATION_FAILED, refused.refusal.message) from None
        stated = self._manifest
        if missing := sorted(set(stated.expansions) - set(presence.expansions)):
            raise ExaminationFailure(
                HostingFault.EXAMINATION_FAILED,
                f"bot.toml states the expansion {missing[0]!r}, and Hello.expansions does not: make both equal",
            )
        counts = tuple(count for count in presence.player_counts if count in (stated.player_counts or (count,)))
        if not counts:
            raise ExaminationFailure(
                HostingFault.EXAMINATION_FAILED,
                "bot.toml and Hello.player_counts have no number of players in common: make both equal",
            )
        return HelloFacts(
            sdk=presence.sdk,
            player_counts=counts,
            expansions=tuple(sorted(stated.expansions)),
            wants_legal=presence.wants_legal,
        )
