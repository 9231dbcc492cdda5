"""The client of a bot process: one stream, many matches on it, and the way back after the stream was lost.

Nothing here decides anything about a game. The stream is read by one task and written by another; `matches` knows
what to say about matches, and bot code runs in a thread of its match (`match_runner`). After a lost stream all matches
stay as they are: the server gives every running match back, with the pending request under its old index, and an
answer that was ready is sent again.
"""

import asyncio
import random
import time
from importlib.metadata import version

import grpc
import grpc.aio
import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from arena.bots.bot import Bot, version_of
from arena.bots.channel import hint, open_channel
from arena.bots.errors import StreamLost, error_of
from arena.bots.matches import FORGET_S, Matches
from arena.bots.settings import Settings
from arena.wire import codec
from arena.wire.service import PROTOCOL, PlayCall, open_play
from arena.wire.v1.bot_pb2 import BotMessage, Error, Hello, Leave, Pong, ServerMessage, Welcome

SDK = f"arena-python/{version('naqala-arena')}"
STEADY_S = 10.0  # a stream that lasted so long was a good one: the next attempts start without a long wait
IDLE = wait_random_exponential(multiplier=0.5, max=30)
IN_PLAY = wait_random_exponential(multiplier=0.5, max=2.5)
WELCOME_S = 15.0
CLOSING_S = 2.0
OUTBOX = 1000
AGAIN = 20
"""What goes on to fail in the same way is told of once in so many attempts, which is every few minutes."""


class Client:
    """Plays matches with bots of one class until told to leave."""

    def __init__(self, bot: type[Bot], settings: Settings) -> None:
        self.bot = bot
        self.settings = settings
        self.matches = Matches(bot, settings.max_matches, self._send, settings.receipts)
        self._call: PlayCall | None = None
        self._outbox: asyncio.Queue[BotMessage | None] | None = None
        self._welcome = Welcome()
        self._alone_since: float | None = None
        """Since when this process is leaving and without a stream."""
        self._error = Error()
        self._told = ""
        """Why there is no stream, as it was told of last."""
        self._quit = asyncio.Event()
        self._stir = asyncio.Event()
        self._log = structlog.get_logger("arena.bots").bind(process=settings.process)

    # --- what the owner of the client does ---

    async def run(self) -> None:
        """Play until `leave` or `quit`; raises Refused if the server does not want this process."""
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
        """True once `leave` was called."""
        return self.matches.is_closed

    def leave(self) -> None:
        """Finish the running matches and accept no new ones."""
        if not self.matches.is_closed:
            self.matches.is_closed = True
            self._send(BotMessage(leave=Leave()))
            self._log.info("leaving", running=len(self.matches))
            self._left()

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
                before_sleep=self._tell_wait,
            )
            async for attempt in retrying:
                with attempt:
                    await self._visit()
            if not self._is_done():
                # All bots of a server that restarts come back, but not at once.
                await self._pause(random.uniform(0, 1))  # noqa: S311 - no secret
        await self.matches.settle()

    def _wait(self, state: RetryCallState) -> float:
        """Longer and longer, at random; a bot with running matches is never away for long."""
        return (IN_PLAY if self.matches else IDLE)(state)

    async def _visit(self) -> None:
        """Play over one stream. Ends well if it was a good one, however it ended."""
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
        """Whether a server that has matches of ours has been away for so long that nobody waits for their end."""
        return self._alone_since is not None and time.monotonic() - self._alone_since >= FORGET_S

    async def _pause(self, seconds: float) -> None:
        self._stir.clear()
        if self._is_done():  # since the last attempt began
            return
        try:
            await asyncio.wait_for(self._stir.wait(), seconds)
        except TimeoutError:
            return

    def _tell_wait(self, state: RetryCallState) -> None:
        why = str(state.outcome.exception() if state.outcome else None)
        if why == self._told and state.attempt_number % AGAIN:
            return
        self._told = why
        pause = round(state.next_action.sleep if state.next_action else 0.0, 1)
        if self._welcome.bot or self._error.reason:
            self._log.warning("stream_lost", why=why, again_in_s=pause, running=len(self.matches))
            return
        self._log.warning("not_connected", server=self.settings.server, hint=hint(why), why=why, again_in_s=pause)

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
                # The writer is done when the stream is closed or broken; the reader learns how it ended.
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
            version=version_of(self.bot),
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
                self._take(message)
                if ping_s := self._welcome.limits.ping_interval_ms / 1000:
                    silence = 3 * ping_s
        except TimeoutError as error:
            raise StreamLost(f"the server said nothing for {silence:.0f} s") from error
        except grpc.aio.AioRpcError as error:
            raise error_of(error, self._error) from error

    def _send(self, message: BotMessage | None) -> None:
        """Put a message on its way. Without a stream it is not needed: the server will ask again."""
        if self._outbox is None:
            return
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._log.error("server_does_not_read")
            if self._call is not None:
                self._call.cancel()

    def _left(self) -> None:
        """If the last match is over and we are leaving: end the stream, or the wait for one."""
        if self._is_done():
            self._stir.set()
            self._send(None)

    # --- what the server says ---

    def _take(self, message: ServerMessage) -> None:
        kind = message.WhichOneof("kind")
        if kind == "ping":
            self._send(BotMessage(pong=Pong(id=message.ping.id)))
        elif kind == "welcome":
            self._welcomed(message.welcome)
        elif kind == "error":
            self._error = message.error
            if message.error.fatal:  # it is told as the end of the stream
                self._send(None)
            else:
                self._log.warning("server_error", reason=message.error.reason, message=message.error.message)
        # A pong needs nothing, and a kind that is newer than this library is not for it.
        try:
            self.matches.take(message)
        except codec.CodecError:
            self._log.exception("unreadable_message", kind=kind)
        self._left()

    def _welcomed(self, welcome: Welcome) -> None:
        self._welcome, self._alone_since = welcome, None
        self._told = ""
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
