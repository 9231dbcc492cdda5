"""A bot in its own process on this machine, with the same messages as at a gateway.

Each bot has a process because two versions of a bot have files of the same names. It also keeps bots from reaching or
blocking each other and the referee. The bot's output goes to the error output.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread

from arena.bots.bot import Bot
from arena.bots.loading import version_of
from arena.bots.matches import Matches
from arena.bots.process import configure_logs
from arena.local.competitor import Announced, AskTime, BotLost, CompetitorEvent, MessageReceived, NotStarted
from arena.wire.v1.bot_pb2 import BotMessage, ServerMessage

START_S = 60.0


class PythonBot:
    """The bot that `load` returns. `load` is called in the bot's process, where it must be importable by name."""

    def __init__(self, name: str, load: Callable[[], type[Bot]]) -> None:
        self._name = name
        self._load = load
        self._lock = Lock()
        self._on_event: Callable[[CompetitorEvent], None] | None = None
        self._has_ended = self._is_closed = False
        self._asked_ns = 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(self._load, theirs))
        self._process.start()
        theirs.close()

    def ready(self) -> None:
        """Wait until its file is loaded. Raises `NotStarted`."""
        try:
            if not self._connection.poll(START_S):
                raise NotStarted(f"{self._name}: it has not started within {START_S:g} seconds")
            hello: Announced | str = self._connection.recv()
        except (EOFError, OSError):
            raise NotStarted(f"{self._name}: its process ended while its file was loaded") from None
        if isinstance(hello, str):
            raise NotStarted(f"{self._name}: {hello}")
        self._hello = hello
        Thread(target=self._read, args=(self._connection,), daemon=True).start()

    @property
    def hello(self) -> Announced:
        """The facts that it announces about itself."""
        return self._hello

    def enter(self, match: str, on_event: Callable[[CompetitorEvent], None]) -> None:
        """Begin a match."""
        with self._lock:
            self._on_event = on_event
            if self._has_ended:
                on_event(_ENDED)

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Send a message."""
        if ask is not None:
            self._asked_ns = time.monotonic_ns()
        with suppress(OSError):  # OSError: its end is reported, too
            self._connection.send_bytes(message)

    def ask_time(self, match: str = "") -> AskTime:
        """Return the time that it has had for its pending ask."""
        return AskTime(time.monotonic_ns() - self._asked_ns)

    def leave(self, match: str) -> None:
        """End a match."""
        with self._lock:
            self._on_event = None

    def renew(self) -> None:
        """Restart it in another process. Raises `NotStarted`."""
        self._stop()
        with self._lock:
            if self._is_closed:
                raise NotStarted(f"{self._name}: it was stopped")
            self._has_ended = False
            self._start()
        self.ready()

    def close(self) -> None:
        """End the process for good."""
        with self._lock:
            self._is_closed = True
        self._stop()

    def _stop(self) -> None:
        assert self._process.pid
        with suppress(ProcessLookupError, PermissionError):  # it has no group of its own yet, or has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()

    def _read(self, connection: Connection) -> None:
        with connection:
            while True:
                try:
                    event: CompetitorEvent = MessageReceived(connection.recv_bytes(), self.ask_time())
                except (EOFError, OSError):
                    event = _ENDED
                with self._lock:
                    if connection is not self._connection:
                        return
                    self._has_ended |= event is _ENDED
                    if self._on_event is not None:
                        self._on_event(event)
                if event is _ENDED:
                    return


_ENDED = BotLost("its process has ended", is_final=True)


def _run(load: Callable[[], type[Bot]], connection: Connection) -> None:
    os.setsid()  # Ctrl-C is handled by the parent process, and everything the bot starts ends with it
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    configure_logs(is_quiet=True)
    with suppress(OSError):  # OSError: the parent process has ended
        try:
            bot = load()
        except Exception as error:  # noqa: BLE001 - reported to the parent process
            connection.send(str(error) or type(error).__name__)
            return
        connection.send(Announced(version_of(bot), tuple(bot.player_counts), tuple(bot.expansions), bot.wants_legal))
        asyncio.run(_play(bot, connection))


async def _play(bot: type[Bot], connection: Connection) -> None:
    def send(message: BotMessage) -> None:
        connection.send_bytes(message.SerializeToString())

    matches, loop = Matches(bot, 1, send), asyncio.get_running_loop()
    while True:
        try:
            payload = await loop.run_in_executor(None, connection.recv_bytes)
        except EOFError:
            return
        matches.take(ServerMessage.FromString(payload))
