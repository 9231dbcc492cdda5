"""The local gateway: bots on this machine connect to it. It has the server's protocol and no bus.

It runs in its own thread. Matches run in other threads and reach it through `call`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self

import grpc.aio

from arena.gateway.errors import (
    HELLO_EXPECTED,
    TOO_MANY_MESSAGES,
    TOO_MANY_STREAMS,
    GatewayRefusal,
    HelloRefused,
    too_large,
)
from arena.gateway.limits import ONE_BOT_OPTIONS
from arena.local.refusals import BAD_TOKEN, GOING_DOWN, LIMITS, Context, check_hello, read_hello, refuse
from arena.local.sessions import LocalSession
from arena.local.streams import LocalStream
from arena.wire.service import SERVICE
from arena.wire.v1.bot_pb2 import Hello

EOF: Final[Any] = grpc.aio.EOF  # type: ignore[attr-defined]  # missing in grpc-stubs
HERE: Final = ("127.0.0.1", "[::1]")
"""Addresses of this machine, of which it may lack one."""
FOREVER_MS: Final = 2**31 - 1
CLOSING_S: Final = 2.0
"""Seconds in which bots must read that the games are over."""
MOST_SESSIONS: Final = 4
"""Maximum number of sessions of a stranger that play no match. One more replaces the oldest."""


def _listen(server: grpc.aio.Server, address: str) -> int:
    """Return the port; 0 if the server cannot listen there."""
    try:
        return server.add_insecure_port(address)
    except RuntimeError:
        return 0


class CannotListen(Exception):
    """Raised when the gateway cannot listen on an address; the message is one line."""


class LocalGateway:
    """A context manager that listens on `gateway.address` and on `others`. Raises `CannotListen`."""

    def __init__(
        self,
        others: tuple[str, ...] = (),
        *,
        is_patient: bool = False,
        is_for_stranger: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Listen on `others`, too.

        - `is_patient`: a bot may stay silent for any time, as under a debugger.
        - `is_for_stranger`: its one bot may be hostile, so that its connections, sessions and hellos are limited.
        - `clock`: nanoseconds that count for bots.
        """
        self.address = ""
        self._is_patient = is_patient
        self._is_for_stranger = is_for_stranger
        self._clock = clock
        self.refused = ""
        """Reason of the last refused hello with an unknown token."""
        self._others = others
        self._names: dict[str, str] = {}
        """Names of the expected competitors, by token."""
        self._sessions: dict[tuple[str, str], LocalSession] = {}
        """Sessions by token and process."""
        self._waiting: list[tuple[str, Future[LocalSession]]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="local gateway", daemon=True)
        self._is_up = Event()
        self._error: CannotListen | None = None
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_up.wait()
        if self._error is not None:
            self._thread.join()
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.call(self._stop.set)
        self._thread.join()

    def call(self, work: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the gateway's thread, after all earlier calls."""
        with suppress(RuntimeError):  # RuntimeError: the loop is closed
            self._loop.call_soon_threadsafe(work, *arguments)

    def expect(self, token: str, name: str) -> None:
        """Register the name of the competitor that will say hello with this token."""
        self._names[token] = name

    def seat(self, token: str, name: str) -> Future[LocalSession]:
        """Return the next free process that says hello with this token, or the `HelloRefused` of its refusal.

        A session whose future has a result counts one more table.
        """
        future: Future[LocalSession] = Future()
        self.expect(token, name)
        self.call(self._await, token, future)
        return future

    def release_table(self, session: LocalSession) -> None:
        """Count one table less for a session."""
        session.tables -= 1

    def _await(self, token: str, future: Future[LocalSession]) -> None:
        self._waiting.append((token, future))
        self._seat_all()

    def _seat_all(self) -> None:
        for token, future in tuple(self._waiting):
            free = [session for (of, _), session in self._sessions.items() if of == token and session.is_free]
            if future.done():
                self._waiting.remove((token, future))
            elif free and future.set_running_or_notify_cancel():
                free[0].tables += 1
                self._waiting.remove((token, future))
                future.set_result(free[0])

    # The server

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._is_up.set()
            self._loop.close()

    async def _serve(self) -> None:
        options = [
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", LIMITS.transport_message_bytes),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ]
        if self._is_patient:
            options += [("grpc.keepalive_time_ms", FOREVER_MS), ("grpc.http2.max_ping_strikes", 0)]
        if self._is_for_stranger:
            options += ONE_BOT_OPTIONS
        server = grpc.aio.server(options=options)
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": play}),))
        ports = ((host, _listen(server, f"{host}:0")) for host in HERE)
        self.address = next((f"{host}:{port}" for host, port in ports if port), "")
        failed = next((address for address in self._others if not _listen(server, address)), "")
        if failed or not self.address:
            self._error = CannotListen(
                f"cannot listen on {failed or HERE[0]}: another program may use it; choose another port"
            )
            return
        await server.start()
        self._is_up.set()
        await self._stop.wait()
        for session in self._sessions.values():
            if session.stream is not None:
                session.stream.end(GOING_DOWN)
        await server.stop(grace=CLOSING_S)

    async def _play(self, _: object, context: Context) -> None:
        """Serve one stream."""
        try:
            hello = await self._read_hello(context)
        except HelloRefused as refused:
            await context.write(refused.refusal.encode(fatal=True))
            await refuse(context, refused.refusal)
        key = hello.token, hello.process
        session = self._sessions.get(key)
        if session is None or session.has_ended:
            if self._is_for_stranger:
                self._make_room(hello.token)
            session = self._sessions[key] = LocalSession(hello, self._clock)
        capacity = min(hello.max_matches, LIMITS.max_matches)
        stream = LocalStream(context, capacity, self._clock, is_patient=self._is_patient)
        session.attach(hello, stream, self._names[hello.token])
        self._seat_all()
        writer = asyncio.create_task(stream.write())
        reader = asyncio.create_task(self._read(context, session, stream))
        pings = asyncio.create_task(stream.ping())
        try:
            ends: list[asyncio.Future[Any]] = [stream.ended, writer, reader, pings]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the connection is lost
            writer.cancel()
            reader.cancel()
            raise
        finally:
            pings.cancel()
            session.detach(stream)
        await stream.close(writer, reader)

    def _make_room(self, token: str) -> None:
        """Forget the oldest sessions with this token that play no match, so that one more is not too many."""
        idle = [key for key, session in self._sessions.items() if key[0] == token and not session.tables]
        for key in idle[: max(0, len(idle) - MOST_SESSIONS + 1)]:
            session = self._sessions.pop(key)
            if session.stream is not None:
                session.stream.end(TOO_MANY_STREAMS)

    async def _read_hello(self, context: Context) -> Hello:
        try:
            async with asyncio.timeout(LIMITS.hello_timeout_s):
                data = await context.read()
        except TimeoutError:
            data = EOF
        if data is EOF:
            raise HelloRefused(HELLO_EXPECTED)
        hello = read_hello(data, LIMITS.max_message_bytes if self._is_for_stranger else LIMITS.hard_message_bytes)
        try:
            if hello.token not in self._names:
                raise HelloRefused(BAD_TOKEN)
            check_hello(hello)
        except HelloRefused as refused:
            self._refuse_hello(hello.token, refused.refusal)
            raise
        return hello

    def _refuse_hello(self, token: str, refusal: GatewayRefusal) -> None:
        self.refused = f"{refusal.message} [{refusal.reason}]"
        for of, future in self._waiting:
            if of == token and future.set_running_or_notify_cancel():
                future.set_exception(HelloRefused(refusal))
        self._seat_all()

    async def _read(self, context: Context, session: LocalSession, stream: LocalStream) -> None:
        while (data := await context.read()) is not EOF:
            if stream.ended.done():
                continue  # the bot does not know yet that the stream ends
            now = stream.heard_ns = self._clock()
            if len(data) > LIMITS.hard_message_bytes:
                stream.end(too_large(len(data), LIMITS.max_message_bytes))
                return
            if not session.take(data, stream, now) and not stream.unasked.take(1.0, now):
                stream.end(TOO_MANY_MESSAGES)
                return
