"""The client of a bot process: one stream with many matches, and the reconnect after the stream is lost.

This module decides nothing about a game. One task reads the stream and another writes it. `matches` handles the
messages about matches, and bot code runs in a thread of its match (`match_runner`).

After a lost stream all matches stay as they are. The server resumes every running match and repeats the pending request
under its old index. An answer that was ready is sent again.
"""

import asyncio
import random
import time
from importlib.metadata import version
from typing import Any, NamedTuple

import grpc
import grpc.aio
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from arena.bots.bot import Bot
from arena.bots.channel import Refused, Settings, StreamLost, connection_advice, error_of, open_channel
from arena.bots.loading import version_of
from arena.bots.matches import FORGET_S, Matches
from arena.wire import codec
from arena.wire.service import PROTOCOL, PlayCall, open_play, release
from arena.wire.v1.bot_pb2 import BotMessage, Error, Hello, Leave, Pong, ReleaseRequest, ServerMessage, Welcome

# The release of a version: its name and its author's note.


WAIT_S = 20


class ReleasedVersion(NamedTuple):
    """A version that was released."""

    bot: str
    version: str
    is_ready: bool
    """Whether the version still waits for its first hello, with which it begins."""


def release_version(server: str, token: str, version: str, note: str) -> ReleasedVersion:
    """Release a version of the bot of this token.

    Raises `Refused` if the arena refuses the release or cannot be reached.
    """
    return asyncio.run(_release(server, ReleaseRequest(token=token, version=version, note=note)))


async def _release(server: str, request: ReleaseRequest) -> ReleasedVersion:
    async with open_channel(server) as channel:
        try:
            response = await release(channel, request, WAIT_S)
        except grpc.aio.AioRpcError as error:
            why = error.details() or error.code().name
            is_away = error.code() is grpc.StatusCode.UNAVAILABLE and not _has_reason(error)
            raise Refused("", f"{why}; {connection_advice(why, server)}" if is_away else why) from error
    return ReleasedVersion(response.bot, response.version, response.is_ready)


def _has_reason(error: grpc.aio.AioRpcError) -> bool:
    """Return whether the error comes from a gateway, not from gRPC in this process."""
    metadata: Any = error.trailing_metadata()  # pairs; the stubs do not say so
    return "arena-reason" in dict(metadata or ())


SDK = f"arena-python/{version('naqala-arena')}"
STEADY_S = 10.0  # after a stream of at least this length the retries start again with short waits
IDLE = wait_random_exponential(multiplier=0.5, max=30)
IN_PLAY = wait_random_exponential(multiplier=0.5, max=2.5)
WELCOME_S = 15.0
CLOSING_S = 2.0
OUTBOX = 1000
AGAIN = 20
"""A repeated failure is logged once in this many attempts, which is every few minutes."""


class Client:
    """Plays matches with bots of one class until it leaves.

    Use it instead of `run` to run several bots in one process, on an event loop of your own.

    >>> client = Client(First, Settings("localhost:50051", token="…", process="laptop-1"))  # doctest: +SKIP
    >>> asyncio.run(client.run())  # doctest: +SKIP
    """

    def __init__(self, bot: type[Bot], settings: Settings) -> None:
        self.bot = bot
        self.settings = settings
        self._version = version_of(bot)  # once: its files may change while it plays
        self.matches = Matches(bot, settings.max_matches, self._send, settings.receipts, settings.nonce_key)
        self._call: PlayCall | None = None
        self._outbox: asyncio.Queue[BotMessage | None] | None = None
        self._welcome = Welcome()
        self._alone_since: float | None = None
        """Time since which this process has been leaving without a stream."""
        self._error = Error()
        self._last_reason = ""
        """The last logged reason for having no stream."""
        self._quit = asyncio.Event()
        self._stir = asyncio.Event()
        self._log = structlog.get_logger("arena.bots").bind(process=settings.process)

    # --- for the owner of the client ---

    async def run(self) -> None:
        """Play until `leave` or `quit` is called.

        Raises `Refused` if the server refuses this process.
        """
        playing = asyncio.create_task(self._play())
        quitting = asyncio.create_task(self._quit.wait())
        await asyncio.wait({playing, quitting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (playing, quitting):
            task.cancel()
        outcome, _ = await asyncio.gather(playing, quitting, return_exceptions=True)
        self.matches.abandon()
        if isinstance(outcome, Exception):
            raise outcome

    @property
    def is_leaving(self) -> bool:
        """Whether `leave` was called."""
        return self.matches.is_closed

    def leave(self) -> None:
        """Finish the running matches and accept no new ones."""
        if not self.matches.is_closed:
            self.matches.is_closed = True
            self._send(BotMessage(leave=Leave()))
            self._log.info("leaving", running=len(self.matches))
            self._end_if_done()

    def quit(self) -> None:
        """Stop now; running matches are lost."""
        self._log.warning("quitting", running=len(self.matches))
        self._quit.set()

    # --- the stream ---

    async def _play(self) -> None:
        while not self._is_done():
            retrying = AsyncRetrying(
                retry=retry_if_exception_type(StreamLost),
                wait=self._wait,
                sleep=self._pause,
                before_sleep=self._log_wait,
            )
            async for attempt in retrying:
                with attempt:
                    await self._play_stream()
            if not self._is_done():
                # Do not reconnect at once: all bots of a restarting server reconnect.
                await self._pause(random.uniform(0, 1))  # noqa: S311 - no secret
        await self.matches.settle()

    def _wait(self, state: RetryCallState) -> float:
        """Return the seconds before the next attempt: they grow, at random. With running matches they stay short."""
        return (IN_PLAY if self.matches else IDLE)(state)

    async def _play_stream(self) -> None:
        """Play over one stream. Returns normally after a long stream, however it ended."""
        if self.is_leaving and self._alone_since is None:
            self._alone_since = time.monotonic()
        if self._is_done():
            if self.matches:
                self._log.warning("leaving_without_the_end", running=len(self.matches))
                self.matches.abandon()
            return
        started = time.monotonic()
        try:
            await self._stream()
        except StreamLost as lost:
            if time.monotonic() - started < STEADY_S:
                raise
            self._log.warning("stream_lost", why=str(lost), running=len(self.matches))

    def _is_done(self) -> bool:
        return self.is_leaving and (not self.matches or self._is_forgotten())

    def _is_forgotten(self) -> bool:
        """Return whether a server with matches of ours has been unreachable for so long that their end is given up."""
        return self._alone_since is not None and time.monotonic() - self._alone_since >= FORGET_S

    async def _pause(self, seconds: float) -> None:
        self._stir.clear()
        if self._is_done():  # meanwhile, since the last attempt began
            return
        try:
            await asyncio.wait_for(self._stir.wait(), seconds)
        except TimeoutError:
            return

    def _log_wait(self, state: RetryCallState) -> None:
        reason = str(state.outcome.exception() if state.outcome else None)
        if reason == self._last_reason and state.attempt_number % AGAIN:
            return
        self._last_reason = reason
        pause = round(state.next_action.sleep if state.next_action else 0.0, 1)
        if self._welcome.bot or self._error.reason:
            self._log.warning("stream_lost", why=reason, again_in_s=pause, running=len(self.matches))
            return
        self._log.warning(
            "not_connected",
            server=self.settings.server,
            hint=connection_advice(reason, self.settings.server),
            why=reason,
            again_in_s=pause,
        )

    async def _stream(self) -> None:
        async with open_channel(self.settings.server, self.settings.certificate) as channel:
            call = self._call = open_play(channel)
            self._error = Error()
            self._outbox = asyncio.Queue(OUTBOX)
            self._send(BotMessage(hello=self._hello()))
            reader = asyncio.create_task(self._read(call))
            writer = asyncio.create_task(self._write(call, self._outbox))
            try:
                await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
                # The writer is done when the stream is closed or broken. The reader learns how it ended.
                await asyncio.wait({reader}, timeout=CLOSING_S)
            finally:
                self._outbox = self._call = None
                reader.cancel()
                writer.cancel()
                outcomes = await asyncio.gather(reader, writer, return_exceptions=True)
                call.cancel()
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    raise outcome
            if not self._is_done():
                raise StreamLost("the server ended the stream")

    def _hello(self) -> Hello:
        return Hello(
            token=self.settings.token,
            bot=self.bot.name,
            version=self._version,
            process=self.settings.process,
            sdk=SDK,
            max_matches=self.settings.max_matches,
            player_counts=self.bot.player_counts,
            expansions=self.bot.expansions,
            wants_legal=self.bot.wants_legal,
            protocol=PROTOCOL,
            running=self.matches.running,
        )

    async def _write(self, call: PlayCall, outbox: "asyncio.Queue[BotMessage | None]") -> None:
        while (message := await outbox.get()) is not None:
            try:
                await call.write(message)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                raise StreamLost(str(error)) from error
        await call.done_writing()

    async def _read(self, call: PlayCall) -> None:
        silence = WELCOME_S
        try:
            while True:
                message = await asyncio.wait_for(call.read(), silence)
                if not isinstance(message, ServerMessage):  # the end of the stream
                    return
                self._handle(message)
                if ping_s := self._welcome.limits.ping_interval_ms / 1000:
                    silence = 3 * ping_s
        except TimeoutError as error:
            raise StreamLost(f"the server was silent for {silence:.0f} s") from error
        except grpc.aio.AioRpcError as error:
            raise error_of(error, self._error) from error

    def _send(self, message: BotMessage | None) -> None:
        """Queue a message. Without a stream it is dropped, because the server will ask again."""
        if self._outbox is None:
            return
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._log.error("server_does_not_read")
            if self._call is not None:
                self._call.cancel()

    def _end_if_done(self) -> None:
        """If we are leaving and the last match is over, end the stream, or the wait for one."""
        if self._is_done():
            self._stir.set()
            self._send(None)

    # --- messages of the server ---

    def _handle(self, message: ServerMessage) -> None:
        kind = message.WhichOneof("kind")
        if kind == "ping":
            self._send(BotMessage(pong=Pong(id=message.ping.id)))
        elif kind == "welcome":
            self._welcomed(message.welcome)
        elif kind == "error":
            self._error = message.error
            if message.error.fatal:  # reported by the end of the stream
                self._send(None)
            else:
                self._log.warning("server_error", reason=message.error.reason, message=message.error.message)
        # A pong needs no reaction, and neither does a kind that is newer than this library.
        try:
            self.matches.take(message)
        except codec.CodecError:
            self._log.exception("unreadable_message", kind=kind)
        self._end_if_done()

    def _welcomed(self, welcome: Welcome) -> None:
        self._welcome, self._alone_since = welcome, None
        self._last_reason = ""
        self.matches.welcomed(welcome)
        self._log.info(
            "connected",
            server=self.settings.server,
            bot=welcome.bot,
            session=welcome.session,
            matches=welcome.limits.max_matches,
            rules=welcome.rules,
        )
        if self.is_leaving:
            self._send(BotMessage(leave=Leave()))
