"""The bot service for one bot, with a script instead of an arena. It keeps the messages of the bot, in order.

The bot may be hostile, because the runner examines submissions with this server. Its messages are limited as at the
gateway.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

import grpc
import grpc.aio

from arena.doctor.errors import Failed
from arena.gateway.errors import TOO_MANY_MESSAGES, TOO_MANY_STREAMS, GatewayRefusal, too_large
from arena.gateway.limits import ONE_BOT_OPTIONS, GatewayLimits
from arena.host.limiters import Bucket
from arena.rules import RULES
from arena.wire.service import PROTOCOL, add_bot_service
from arena.wire.v1.bot_pb2 import BotMessage, Error, Hello, Limits, Ping, ServerMessage, Welcome

LIMITS: Final = GatewayLimits()
SOON_S: Final = 5.0
"""Seconds for anything that needs no thinking."""
SESSION: Final = "doctor"
OPTIONS: Final = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", LIMITS.transport_message_bytes),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    *ONE_BOT_OPTIONS,
]
MOST_HEARD: Final = 20_000
"""Maximum number of messages that are kept."""
MOST_HEARD_BYTES: Final = 8 * 1024 * 1024
"""Maximum size of all messages that are kept, as they were sent."""
CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
T = TypeVar("T")
Context = grpc.aio.ServicerContext[BotMessage, ServerMessage]


class Running(Protocol):
    """A match that the server knows."""

    def hear(self, message: BotMessage) -> None:
        """Handle a message of the bot about this match."""
        ...

    def resumption(self) -> list[ServerMessage]:
        """Return the messages that resume the match after a lost stream."""
        ...

    def abort(self) -> None:
        """Abort the match."""
        ...


@dataclass(eq=False)
class DoctorStream:
    """One stream of the bot."""

    opened_at: float
    """Time by `time.monotonic()`."""
    hello: Hello | None = None
    """`None` until the bot has said hello on the stream."""
    is_open: bool = True
    is_leaving: bool = False
    is_welcome: bool = False
    """Whether messages can be sent on it: after its hello, until its end is written."""
    answers_due: int = 1
    """Messages that the bot may send in answer to others; at first, its hello."""
    outbox: asyncio.Queue[tuple[float, ServerMessage | Error]] = field(default_factory=asyncio.Queue)


class BotServer:
    """A context manager that listens on `server.address`: a free port of this machine, or a Unix socket."""

    def __init__(
        self,
        token: str,
        socket: Path | None = None,
        patience: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`patience` is a factor on all times for which it waits. `clock` returns the seconds that count for the bot.
        It stands still while the bot is frozen.
        """
        self.token = token
        self.patience = patience
        self.clock = clock
        self._socket = socket
        self.address = "127.0.0.1:0" if socket is None else f"unix:{socket}"
        self.streams: list[DoctorStream] = []
        """All streams that the bot has opened, oldest first."""
        self.heard: list[BotMessage] = []
        self._heard_bytes = 0
        self.excess: GatewayRefusal | None = None
        """The limit that the bot has exceeded, if it has. Its stream has ended then."""
        self._unasked = Bucket(
            LIMITS.max_messages_per_second * LIMITS.flood_window_s,
            LIMITS.max_messages_per_second,
            time.monotonic_ns(),
        )
        """Streams, and messages that answer nothing."""
        self.running: dict[str, Running] = {}
        self.refusal: Error | None = None
        """The error that answers hellos, if they are to be refused."""
        self.delay_s = 0.0
        """Delay of every message in both directions."""
        self.hello = Hello()
        """The last hello."""
        self.check_alive: Callable[[], None] = lambda: None
        """Raises `Failed` if the bot's process has ended."""
        self._pings = 0
        self._waiters: list[asyncio.Future[None]] = []
        self._server: grpc.aio.Server | None = None
        self._former: set[asyncio.Task[Any]] = set()
        """Tasks that ran in the event loop before this server."""

    async def __aenter__(self) -> Self:
        self._former = asyncio.all_tasks()
        self._server = grpc.aio.server(options=OPTIONS)
        add_bot_service(self, self._server)
        port = self._server.add_insecure_port(self.address)
        if self._socket is None:
            self.address = f"127.0.0.1:{port}"
        else:
            self._socket.chmod(0o666)  # the sandbox may have a user of its own
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        await self._server.stop(grace=0)
        # gRPC does not wait for the tasks around its calls. If the end of the event loop cancels one, gRPC prints a
        # traceback.
        if running := asyncio.all_tasks() - self._former - {asyncio.current_task()}:
            await asyncio.wait(running, timeout=SOON_S)

    # --- for checks ---

    @property
    def stream(self) -> DoctorStream | None:
        """The stream on which messages can be sent."""
        return next((stream for stream in reversed(self.streams) if stream.is_open and stream.is_welcome), None)

    def tell_change(self) -> None:
        """Wake everything that waits for a change."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def until(self, condition: Callable[[], T | None], seconds: float, otherwise: str) -> T:
        """Return the result of `condition` as soon as it is true. Raises `Failed` with the sentence `otherwise` on a
        timeout."""
        remaining = Countdown(seconds * self.patience, self.clock)
        while not (result := condition()):
            self.check_alive()
            if not remaining.seconds:  # even if changes keep coming
                raise Failed(otherwise)
            await self.wait_for_change(remaining.seconds)
        return result

    async def wait_for_change(self, seconds: float) -> None:
        """Wait for a change, at most this long."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await asyncio.wait({waiter}, timeout=seconds)

    def forget_excess(self) -> None:
        """Forget that the bot has exceeded a limit, and the messages with which it has."""
        if self.excess is not None:
            self.excess = None
            self.heard.clear()
            self._heard_bytes = 0

    def send(self, message: ServerMessage) -> None:
        """Send a message on the stream, if there is one."""
        if (stream := self.stream) is not None:
            self._put(stream, message)

    def close(self, match: str, last: ServerMessage) -> None:
        """Send the last message of a match and forget the match. The stream of a leaving bot ends after its last
        match."""
        self.running.pop(match, None)
        self.send(last)
        self._end_if_left()

    def _end_if_left(self) -> None:
        if (stream := self.stream) is not None and stream.is_leaving and not self.running:
            self.end_stream(Error(code=0))

    def ping(self) -> int:
        """Ping the bot. Return the id of the ping."""
        self._pings += 1
        self.send(ServerMessage(ping=Ping(id=self._pings)))
        return self._pings

    def end_stream(self, error: Error | None = None) -> None:
        """End the stream after all earlier messages; without an error it looks like a lost connection."""
        if (stream := self.stream) is not None:
            stream.is_welcome = False
            self._put(stream, error or Error(code=14, reason="", message="connection lost"))

    # --- the service ---

    async def Play(self, request_iterator: Any, context: Context) -> None:
        """Serve one stream."""
        if not self._unasked.take(1.0, time.monotonic_ns()):
            await context.abort(TOO_MANY_STREAMS.status, f"{TOO_MANY_STREAMS.reason}: wait before you reconnect")
        stream = DoctorStream(time.monotonic())
        self.streams.append(stream)
        self.tell_change()
        reader = asyncio.create_task(self._read(stream, context))
        writer = asyncio.create_task(self._write(stream, context))
        pinger = asyncio.create_task(self._ping(stream))
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            stream.is_open = False
            self._put(stream, Error(code=0))
            await asyncio.wait({writer}, timeout=SOON_S)  # a cancelled write continues inside gRPC, and breaks the end
        finally:
            stream.is_open = False
            for task in (reader, writer, pinger):
                task.cancel()
            self.tell_change()
        (ended,) = await asyncio.gather(writer, return_exceptions=True)
        if isinstance(ended, Error) and ended.code:
            await context.abort(CODES[ended.code], f"{ended.reason}: {ended.message}")

    async def _read(self, stream: DoctorStream, context: Context) -> None:
        while isinstance(message := await context.read(), BotMessage):
            if (excess := self._excess_of(stream, message)) is not None:
                self.excess = excess
                self._put(stream, Error(code=excess.status.value[0], reason=excess.reason, message=excess.message))
                return
            if self.delay_s:
                asyncio.get_running_loop().call_later(self.delay_s, self._hear, stream, message)
            else:
                self._hear(stream, message)

    def _excess_of(self, stream: DoctorStream, message: BotMessage) -> GatewayRefusal | None:
        """Count a message. Return the limit that is exceeded with it, if one is."""
        size = message.ByteSize()
        if size > LIMITS.hard_message_bytes:
            return too_large(size, LIMITS.max_message_bytes)
        self._heard_bytes += size
        if stream.answers_due:
            stream.answers_due -= 1
        elif not self._unasked.take(1.0, time.monotonic_ns()):
            return TOO_MANY_MESSAGES
        is_full = len(self.heard) >= MOST_HEARD or self._heard_bytes > MOST_HEARD_BYTES
        return TOO_MANY_MESSAGES if is_full else None

    async def _write(self, stream: DoctorStream, context: Context) -> Error:
        while True:
            due, message = await stream.outbox.get()
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if isinstance(message, Error):
                if message.reason:
                    await context.write(ServerMessage(error=message))
                return message
            await context.write(message)

    async def _ping(self, stream: DoctorStream) -> None:
        while True:
            await asyncio.sleep(LIMITS.ping_interval_s)
            if stream is self.stream:
                self.ping()

    def _put(self, stream: DoctorStream, message: ServerMessage | Error) -> None:
        stream.answers_due += 1
        # Copy it, because a check may change a message after sending it.
        stream.outbox.put_nowait((time.monotonic() + self.delay_s, deepcopy(message)))

    def _hear(self, stream: DoctorStream, message: BotMessage) -> None:
        kind = message.WhichOneof("kind")
        self.heard.append(message)
        if kind == "hello" and stream.hello is None:
            stream.hello = self.hello = message.hello
            self._greet(stream, message.hello)
        elif kind == "leave":
            stream.is_leaving = True
            self._end_if_left()
        elif kind == "ping":
            self.send(ServerMessage(pong={"id": message.ping.id}))
        elif kind in ("accept", "decline", "reveal", "answer"):
            match = self.running.get(getattr(message, kind).match_id)
            if match is not None:
                match.hear(message)
        self.tell_change()

    def _greet(self, stream: DoctorStream, hello: Hello) -> None:
        if self.refusal is not None:
            self._put(stream, self.refusal)
            return
        stream.is_welcome = True
        limits = Limits(
            max_matches=min(hello.max_matches, LIMITS.max_matches),
            max_message_bytes=LIMITS.max_message_bytes,
            max_actions=LIMITS.max_actions,
            max_note_bytes=LIMITS.max_note_bytes,
            max_messages_per_second=LIMITS.max_messages_per_second,
            ping_interval_ms=int(LIMITS.ping_interval_s * 1000),
        )
        welcome = Welcome(
            bot=hello.bot or "your bot",
            protocol=PROTOCOL,
            rules=RULES,
            server="arena doctor",
            session=SESSION,
            limits=limits,
            running=list(self.running),
            over=[match for match in hello.running if match not in self.running],
        )
        self._put(stream, ServerMessage(welcome=welcome))
        for match in self.running.values():
            for message in match.resumption():
                self._put(stream, message)


class Countdown:
    """A countdown in seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._end = clock() + seconds

    @property
    def seconds(self) -> float:
        """The seconds that are left."""
        return max(0.0, self._end - self._clock())
