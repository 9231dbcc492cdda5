"""One bot of a load test: it has its own stream, on which it chooses at random after a while.

The client of `arena.bots` has a thread for each match, for code that decides. This one has none, so that one process
can be a thousand bots.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio

from arena.bots.channel import NO_PROXY, OPTIONS, Refused, StreamLost, error_of
from arena.load.addresses import ServerAddress
from arena.load.hub import Hub
from arena.load.tally import LoadTally
from arena.wire.service import PROTOCOL, PlayCall, open_play, trust
from arena.wire.v1.bot_pb2 import (
    VERDICT_KIND_VOID,
    Accept,
    Answer,
    BotMessage,
    DecisionRequest,
    Error,
    Hello,
    Leave,
    Pong,
    Reveal,
    ServerMessage,
)

VERSION: Final = "load"
"""Name under which `arena admin load-bots` registers the version, which keeps it out of rated matches."""
PROCESS: Final = "load"
CONNECTING: Final = 25
"""Maximum number of bots that connect at the same time: a gateway limits waiting strangers from one address."""
WELCOME_S: Final = 60.0
SILENCE_S: Final = 60.0
"""Seconds of silence after which a stream counts as lost. Pings come every few seconds."""
BACK_S: Final = (0.2, 2.0)
"""Range of seconds before a bot reconnects after it lost its stream."""
HASTE: Final = 0.5
"""Maximum share of the remaining time that a decision takes, so that the load test itself causes no forfeit."""


DIRECT: Final[list[tuple[str, Any]]] = [*OPTIONS, NO_PROXY]
"""Options that disable a proxy of the environment: to a proxy the checked address might be another server's."""


@dataclass(frozen=True)
class LoadGateway:
    """The gateway that bots connect to."""

    place: ServerAddress
    certificate: Path | None = None

    def open(self) -> grpc.aio.Channel:
        """Open a separate connection."""
        if not self.place.is_tls:
            named = [*DIRECT, ("grpc.default_authority", self.place.authority)]
            return grpc.aio.insecure_channel(self.place.target, options=named)
        credentials = grpc.ssl_channel_credentials()
        known_by: list[tuple[str, Any]] = [("grpc.ssl_target_name_override", self.place.host)]
        if self.certificate is not None:
            credentials, known_by = trust(self.certificate)
        return grpc.aio.secure_channel(self.place.target, credentials, options=[*DIRECT, *known_by])


@dataclass(frozen=True)
class RegisteredBot:
    """A bot as it is registered."""

    name: str
    token: str


class LoadBot:
    """Plays all offered matches, until `leave`."""

    def __init__(
        self, seat: RegisteredBot, gateway: LoadGateway, hub: Hub, tally: LoadTally, *, players: int, capacity: int,
        think: Callable[[], float], door: asyncio.Semaphore,
    ) -> None:  # fmt: skip
        self.seat = seat
        self.is_here = asyncio.Event()
        """Set when the bot was welcomed for the first time, or refused."""
        self._gateway, self._hub, self._tally = gateway, hub, tally
        self._players, self._capacity, self._think, self._door = players, capacity, think, door
        self._nonces: dict[str, bytes] = {}
        """Nonces by match; also the matches that it is in."""
        self._answers: dict[str, Answer] = {}
        self._wanted: dict[str, int] = {}
        """The index that each match waits for."""
        self._thinking: set[asyncio.Task[None]] = set()
        self._call: PlayCall | None = None
        self._turn = asyncio.Lock()
        self._is_leaving = False

    async def run(self) -> None:
        """Run until `leave`, or until the gateway refuses the bot for good."""
        try:
            while not self._is_leaving:
                try:
                    await self._visit()
                except StreamLost:
                    if self.is_here.is_set():
                        self._tally.reconnections += 1
                    await asyncio.sleep(random.uniform(*BACK_S))  # noqa: S311 - no secret
        except Refused as refused:
            self._tally.refused_bots[refused.reason] += 1
        finally:
            self.is_here.set()
            for task in self._thinking:
                task.cancel()

    async def leave(self) -> None:
        """Accept no new matches, and end the stream."""
        self._is_leaving = True
        if self._call is not None:
            await self._send(BotMessage(leave=Leave()))
            call = self._call
            if call is not None:
                await call.done_writing()

    async def _visit(self) -> None:
        async with self._gateway.open() as channel:
            last = Error()
            welcomed = False
            call = open_play(channel)
            try:
                async with self._door:
                    self._call = call
                    await self._send(BotMessage(hello=self._hello()))
                    welcomed = await asyncio.wait_for(self._first(call, last), WELCOME_S)
                if welcomed:
                    self._tally.connected += 1
                    self.is_here.set()
                    while isinstance(message := await asyncio.wait_for(call.read(), SILENCE_S), ServerMessage):
                        await self._take(message, last)
                if not self._is_leaving:
                    raise StreamLost("the server ended the stream")
            except TimeoutError:
                raise StreamLost("the server is silent") from None
            except grpc.aio.AioRpcError as error:
                raise error_of(error, last) from None
            except asyncio.InvalidStateError as error:
                raise StreamLost(str(error)) from None
            finally:
                self._call = None
                if welcomed:
                    self._tally.connected -= 1
                for match in self._nonces:
                    self._hub.lost_time(match)
                call.cancel()

    async def _first(self, call: PlayCall, last: Error) -> bool:
        """Read up to the welcome. Return false at the end of the stream."""
        while isinstance(message := await call.read(), ServerMessage):
            await self._take(message, last)
            if message.WhichOneof("kind") == "welcome":
                return True
        return False

    def _hello(self) -> Hello:
        return Hello(
            token=self.seat.token,
            version=VERSION,
            process=PROCESS,
            sdk=f"arena-load/{version('naqala-arena')}",
            max_matches=self._capacity,
            player_counts=[self._players],
            wants_legal=True,
            protocol=PROTOCOL,
            running=list(self._nonces),
        )

    async def _send(self, message: BotMessage) -> None:
        """Send a message. Without a stream it is dropped, because the server asks again."""
        async with self._turn:
            if self._call is None:
                return
            self._tally.bytes_up += message.ByteSize()
            try:
                await self._call.write(message)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return  # the reader gets the reason

    async def _take(self, message: ServerMessage, last: Error) -> None:
        self._tally.bytes_down += message.ByteSize()
        match message.WhichOneof("kind"):
            case "ping":
                await self._send(BotMessage(pong=Pong(id=message.ping.id)))
            case "request":
                self._handle_request(message.request)
            case "resumed":
                self._nonces.setdefault(message.resumed.match_id, b"")
                if message.resumed.HasField("request"):
                    self._handle_request(message.resumed.request)
            case "offer":
                nonce = self._nonces.setdefault(message.offer.match_id, secrets.token_bytes(16))
                accept = Accept(match_id=message.offer.match_id, nonce_hash=sha256(nonce).digest())
                await self._send(BotMessage(accept=accept))
            case "reveal_request":
                request = message.reveal_request
                self._hub.known(request.match_id, [each.bot for each in request.participants])
                nonce = self._nonces.get(request.match_id, b"")
                await self._send(BotMessage(reveal=Reveal(match_id=request.match_id, nonce=nonce)))
            case "fault":
                self._tally.faults[message.fault.reason] += 1
            case "match_end":
                verdict = message.match_end.verdict
                void = "VOID" if verdict.kind == VERDICT_KIND_VOID else ""
                self._drop(message.match_end.match_id)
                self._hub.ended(message.match_end.match_id, [each.reason for each in verdict.forfeits], void)
            case "match_aborted":
                self._drop(message.match_aborted.match_id)
                self._hub.ended(message.match_aborted.match_id, [], message.match_aborted.reason)
            case "error":
                last.CopyFrom(message.error)
                self._tally.errors[message.error.reason] += 1
                self._drop(message.error.match_id)

    def _drop(self, match: str) -> None:
        for by_match in (self._nonces, self._answers, self._wanted):
            by_match.pop(match, None)

    def _handle_request(self, request: DecisionRequest) -> None:
        match, index = request.match_id, request.index
        self._nonces.setdefault(match, b"")
        self._hub.requested(match, index)
        if (given := self._answers.get(match)) is not None and given.index == index:
            self._start(self._send(BotMessage(answer=given)))
        elif self._wanted.get(match) != index:
            self._wanted[match] = index
            answer = Answer(match_id=match, index=index, actions=[random.choice(request.legal)])  # noqa: S311
            self._start(self._answer(answer, self._think_s(request)))

    def _think_s(self, request: DecisionRequest) -> float:
        wanted = self._think()
        most = HASTE * min(request.bank_ms, request.cap_ms) / 1000
        if wanted > most:
            self._tally.hurried += 1
        return min(wanted, most)

    async def _answer(self, answer: Answer, think_s: float) -> None:
        if think_s:
            await asyncio.sleep(think_s)
        if self._wanted.get(answer.match_id) == answer.index:
            self._answers[answer.match_id] = answer
            self._hub.answered(answer.match_id)
            await self._send(BotMessage(answer=answer))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)
