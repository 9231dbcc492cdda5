"""A bad network between bots and a gateway: data is delayed at random, stopped, or cut."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType
from typing import Self

CHUNK = 65_536


class BadNetwork:
    """A context manager that listens on `network.port` and forwards everything to a port of this machine.

    Each piece is delayed by a random time from 0 to `jitter_s`, in both directions. Pieces keep their order, as in
    TCP.
    """

    def __init__(self, port: int, *, jitter_s: float, seed: int) -> None:
        self.port = 0
        self.jitter_s = jitter_s
        self._target = port
        self._chance = random.Random(seed)
        self._writers: set[asyncio.StreamWriter] = set()
        self._open = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._ready = Event()
        self._thread = Thread(target=self._run, name="bad network", daemon=True)

    def stand_still(self, is_still: bool) -> None:
        """Stop forwarding, or continue with the waiting data."""
        self._loop.call_soon_threadsafe(self._open.clear if is_still else self._open.set)

    def cut(self) -> None:
        """Cut all connections."""
        self._loop.call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._open.set()
        self._ready.set()
        self._loop.run_forever()
        self._abort()
        server.close()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # no server listens there now
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        try:
            await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        except asyncio.CancelledError:  # the end of the network; a server's own tasks report it
            pass
        finally:
            for each in (writer, back):
                self._writers.discard(each)
                each.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward data until one side ends, then cut the other side."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def read() -> None:
            due = 0.0
            with suppress(OSError):
                while piece := await reader.read(CHUNK):
                    due = max(due, self._loop.time() + self._chance.uniform(0, self.jitter_s))
                    pieces.put_nowait((due, piece))
            pieces.put_nowait((due, b""))

        reading = asyncio.create_task(read())
        try:
            while True:
                due, piece = await pieces.get()
                await asyncio.sleep(max(0.0, due - self._loop.time()))
                await self._open.wait()
                if not piece:
                    break
                writer.write(piece)
        finally:
            reading.cancel()
            writer.transport.abort()
