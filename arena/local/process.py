"""The process of a bot that is given as a command: its environment, its output, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO

FAREWELL_S = 2.0
"""Seconds in which a process must end when it is asked to."""
LAST_WORDS = 200
"""Maximum number of characters of its output in an error."""


def last_line(output: str) -> str:
    """Return the end of an output for an error: its last line, cut to `LAST_WORDS`; empty if there is none."""
    lines = output.strip().splitlines()
    return lines[-1].strip()[:LAST_WORDS] if lines else ""


class BotProcess:
    """A command in its own process group, which `kill` ends as a whole, except processes that begin their own
    session."""

    def __init__(
        self,
        words: Sequence[str],
        environment: dict[str, str],
        output: Path | None,
        ended: Callable[[], None],
        *,
        has_terminal: bool = False,
    ) -> None:
        """Start the command. Raises OSError if it cannot be started.

        - `output`: file for its output; by default the error output.
        - `ended`: called from another thread when the process has ended.
        - `has_terminal`: it shares our input and output, which a debugger in it needs.
        """
        self._output = output
        to: IO[bytes] | int = sys.stderr.fileno() if output is None else output.open("ab")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                words,
                env={**os.environ, **environment},
                stdin=None if has_terminal else subprocess.DEVNULL,
                stdout=None if has_terminal else to,
                stderr=to,
                start_new_session=True,  # Ctrl-C is handled by the parent process
            )
        finally:
            if not isinstance(to, int):
                to.close()
        self._ended = ended
        Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        self._process.wait()
        self._ended()

    @property
    def has_ended(self) -> bool:
        """Whether the started process has ended; others of its group may continue."""
        return self._process.poll() is not None

    def how_it_ended(self) -> str:
        """Describe its end, with the last line that it printed."""
        code = self._process.returncode
        how = f"exit code {code}" if code is None or code >= 0 else f"signal {signal.Signals(-code).name}"
        return f"{how}{self.last_words()}"

    def last_words(self) -> str:
        """Return the last line that it printed, and the file with the others."""
        if self._output is None:
            return ""
        with self._output.open("rb") as file:
            file.seek(max(0, self._output.stat().st_size - 8192))
            words = last_line(file.read().decode(errors="replace"))
        return f"; it printed last: {words} ({self._output})" if words else "; it printed nothing"

    def kill(self) -> None:
        """End the process and everything that it started: by SIGTERM, and by SIGKILL after two seconds."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(FAREWELL_S)
