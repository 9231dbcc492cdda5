"""The bot service: one coroutine for each stream, from hello to the final status.

Messages are read and written as bytes. A message from a bot is parsed once, to see where it goes. A message to a bot is
not parsed at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import grpc
import grpc.aio
import structlog
from google.protobuf.message import DecodeError
from structlog.contextvars import bound_contextvars

from arena.bus import OFFER_INDEX, REVEAL_INDEX, Presence, WireReason, session_id
from arena.gateway import errors, metrics
from arena.gateway.clock import ListeningClock
from arena.gateway.connections import Connections, forwarded_for, network_of_client
from arena.gateway.errors import GatewayRefusal, HelloRefused
from arena.gateway.greeting import presence_of, read_hello, welcome
from arena.gateway.hellos import HelloLimiter, SilentStreams
from arena.gateway.identity import Identities, Identity
from arena.gateway.limits import GatewayLimits
from arena.gateway.registry import SessionRegistry
from arena.gateway.session import BotSession
from arena.gateway.stream import BotStream, Context, refuse
from arena.referee import MAX_NONCE
from arena.wire.service import AUTHOR_SERVICE, SERVICE
from arena.wire.v1.bot_pb2 import (
    BotMessage,
    Hello,
    Pong,
    ReleaseRequest,
    ReleaseResponse,
    ServerMessage,
)

log = structlog.get_logger(__name__)

EOF: Final[Any] = grpc.aio.EOF  # type: ignore[attr-defined]  # missing in grpc-stubs
MATCH_ID_LENGTH: Final = 64

StreamType = Callable[[Context, GatewayLimits, int, ListeningClock, Callable[[], int]], BotStream]


class Service:
    """Serves the streams of all bots."""

    def __init__(
        self,
        registry: SessionRegistry,
        identities: Identities,
        connections: Connections,
        limits: GatewayLimits,
        stream_type: StreamType = BotStream,
    ) -> None:
        """Serve bots that `identities` knows. `stream_type` makes the stream of a bot whose hello was accepted."""
        self._registry = registry
        self._identities = identities
        self._connections = connections
        self._limits = limits
        self._stream_type = stream_type
        self._hellos = HelloLimiter(limits)
        self._silent = SilentStreams(limits)
        self._late_refusals = 0
        self._open: dict[int, set[BotStream]] = {}
        """Open streams by token."""

    def handlers(self) -> tuple[grpc.GenericRpcHandler[Any, Any], ...]:
        """Return the gRPC handlers. They have no serializers, so that messages stay bytes."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        release: Any = grpc.unary_unary_rpc_method_handler(self.release)
        return (
            grpc.method_handlers_generic_handler(SERVICE, {"Play": play}),
            grpc.method_handlers_generic_handler(AUTHOR_SERVICE, {"Release": release}),
        )

    async def play(self, _: object, context: Context) -> None:
        """Serve one stream."""
        peer = context.peer()
        address = payer = network_of_client(context, self._connections.proxies)
        try:
            hello = await self._read_hello(context, address)
            payer = _payer(address, hello.token)
            await self._check_rate(address, hello.token)
            still_plays = partial(self._version_of_matches, hello.process)
            identity = await self._identities.identify(hello.token, hello.bot, hello.version, address, still_plays)
            presence = presence_of(hello, identity, self._registry.gateway, self._limits)
            if self._plays_as_another_version(presence):
                raise HelloRefused(errors.ANOTHER_VERSION)
            if len(self._open.get(identity.token_id, ())) >= self._limits.max_streams_per_token:
                raise HelloRefused(errors.TOO_MANY_STREAMS)
        except HelloRefused as refused:
            payer = address if refused.refusal == errors.BAD_TOKEN else payer
            await self._refuse_hello(context, payer, refused.refusal)
            return
        self._hellos.charge(payer, HelloLimiter.COST, time.monotonic_ns())
        metrics.HELLOS.labels("WELCOME").inc()
        transport_ns = partial(self._connections.round_trip_ns, peer, forwarded_for(context))
        stream = self._stream_type(context, self._limits, presence.capacity, self._registry.clock, transport_ns)
        token = identity.token_id
        with self._registered(token, stream), bound_contextvars(session=presence.id, bot=identity.bot_name):
            with self._connections.used(peer):
                writer, reader = await self._serve(context, stream, presence, identity, hello.running)
            async with self._connections.ending(context):
                await stream.close(writer, reader)

    async def release(self, data: bytes, context: Context) -> bytes:
        """Set an author's note about a version."""
        address = network_of_client(context, self._connections.proxies)
        try:
            request = ReleaseRequest.FromString(data)
        except DecodeError:
            request = ReleaseRequest()
        payer = _payer(address, request.token)
        try:
            await self._check_rate(address, request.token)
            released = await self._identities.release(request.token, request.version, request.note)
        except HelloRefused as refused:
            self._charge_refused(address if refused.refusal == errors.BAD_TOKEN else payer, refused.refusal)
            await refuse(context, refused.refusal)
            raise
        self._hellos.charge(payer, HelloLimiter.COST, time.monotonic_ns())
        response = ReleaseResponse(bot=released.bot_name, version=released.version, is_ready=released.is_ready)
        return response.SerializeToString()

    @contextmanager
    def _registered(self, token: int, stream: BotStream) -> Iterator[None]:
        streams = self._open.setdefault(token, set())
        streams.add(stream)
        try:
            yield
        finally:
            streams.discard(stream)
            if not streams and self._open.get(token) is streams:
                del self._open[token]

    async def watch_tokens(self) -> None:
        """Enforce changes of tokens and bots on open streams, forever.

        The streams of revoked tokens are ended. Bots that get no new matches are sent the reason, once.
        """
        while True:
            await asyncio.sleep(self._limits.token_check_s)
            if not self._open:
                continue
            for token in await self._identities.revoked(self._open.keys()):
                for stream in tuple(self._open.get(token, ())):
                    stream.end(errors.BAD_TOKEN)
            resting = await self._identities.resting(self._open.keys())
            if resting is not None:
                self._notify_resting(resting)

    def _notify_resting(self, resting: Mapping[int, GatewayRefusal]) -> None:
        for token, streams in self._open.items():
            why = resting.get(token)
            for stream in streams:
                if why and stream.resting != why:
                    stream.send(why.encode(fatal=False))
                stream.resting = why

    # Hello

    async def _check_rate(self, address: str, token: str) -> None:
        """Raise `HelloRefused` if the address or the token has said hello too often recently."""
        may_try = self._hellos.may_try(address, time.monotonic_ns())
        # An address that guesses tokens can also host a good bot, so a known token may still try.
        if not may_try and not await self._identities.is_known(token):
            raise HelloRefused(errors.TOO_MANY_HELLOS)
        if not self._hellos.may_try(_payer(address, token), time.monotonic_ns()):
            raise HelloRefused(errors.TOO_MANY_HELLOS)

    def _charge_refused(self, payer: str, refusal: GatewayRefusal) -> None:
        if refusal not in (errors.TRY_AGAIN, errors.ANOTHER_VERSION, errors.GOING_DOWN, errors.TOO_MANY_HELLOS):
            self._hellos.charge(payer, HelloLimiter.FAILED_COST, time.monotonic_ns())

    async def _read_hello(self, context: Context, address: str) -> Hello:
        timeout, data = asyncio.timeout(self._limits.hello_timeout_s), EOF
        with self._silent.wait(address, timeout) as silent, suppress(TimeoutError):
            async with timeout:
                data = await context.read()
        if silent.is_evicted and data is EOF:
            # Send no message first: a status alone is sent even to a client that reads no data.
            metrics.HELLOS.labels(errors.TOO_MANY_HELLOS.reason).inc()
            await refuse(context, errors.TOO_MANY_HELLOS)
        if data is not EOF and len(data) > self._limits.hard_message_bytes:
            raise HelloRefused(errors.too_large(len(data), self._limits.max_message_bytes))
        # Check this only now: a client whose first write fails would see nothing but its own internal error.
        if self._registry.draining:
            raise HelloRefused(errors.GOING_DOWN)
        return read_hello(b"" if data is EOF else data)

    def _plays_as_another_version(self, presence: Presence) -> bool:
        """Return whether this process still plays matches here as another version.

        The other version must finish its own matches, because ratings and records belong to it.
        """
        version = self._version_of_matches(presence.process, presence.token)
        return version is not None and version != presence.bot_version

    def _version_of_matches(self, process: str, token_id: int) -> int | None:
        """Return the id of the version as which a process still plays matches here; `None` if it plays none."""
        known = self._registry.get(session_id(token_id, process))
        return known.presence.bot_version if known is not None and known.running else None

    async def _refuse_hello(self, context: Context, payer: str, refusal: GatewayRefusal) -> None:
        metrics.HELLOS.labels(refusal.reason).inc()
        log.info("hello_refused", address=payer.partition(" ")[0], reason=refusal.reason)
        self._charge_refused(payer, refusal)
        if refusal == errors.TOO_MANY_HELLOS and self._late_refusals < self._limits.max_late_refusals:
            self._late_refusals += 1
            try:
                await asyncio.sleep(self._limits.late_refusal_s)
            finally:
                self._late_refusals -= 1
        async with self._connections.ending(context):
            await context.write(refusal.encode(fatal=True))
            await refuse(context, refusal)

    # The stream

    async def _serve(
        self, context: Context, stream: BotStream, presence: Presence, identity: Identity, running: Sequence[str]
    ) -> tuple[asyncio.Task[None], asyncio.Task[None]]:
        """Play until the stream is to end. `running` are the matches that the bot claims.

        Returns the tasks that write the remaining messages and keep reading.
        """
        claimed = [match for match in dict.fromkeys(running) if len(match) <= MATCH_ID_LENGTH]
        claims = await self._identities.matches(identity.bot_id, claimed[: 2 * self._limits.max_matches])
        if self._registry.draining:
            await refuse(context, errors.GOING_DOWN)
        if self._plays_as_another_version(presence):  # meanwhile, since the hello
            await refuse(context, errors.ANOTHER_VERSION)
        known = self._registry.get(presence.id)
        seats = known.seats if known is not None else {}
        live = dict.fromkeys([match for match, seat in seats.items() if seat.end is None])
        live |= dict.fromkeys([match for match, is_live in claims.items() if is_live and match not in seats])
        over = [match for match in running if match not in live]
        stream.send(welcome(presence, identity, self._limits, list(live), over))
        session = self._registry.attach(presence, stream, claims)
        log.info("bot_came", process=presence.process, sdk=presence.sdk, running=len(live), over=len(over))
        writer = asyncio.create_task(stream.write())
        reader = asyncio.create_task(self._read(session, stream))
        pings = asyncio.create_task(stream.ping())
        try:
            ends: list[asyncio.Future[Any]] = [stream.ended, writer, reader, pings]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # The connection is lost, so there is nobody to write to.
            writer.cancel()
            reader.cancel()
            raise
        finally:
            pings.cancel()
            self._registry.detach(session, stream)
            refusal = stream.ended.result()
            log.info("bot_went", reason=refusal.reason if refusal is not None else "", matches=len(session.seats))
        return writer, reader

    async def _read(self, session: BotSession, stream: BotStream) -> None:
        while True:
            data = await stream.read()
            if data is EOF:
                # The bot has closed its side. It only gets the status now.
                return
            if not stream.is_open:
                continue  # the bot does not know yet that the stream ends
            stream.heard_ns = stream.clock.now()
            if len(data) > self._limits.hard_message_bytes:
                stream.end(errors.too_large(len(data), self._limits.max_message_bytes))
                return
            try:
                asked_for = self._handle_message(session, stream, data)
            except Exception:
                log.exception("message_not_handled")
                asked_for = False
            if not asked_for and not stream.unasked.take(1.0, time.monotonic_ns()):
                stream.end(errors.TOO_MANY_MESSAGES)
                return

    def _handle_message(self, session: BotSession, stream: BotStream, data: bytes) -> bool:
        """Handle one message of the bot. Return whether it answered something."""
        try:
            message = BotMessage.FromString(data)
        except DecodeError:
            stream.send(errors.UNREADABLE.encode(fatal=False))
            return False
        kind = message.WhichOneof("kind")
        if len(data) > self._limits.max_message_bytes:
            match = getattr(getattr(message, kind), "match_id", "") if kind else ""
            refusal = errors.too_large(len(data), self._limits.max_message_bytes)
            stream.send(refusal.encode(fatal=False, match=match[:MATCH_ID_LENGTH]))
            self._registry.fault(session, match, WireReason.OVERSIZED)
            return False
        match kind:
            case "answer":
                return self._answer(session, stream, message.answer.match_id, message.answer.index, data)
            case "accept":
                return self._answer(session, stream, message.accept.match_id, OFFER_INDEX, data)
            case "decline":
                return self._answer(session, stream, message.decline.match_id, OFFER_INDEX, data)
            case "reveal":
                reveal = message.reveal
                if (size := len(reveal.nonce)) > MAX_NONCE:
                    stream.send(errors.nonce_size(size).encode(fatal=False, match=reveal.match_id[:MATCH_ID_LENGTH]))
                    return False
                return self._answer(session, stream, reveal.match_id, REVEAL_INDEX, data)
            case "pong":
                return self._registry.ponged(session, stream, message.pong.id)
            case "ping":
                stream.send(ServerMessage(pong=Pong(id=message.ping.id)).SerializeToString())
            case "leave":
                self._registry.leave(session)
            case "hello":
                stream.send(errors.HELLO_AGAIN.encode(fatal=False))
        return False

    def _answer(self, session: BotSession, stream: BotStream, match: str, index: int, data: bytes) -> bool:
        answers = self._registry.answer(session, match, index, data)
        if answers is None:
            unknown = errors.OFFER_UNKNOWN if index == OFFER_INDEX else errors.MATCH_UNKNOWN
            stream.send(unknown.encode(fatal=False, match=match[:MATCH_ID_LENGTH]))
        return bool(answers)


def _payer(address: str, token: str) -> str:
    """Return the rate limiter's key for requests with a valid token."""
    return f"{address} {hashlib.sha256(token.encode()).hexdigest()}"
