"""The process of a bot that is given as a command: its environment, what it prints, its end."""

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
"""How long a process has to end when it is asked to."""
LAST_WORDS = 200
"""Characters of its output in an error."""


class BotProcess:
    """A command in a process group of its own, which `kill` ends as a whole: not what begins a session of its own."""

    def __init__(
        self,
        words: Sequence[str],
        environment: dict[str, str],
        output: Path | None,
        ended: Callable[[], None],
        *,
        has_terminal: bool = False,
    ) -> None:
        """`output`: what it prints goes there, else to the error output; `has_terminal`: it reads from and writes to
        what we do, as a debugger in it must. `ended` is called from another thread.

        `OSError` if it cannot be started."""
        self._output = output
        to: IO[bytes] | int = sys.stderr.fileno() if output is None else output.open("ab")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own command
                words,
                env={**os.environ, **environment},
                stdin=None if has_terminal else subprocess.DEVNULL,
                stdout=None if has_terminal else to,
                stderr=to,
                start_new_session=True,  # Ctrl-C is for who started it
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
        """Whether the process that was started has ended; others of its group may go on."""
        return self._process.poll() is not None

    def how_it_ended(self) -> str:
        """In words, with what it printed last."""
        code = self._process.returncode
        how = f"exit code {code}" if code is None or code >= 0 else f"signal {signal.Signals(-code).name}"
        return f"{how}{self.last_words()}"

    def last_words(self) -> str:
        """The last line that it printed, and where the others are."""
        if self._output is None:
            return ""
        with self._output.open("rb") as file:
            file.seek(max(0, self._output.stat().st_size - 8192))
            lines = file.read().decode(errors="replace").strip().splitlines()
        said = f"it printed last: {lines[-1].strip()[:LAST_WORDS]}" if lines else "it printed nothing"
        return f"; {said} ({self._output})" if lines else f"; {said}"

    def kill(self) -> None:
        """End it and all that it started: at its own pace within two seconds, or at once after that."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(FAREWELL_S)
