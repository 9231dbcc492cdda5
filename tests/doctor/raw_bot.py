"""A bot made directly from messages, in the test's process. It does everything right, so a derived bot is wrong in one
thing.

Its memory of matches is lost with it, as with a process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any

import grpc.aio

from arena.doctor.process import ExaminedProcess, Starter
from arena.wire.service import PROTOCOL, open_play
from arena.wire.v1.bot_pb2 import Answer, BotMessage, Hello, Offer, ServerMessage, Welcome

FINAL = {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.ABORTED}
NONCES = count(1)


@dataclass
class Seat:
    """The bot's data about a match."""

    nonce: bytes = b""
    number: int = 0
    answer: Answer | None = None
    kept: list[Any] = field(default_factory=list)


class RawBot:
    places = 2
    pause_s = 0.01
    expansions = ("artisans", "whims")
    player_counts: tuple[int, ...] = ()
    wants_legal = True

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address, token
        self.matches: dict[str, Seat] = {}
        self.is_leaving = False
        self.failures = 0
        self._outbox: asyncio.Queue[BotMessage | None] = asyncio.Queue()

    # --- streams ---

    async def run(self) -> None:
        while True:
            status = await self.stream()
            if self.is_leaving and not self.matches:
                return
            if self.is_final(status):
                raise RuntimeError(f"refused: {status}")
            self.failures += 1
            await asyncio.sleep(self.pause())

    def is_final(self, status: grpc.StatusCode) -> bool:
        return status in FINAL

    def pause(self) -> float:
        return min(self.pause_s * 2**self.failures, 1.0)

    async def stream(self) -> grpc.StatusCode:
        """Play over one stream, to its end."""
        self._outbox = asyncio.Queue()
        async with grpc.aio.insecure_channel(self.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            call = open_play(channel)
            self.first()
            writer = asyncio.create_task(self._write(call))
            try:
                while isinstance(message := await call.read(), ServerMessage):
                    self.take(message)
                return await call.code()
            except grpc.aio.AioRpcError as error:
                return error.code()
            finally:
                writer.cancel()
                call.cancel()

    async def _write(self, call: Any) -> None:
        while (message := await self._outbox.get()) is not None:
            await call.write(message)
        await call.done_writing()

    def say(self, **kind: Any) -> None:
        self._outbox.put_nowait(BotMessage(**kind))

    def first(self) -> None:
        self.say(hello=self.hello())

    def hello(self) -> Hello:
        return Hello(
            token=self.token,
            version="1",
            process="raw",
            sdk="test",
            max_matches=self.places,
            player_counts=self.player_counts,
            expansions=self.expansions,
            wants_legal=self.wants_legal,
            protocol=PROTOCOL,
            running=list(self.matches),
        )

    def told_to_end(self) -> None:
        self.is_leaving = True
        self.say(leave={})
        self.end_if_done()

    def end_if_done(self) -> None:
        if self.is_leaving and not self.matches:
            self._outbox.put_nowait(None)

    # --- messages ---

    def take(self, message: ServerMessage) -> None:
        kind = message.WhichOneof("kind")
        if kind is not None and (handler := getattr(self, f"on_{kind}", None)) is not None:
            handler(getattr(message, kind))

    def on_welcome(self, welcome: Welcome) -> None:
        self.failures = 0
        for match in welcome.over:
            self.matches.pop(match, None)

    def on_ping(self, ping: Any) -> None:
        self.say(pong={"id": ping.id})

    def new_nonce(self) -> bytes:
        return next(NONCES).to_bytes(16, "big")

    def on_offer(self, offer: Offer) -> None:
        if offer.match_id not in self.matches:
            if self.is_leaving or len(self.matches) >= self.places:
                self.say(decline={"match_id": offer.match_id, "reason": "full"})
                return
            self.matches[offer.match_id] = Seat(self.new_nonce(), offer.terms.seat)
        digest = sha256(self.matches[offer.match_id].nonce).digest()
        self.say(accept={"match_id": offer.match_id, "nonce_hash": digest})

    def on_reveal_request(self, request: Any) -> None:
        seat = self.matches.get(request.match_id, Seat())
        fixed = seat.number and request.nonce_hashes[seat.number - 1] == sha256(seat.nonce).digest()
        self.say(reveal={"match_id": request.match_id, "nonce": seat.nonce if fixed else b""})

    def on_resumed(self, resumed: Any) -> None:
        self.matches.setdefault(resumed.match_id, Seat(number=resumed.terms.seat))
        if resumed.HasField("request"):
            self.on_request(resumed.request)

    def on_request(self, request: Any) -> None:
        seat = self.matches.setdefault(request.match_id, Seat(number=request.seat))
        if seat.answer is None or seat.answer.index != request.index:
            seat.answer = self.decide(request)
        self.say(answer=seat.answer)

    def decide(self, request: Any) -> Answer:
        return Answer(match_id=request.match_id, index=request.index, actions=self.choose(request))

    def choose(self, request: Any) -> list[str]:
        return [request.legal[0]]

    def on_match_end(self, end: Any) -> None:
        self.matches.pop(end.match_id, None)
        self.end_if_done()

    def on_match_aborted(self, aborted: Any) -> None:
        self.matches.pop(aborted.match_id, None)
        self.end_if_done()


class InProcess:
    """A bot in this process with the interface of a process."""

    output = ("the last line",)
    pid = None

    def __init__(self, bot: RawBot, on_exit: Callable[[], None]) -> None:
        self.bot = bot
        self._task = asyncio.create_task(bot.run())
        self._task.add_done_callback(lambda _: on_exit())

    def forget_output(self) -> None:
        """Keep the output: it never changes."""

    @property
    def exit_code(self) -> int | None:
        if not self._task.done():
            return None
        return -9 if self._task.cancelled() else int(self._task.exception() is not None)

    def terminate(self) -> None:
        self.bot.told_to_end()

    async def kill(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def started_here(kind: type[RawBot]) -> Starter:
    async def start(address: str, token: str, on_exit: Callable[[], None]) -> ExaminedProcess:
        return InProcess(kind(address, token), on_exit)

    return start
