"""A competitor that dials in at the local gateway: a command that is started for it, or a process started by hand."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from pathlib import Path
from threading import Lock

from arena.gateway.errors import HelloRefused
from arena.local.competitor import Announced, Had, Heard, NotStarted
from arena.local.gateway import LocalGateway
from arena.local.process import BotProcess
from arena.local.sessions import Session


def new_token() -> str:
    """A token for one competitor."""
    return f"local_{secrets.token_hex(12)}"


class DialledBot:
    """A process started by hand, which says hello with this token; it may play at several tables."""

    def __init__(self, name: str, gateway: LocalGateway, token: str, wait_s: float) -> None:
        self._name = name
        self._gateway = gateway
        self._token = token
        self._wait_s = wait_s
        self._lock = Lock()
        self._is_closed = False
        self._seat: Future[Session] | None = None
        self._await()

    def _await(self) -> None:
        self._seat = self._gateway.seat(self._token, self._name)

    @property
    def hello(self) -> Announced:
        """What it says of itself."""
        return self._session.announced

    def ready(self) -> None:
        """Wait until it has said hello. `NotStarted`."""
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

    def enter(self, match: str, hear: Callable[[Heard], None]) -> None:
        """The match begins."""
        self._gateway.call(self._session.enter, match, hear)

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Tell it something."""
        self._gateway.call(self._session.send, match, message, ask)

    def had(self, match: str) -> Had:
        """What it has had of its pending ask."""
        return self._session.had(match)

    def leave(self, match: str) -> None:
        """The match is over."""
        self._gateway.call(self._session.leave, match)

    def renew(self) -> None:
        """Wait for it to be back. `NotStarted`."""
        if self._session.is_here:
            return
        self._gateway.call(self._gateway.free, self._session)
        self._await()
        self.ready()

    def close(self) -> None:
        """Wait for it no more."""
        with self._lock:
            self._is_closed = True
        if self._seat is not None:
            self._seat.cancel()


class CommandBot(DialledBot):
    """A command, which finds address and token in its environment: one process, at one table."""

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
        self._process: BotProcess | None = None
        super().__init__(name, gateway, "", wait_s)

    def _await(self) -> None:
        self._token = new_token()  # a former process of the command cannot come back with it
        super()._await()
        with self._lock:
            if self._is_closed:
                raise NotStarted(f"{self._name}: it was stopped")
            environment = {"ARENA_SERVER": self._gateway.address, "ARENA_TOKEN": self._token}
            try:
                ended = partial(self._gateway.call, _tell_end, self._seat)  # this seat, whoever awaits another one then
                self._process = BotProcess(
                    self._words, environment, self._output, ended, has_terminal=self._has_terminal
                )
            except OSError as error:
                raise NotStarted(f"{self._name}: cannot start {self._words[0]}: {error.strerror}") from None

    def _absence(self) -> str:
        assert self._process is not None
        return (
            f"its program runs and has not said hello within {self._wait_s:g} seconds: it is to dial ARENA_SERVER"
            f" with ARENA_TOKEN{self._refused()}{self._process.last_words()}; --wait gives it longer"
        )

    def _end(self) -> str:
        if self._is_closed or self._process is None:
            return super()._end()
        how = self._process.how_it_ended()
        hint = "; a Python file without arena.bots.run is named alone, without python" if "exit code 0" in how else ""
        return f"its process ended before it said hello{self._refused()}: {how}{hint}"

    def renew(self) -> None:
        """Start it again. `NotStarted`."""
        self._kill()
        self._await()
        self.ready()

    def close(self) -> None:
        """End the process, and all that it started."""
        super().close()
        self._kill()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()


def _tell_end(seat: Future[Session] | None) -> None:
    """In the gateway's thread: nobody takes this seat any more, or who took it is gone."""
    if seat is not None and not seat.cancel() and seat.exception() is None:
        seat.result().end()
