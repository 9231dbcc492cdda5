"""The bot as its author starts it: a process, in a group of its own, that is told address and token."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

LINES: Final = 15
"""So many of the last lines that a bot prints are kept."""
LAST_WORDS_S: Final = 1.0
"""How long the output of a process that has ended is waited for: what it has started may keep it open."""
LINE: Final = 64 * 1024
"""Bytes of a line."""


class Process(Protocol):
    """A bot that was started."""

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for the number of the signal that has ended it."""
        ...

    @property
    def output(self) -> tuple[str, ...]:
        """The last lines that it has printed."""
        ...

    def forget_output(self) -> None:
        """Keep only what it prints from now on."""
        ...

    @property
    def pid(self) -> int | None:
        """The number of its process, if it has one."""
        ...

    def terminate(self) -> None:
        """Tell it to end (SIGTERM)."""
        ...

    async def kill(self) -> None:
        """End it and all that it has started; returns when it has ended."""
        ...


Starter = Callable[[str, str, Callable[[], None]], Awaitable[Process]]
"""Starts a bot: address of the server, token, what to call when its process ends."""


def command_line(words: Sequence[str]) -> list[str]:
    """What starts a bot: `FILE.py` and `FILE.py:Class` are run by `arena bot run`, anything else is a command."""
    if len(words) == 1 and is_python(words[0]):
        return [sys.executable, "-c", "from arena.cli import main; main()", "bot", "run", words[0]]
    return list(words)


def starter(words: Sequence[str]) -> Starter:
    """How a bot is started."""
    command = command_line(words)

    async def start(address: str, token: str, on_exit: Callable[[], None]) -> Process:
        return await ChildProcess.start(command, address, token, on_exit)

    return start


def is_python(word: str) -> bool:
    """Whether this names a Python file, or a class in one."""
    return python_file(word).suffix == ".py"


def python_file(word: str) -> Path:
    """The file of `file.py` and `file.py:Class`."""
    file, colon, _ = word.partition(".py:")
    return Path(file + ".py" if colon else file)


class ChildProcess:
    """A bot in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, on_exit: Callable[[], None]) -> None:
        self._process = process
        self._lines: deque[str] = deque(maxlen=LINES)
        self._exit_code: int | None = None
        self._reader = asyncio.create_task(self._read())
        self._waiter = asyncio.create_task(self._wait(on_exit))

    @classmethod
    async def start(cls, command: Sequence[str], address: str, token: str, on_exit: Callable[[], None]) -> Process:
        """Start a command. `OSError` if there is no such program."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "ARENA_SERVER": address, "ARENA_TOKEN": token},
            start_new_session=True,
            limit=LINE,
        )
        return cls(process, on_exit)

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for the number of the signal that has ended it."""
        return self._exit_code

    @property
    def output(self) -> tuple[str, ...]:
        """The last lines that it has printed."""
        return tuple(self._lines)

    def forget_output(self) -> None:
        """Keep only what it prints from now on."""
        self._lines.clear()

    @property
    def pid(self) -> int | None:
        """The number of its process."""
        return self._process.pid

    def terminate(self) -> None:
        """Tell it to end: as a terminal does, with all that it has started."""
        self._signal(signal.SIGTERM)

    async def kill(self) -> None:
        """End it and all that it has started."""
        self._signal(signal.SIGKILL)
        await self._process.wait()
        self._reader.cancel()
        self._waiter.cancel()
        await asyncio.gather(self._reader, self._waiter, return_exceptions=True)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    async def _wait(self, on_exit: Callable[[], None]) -> None:
        code = await self._process.wait()
        await asyncio.wait({self._reader}, timeout=LAST_WORDS_S)
        self._exit_code = code
        on_exit()

    async def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # a line beyond the limit, which is dropped
                continue
            if not line:
                return
            self._lines.append(line.decode(errors="replace").rstrip())
