"""A bot in a process of its own on this machine, which hears and says what it would hear from and say to a gateway.

A process for each bot, because two versions of one bot have files of the same names, and so that neither can reach, or
keep, the other or the referee. What it prints goes to the error output.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple

from arena.bots.bot import Bot, version_of
from arena.bots.matches import Matches
from arena.bots.process import configure_logs
from arena.wire.v1.bot_pb2 import BotMessage, ServerMessage

START_S = 60.0


class Hello(NamedTuple):
    """What a bot says of itself."""

    version: str
    player_counts: tuple[int, ...]
    expansions: tuple[str, ...]
    wants_legal: bool
    error: str = ""
    """Why it cannot be loaded."""


class BotGone(Exception):
    """The bot's process has ended."""


class BotNotLoaded(Exception):
    """The bot's file cannot be used; the message says why."""


class LocalBot:
    """The bot that `load` returns; that is called in the bot's process, and must be known by name there."""

    def __init__(self, load: Callable[[], type[Bot]]) -> None:
        self._load = load
        self._is_closed = False
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(self._load, theirs), daemon=True)
        self._process.start()
        theirs.close()
        try:
            if not self._connection.poll(START_S):
                raise BotNotLoaded(f"it has not started within {START_S:g} seconds")
            self.hello: Hello = self._connection.recv()
        except (EOFError, OSError):
            raise BotNotLoaded("its process ended while it was loaded") from None
        if self.hello.error:
            raise BotNotLoaded(self.hello.error)

    def plays(self, players: int, expansions: tuple[str, ...]) -> bool:
        """Whether it says that it plays this game."""
        counts = self.hello.player_counts
        return (not counts or players in counts) and set(expansions) <= set(self.hello.expansions)

    def send(self, message: bytes) -> None:
        """Tell it something: a `ServerMessage`. `BotGone`."""
        try:
            self._connection.send_bytes(message)
        except OSError:
            raise BotGone from None

    def receive(self, seconds: float) -> bytes | None:
        """The next `BotMessage`, None if there was none in this time. `BotGone`."""
        try:
            return self._connection.recv_bytes() if self._connection.poll(max(0.0, seconds)) else None
        except (EOFError, OSError):
            raise BotGone from None

    def restart(self) -> None:
        """Begin anew, in another process. `BotNotLoaded`."""
        if not self._is_closed:
            self._stop()
            self._start()

    def close(self) -> None:
        """End the process, for good."""
        self._is_closed = True
        self._stop()

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def _run(load: Callable[[], type[Bot]], connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started it, and ends this process
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    configure_logs(is_quiet=True)
    with suppress(OSError):  # who started it has gone
        try:
            bot = load()
        except Exception as error:  # noqa: BLE001 - told to who started it
            connection.send(Hello("", (), (), wants_legal=True, error=str(error) or type(error).__name__))
            return
        connection.send(Hello(version_of(bot), tuple(bot.player_counts), tuple(bot.expansions), bot.wants_legal))
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
