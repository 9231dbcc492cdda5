"""A bot that plays the first legal action, one that waits at a gate, and a client that plays with them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from arena.bots import Bot, Client, End, Fault, Settings, View
from tests.kit.scripted_server import TOKEN, WAIT_S, Process, ScriptedServer


class First(Bot):
    """Plays the first legal action, and stores everything that it receives."""

    version = "7"
    told: ClassVar[list[tuple[str, Any]]] = []

    def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
        return legal[0]

    def match_started(self) -> None:
        self.told.append(("started", self.match))

    def match_ended(self, end: End) -> None:
        self.told.append(("ended", end))

    def match_aborted(self, reason: str, message: str) -> None:
        self.told.append(("aborted", reason))

    def fault(self, fault: Fault) -> None:
        self.told.append(("fault", fault))


class Gate:
    """A place where a bot's code waits until a test releases it."""

    def __init__(self, at: int = 1) -> None:
        self.asked: list[int] = []
        """Index of every request that the bot got."""
        self._at = at
        self._reached, self._open = threading.Event(), threading.Event()

    def bot(self) -> type[First]:
        """Return a bot class that waits here from its `at`th decision on."""
        gate = self

        class Waiting(First):
            def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
                gate.asked.append(self.ask.index)
                if len(gate.asked) >= gate._at:
                    gate._reached.set()
                    gate._open.wait(2 * WAIT_S)
                return super().choose(view, legal)

        return Waiting

    async def reached(self) -> None:
        assert await asyncio.to_thread(self._reached.wait, WAIT_S)

    def open(self) -> None:
        self._open.set()


@asynccontextmanager
async def playing(
    bot: type[Bot], server: ScriptedServer, name: str = "p", matches: int = 100
) -> AsyncIterator[tuple[Client, Process]]:
    """Yield a client that has said hello. It leaves at the end, which must end it."""
    client = Client(bot, Settings(server.address, TOKEN, name, matches))
    task = asyncio.create_task(client.run())
    try:
        streams = server.processes[name].streams if name in server.processes else 0
        yield client, await server.process(name, streams=streams + 1)
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
    finally:
        task.cancel()
