"""The bot as its author starts it: a process in its own group, with address and token in its environment."""

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
"""Number of the bot's last output lines that are kept."""
LAST_WORDS_S: Final = 1.0
"""Seconds for which the output of an ended process is awaited; its children may keep it open."""
LINE: Final = 64 * 1024
"""Maximum number of bytes of a line."""


class ExaminedProcess(Protocol):
    """A started bot."""

    @property
    def exit_code(self) -> int | None:
        """Exit code, or the negative signal number that ended it; `None` while it runs."""
        ...

    @property
    def output(self) -> tuple[str, ...]:
        """The last lines that it printed."""
        ...

    def forget_output(self) -> None:
        """Forget the output so far."""
        ...

    @property
    def pid(self) -> int | None:
        """Its process id, if it has one."""
        ...

    def terminate(self) -> None:
        """Send SIGTERM."""
        ...

    async def kill(self) -> None:
        """Kill it and everything that it started. Returns when it has ended."""
        ...


Starter = Callable[[str, str, Callable[[], None]], Awaitable[ExaminedProcess]]
"""Starts a bot; takes the server's address, a token, and a callback for the end of its process."""


def command_line(words: Sequence[str]) -> list[str]:
    """Return the command that starts a bot. `FILE.py` and `FILE.py:Class` are run by `arena bot run`."""
    if len(words) == 1 and is_python(words[0]):
        return [sys.executable, "-c", "from arena.cli import main; main()", "bot", "run", words[0]]
    return list(words)


def starter(words: Sequence[str]) -> Starter:
    """Return a function that starts the bot."""
    command = command_line(words)

    async def start(address: str, token: str, on_exit: Callable[[], None]) -> ExaminedProcess:
        return await ChildProcess.start(command, address, token, on_exit)

    return start


def is_python(word: str) -> bool:
    """Return whether this names a Python file, or a class in one."""
    return python_file(word).suffix == ".py"


def python_file(word: str) -> Path:
    """Return the file of `file.py` or `file.py:Class`."""
    file, colon, _ = word.partition(".py:")
    return Path(file + ".py" if colon else file)


class ChildProcess:
    """A bot in its own process."""

    def __init__(self, process: asyncio.subprocess.Process, on_exit: Callable[[], None]) -> None:
        self._process = process
        self._lines: deque[str] = deque(maxlen=LINES)
        self._exit_code: int | None = None
        self._reader = asyncio.create_task(self._read())
        self._waiter = asyncio.create_task(self._wait(on_exit))

    @classmethod
    async def start(
        cls, command: Sequence[str], address: str, token: str, on_exit: Callable[[], None]
    ) -> ExaminedProcess:
        """Start a command. Raises OSError if there is no such program."""
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
        """Exit code, or the negative signal number that ended it; `None` while it runs."""
        return self._exit_code

    @property
    def output(self) -> tuple[str, ...]:
        """The last lines that it printed."""
        return tuple(self._lines)

    def forget_output(self) -> None:
        """Forget the output so far."""
        self._lines.clear()

    @property
    def pid(self) -> int | None:
        """Its process id."""
        return self._process.pid

    def terminate(self) -> None:
        """Send SIGTERM to the whole group, as a terminal does."""
        self._signal(signal.SIGTERM)

    async def kill(self) -> None:
        """Kill it and everything that it started."""
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
