"""The interface of a check: the bot's process, the server that it connects to, and matches with it."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from arena.doctor.errors import Failed, Skipped
from arena.doctor.match import DoctorMatch
from arena.doctor.process import ExaminedProcess, Starter
from arena.doctor.server import LIMITS, SOON_S, BotServer, Countdown
from arena.doctor.situations import DoctorLine, Situation
from arena.referee import Clock
from arena.rules import Ruleset
from arena.rules.components import CAMELS, EXPANSIONS
from arena.wire.v1.bot_pb2 import Hello, ServerMessage

START_S: Final = 30.0
"""Seconds in which a bot must connect after its start."""
BACK_S: Final = 15.0
"""Seconds in which a bot must reconnect after it has lost its stream."""


class Session:
    """A bot under examination. All methods that wait raise `Failed` with a sentence on a timeout."""

    def __init__(self, server: BotServer, start: Starter) -> None:
        self.server = server
        self.process: ExaminedProcess | None = None
        self._start = start
        server.check_alive = self.check_alive
        self.expects_end = False
        """Whether the bot's process may end now."""
        self.first_hellos: list[Hello] = []
        """The first hello of each process that was started."""
        self._matches = 0

    # --- the bot ---

    @property
    def hello(self) -> Hello:
        """The last hello."""
        return self.server.hello

    async def connected(self) -> Hello:
        """Start the bot if it does not run, wait for its stream, and return its hello."""
        is_new = self.process is None
        if is_new:
            await self.start()
        wait = START_S if is_new else BACK_S
        await self.server.until(
            lambda: self.server.stream, wait, f"it has not connected and said hello within {wait:g} seconds"
        )
        if is_new:
            self.first_hellos.append(self.hello)
        return self.hello

    async def start(self) -> None:
        """Start the bot. Raises OSError if there is no such program."""
        self.process = await self._start(self.server.address, self.server.token, self.server.tell_change)

    async def back(self) -> Hello:
        """Wait until the bot has reconnected, and return its hello."""
        await self.server.until(lambda: self.server.stream, BACK_S, f"it has not reconnected within {BACK_S:g} seconds")
        return await self.connected()

    async def stop(self) -> None:
        """Kill the bot."""
        if self.process is not None:
            await self.process.kill()
            self.process = None
        if (stream := self.server.stream) is not None:
            stream.is_welcome = False

    async def restart(self) -> Hello:
        """Kill the bot and start it again."""
        await self.stop()
        return await self.connected()

    def check_alive(self) -> None:
        """Raise `Failed` if the bot's process has ended by itself, or has exceeded a limit of its stream."""
        if (excess := self.server.excess) is not None:
            raise Failed(f"its stream was ended with {excess.reason}: {excess.message}")
        code = None if self.process is None or self.expects_end else self.process.exit_code
        if code is not None:
            raise Failed(f"its process has ended, {_how_it_ended(code)}")

    # --- waiting ---

    async def quiet(self, seconds: float) -> None:
        """Let some time pass. Raises `Failed` if the bot's process ends meanwhile."""
        remaining = Countdown(seconds, self.server.clock)
        while remaining.seconds:
            await self.server.wait_for_change(remaining.seconds)
            self.check_alive()

    async def pong(self, seconds: float = SOON_S) -> None:
        """Ping the bot and wait for its pong."""
        ping = self.server.ping()
        await self.server.until(
            lambda: any(message.pong.id == ping for message in self.server.heard[-100:] if message.HasField("pong")),
            seconds,
            f"it has not answered a ping within {seconds:g} seconds",
        )

    def send(self, message: ServerMessage) -> None:
        """Send a message to the bot."""
        self.server.send(message)

    # --- matches ---

    @property
    def places(self) -> int:
        """Number of matches that it plays at the same time."""
        return min(self.hello.max_matches, LIMITS.max_matches)

    @property
    def expansions(self) -> tuple[str, ...]:
        """The expansions that it plays with."""
        return tuple(name for name in EXPANSIONS if name in self.hello.expansions)

    @property
    def player_counts(self) -> list[int]:
        """The numbers of players that it plays with, in ascending order."""
        counts = sorted(set(self.hello.player_counts) & set(CAMELS)) or sorted(CAMELS)
        return [count for count in counts if count < max(CAMELS) or self.expansions] or counts

    def ruleset(self, expansions: Sequence[str] = (), players: int | None = None) -> Ruleset:
        """Return a ruleset that the bot plays, with these expansions and players if given.

        Raises `Skipped` if the bot does not play it.
        """
        if missing := set(expansions) - set(self.expansions):
            raise Skipped(f"it does not play with {' and '.join(sorted(missing))}")
        if players is not None and players not in self.player_counts:
            raise Skipped(f"it does not play with {players} players")
        number = players or self.player_counts[0]
        if number == max(CAMELS) and not expansions:
            expansions = self.expansions[:1]  # five players need an expansion
        return Ruleset(number, tuple(sorted(expansions)))

    def match(
        self, line: DoctorLine | None = None, *, ruleset: Ruleset | None = None, clock: Clock | None = None
    ) -> DoctorMatch:
        """Return a new match that continues from a position, or begins with the set-up. It is not offered yet."""
        self._matches += 1
        return DoctorMatch(
            self.server, f"doctor-{self._matches}", line=line, ruleset=ruleset or self.ruleset(), clock=clock or Clock()
        )

    async def open_match(self, situation: Situation, *, clock: Clock | None = None) -> DoctorMatch:
        """Return a match that has reached a situation, where the bot is to be asked."""
        ruleset = self.ruleset(situation.expansions)
        match = self.match(situation.line(ruleset), ruleset=ruleset, clock=clock)
        await match.begin()
        return match

    # --- between two checks ---

    async def tidy_up(self) -> None:
        """Abort all matches and undo a check's changes. Raises `Failed` if the bot's process has ended by itself."""
        self.server.refusal = None
        self.server.delay_s = 0.0
        self.server.forget_excess()
        for match in list(self.server.running.values()):
            match.abort()
        if self.server.stream is not None:
            try:
                await self.pong()  # wait, so that the effect of a message is blamed on the check that sent it
            except Failed:
                self.check_alive()

    async def take_output(self) -> tuple[str, ...]:
        """Return the last lines that the bot printed since the last call. A process that has ended is forgotten."""
        if self.process is None:
            return ()
        output = self.process.output
        self.process.forget_output()
        if self.process.exit_code is not None:
            await self.stop()
        return output


def _how_it_ended(code: int) -> str:
    return f"by signal {-code}" if code < 0 else f"with exit code {code}"


@asynccontextmanager
async def open_session(
    start: Starter,
    socket: Path | None = None,
    patience: float = 1.0,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Session]:
    """Yield a session with a bot that is not started yet, and kill the bot at the end.

    `socket`, `patience` and `clock` are those of `BotServer`.
    """
    async with BotServer("naqala_doctor_" + secrets.token_hex(16), socket, patience, clock) as server:
        session = Session(server, start)
        try:
            yield session
        finally:
            await session.stop()
