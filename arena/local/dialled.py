"""A competitor that connects to the local gateway: a program that is started for it, or a process that the user
starts."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

from arena.gateway.errors import HelloRefused
from arena.local.competitor import Announced, AskTime, CompetitorEvent, NotStarted
from arena.local.gateway import LocalGateway
from arena.local.process import BotProcess
from arena.local.sessions import LocalSession


def new_token() -> str:
    """Return a new token for one competitor."""
    return f"local_{secrets.token_hex(12)}"


class DialledBot:
    """A process that the user starts and that says hello with this token; it may play at several tables."""

    def __init__(self, name: str, gateway: LocalGateway, token: str, wait_s: float) -> None:
        self._name = name
        self._gateway = gateway
        self._token = token
        self._wait_s = wait_s
        self._lock = Lock()
        self._is_closed = False
        self._seat: Future[LocalSession] | None = None
        self._await()

    def _await(self) -> None:
        self._seat = self._gateway.seat(self._token, self._name)

    @property
    def hello(self) -> Announced:
        """The facts that it announces about itself."""
        return self._session.announced

    def ready(self) -> None:
        """Wait until it has said hello. Raises `NotStarted`."""
        assert self._seat is not None
        try:
            self._session = self._seat.result(self._wait_s)
        except TimeoutError:
            self._seat.cancel()
            raise NotStarted(f"{self._name}: {self._absence()}") from None
        except HelloRefused as refused:
            raise NotStarted(f"{self._name}: its hello was refused: {refused.refusal.message}") from None
        except CancelledError:
            raise NotStarted(f"{self._name}: {self._end()}") from None

    def _absence(self) -> str:
        return (
            f"no bot has said hello within {self._wait_s:g} seconds with a free place for a match"
            f" (Hello.max_matches){self._refused()}; --wait gives it longer"
        )

    def _end(self) -> str:
        return "it was stopped"

    def _refused(self) -> str:
        return f"; a hello was refused: {self._gateway.refused}" if self._gateway.refused else ""

    def enter(self, match: str, on_event: Callable[[CompetitorEvent], None]) -> None:
        """Begin a match."""
        self._gateway.call(self._session.enter, match, on_event)

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Send a message."""
        self._gateway.call(self._session.send, match, message, ask)

    def ask_time(self, match: str) -> AskTime:
        """Return the time that it has had for its pending ask."""
        return self._session.ask_time(match)

    def leave(self, match: str) -> None:
        """End a match."""
        self._gateway.call(self._session.leave, match)

    def renew(self) -> None:
        """Wait until it is connected again. Raises `NotStarted`."""
        if self._session.is_here:
            return
        self._gateway.call(self._gateway.release_table, self._session)
        self._await()
        self.ready()

    def close(self) -> None:
        """Stop waiting for it."""
        with self._lock:
            self._is_closed = True
        if self._seat is not None:
            self._seat.cancel()


class StartedProgram(Protocol):
    """A program that was started for a table."""

    def how_it_ended(self) -> str:
        """Describe its end, with the last line that it printed."""

    def last_words(self) -> str:
        """Return the last line that it printed, for the end of a sentence."""

    def kill(self) -> None:
        """End it, with everything that it started."""


class ProgramBot(DialledBot, ABC):
    """A program that finds address and token in its environment: one process, at one table."""

    def __init__(self, name: str, gateway: LocalGateway, wait_s: float) -> None:
        self._process: StartedProgram | None = None
        super().__init__(name, gateway, "", wait_s)

    @abstractmethod
    def _launch(self, token: str, ended: Callable[[], None]) -> StartedProgram:
        """Start the program. `ended` is called when its process has ended. Raises `NotStarted`."""

    def _await(self) -> None:
        self._token = new_token()  # a previous process of the command cannot connect with it
        super()._await()
        with self._lock:
            if self._is_closed:
                raise NotStarted(f"{self._name}: it was stopped")
            # for this seat, even if another one is awaited by then
            ended = partial(self._gateway.call, _tell_end, self._seat)
            self._process = self._launch(self._token, ended)

    def _absence(self) -> str:
        assert self._process is not None
        return (
            f"its program runs but has not said hello within {self._wait_s:g} seconds: it must connect to ARENA_SERVER"
            f" with ARENA_TOKEN{self._refused()}{self._process.last_words()}; --wait gives it longer"
        )

    def _end(self) -> str:
        if self._is_closed or self._process is None:
            return super()._end()
        how = self._process.how_it_ended()
        hint = (
            "; to play a Python file without arena.bots.run, name the file alone, without python"
            if "exit code 0" in how
            else ""
        )
        return f"its process ended before it said hello{self._refused()}: {how}{hint}"

    def renew(self) -> None:
        """Restart it. Raises `NotStarted`."""
        self._kill()
        self._await()
        self.ready()

    def close(self) -> None:
        """Stop the process and everything that it started."""
        super().close()
        self._kill()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()


class CommandBot(ProgramBot):
    """A command that is started as it is."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        gateway: LocalGateway,
        wait_s: float,
        output: Path | None,
        *,
        has_terminal: bool = False,
    ) -> None:
        self._words = words
        self._has_terminal = has_terminal
        self._output = output
        super().__init__(name, gateway, wait_s)

    def _launch(self, token: str, ended: Callable[[], None]) -> BotProcess:
        environment = {"ARENA_SERVER": self._gateway.address, "ARENA_TOKEN": token}
        try:
            return BotProcess(self._words, environment, self._output, ended, has_terminal=self._has_terminal)
        except OSError as error:
            raise NotStarted(f"{self._name}: cannot start {self._words[0]}: {error.strerror}") from None


def _tell_end(seat: Future[LocalSession] | None) -> None:
    """Cancel a seat that nobody takes any more, or end the session that took it. Runs in the gateway's thread."""
    if seat is not None and not seat.cancel() and seat.exception() is None:
        seat.result().end()
