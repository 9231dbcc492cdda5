"""A small arena in one process for tests of bots: the real service on a real socket, real games, and a script.

It plays whole matches with connected bots and does what a test says: lose a stream, stay silent, ask again. It has no
clock except a cap.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

import grpc
import grpc.aio

from arena.rules import Game, RulesError, Ruleset, commitment, default_action, match_seed, replay_document, view
from arena.wire import codec
from arena.wire.service import PROTOCOL, add_bot_service
from arena.wire.v1.bot_pb2 import (
    Answer,
    BotMessage,
    DecisionRequest,
    Error,
    Fault,
    Hello,
    Limits,
    MatchAborted,
    MatchEnd,
    MatchTerms,
    Offer,
    Ping,
    Resumed,
    RevealRequest,
    ServerMessage,
    Welcome,
)

TOKEN = "a-good-token"
WAIT_S = 60.0
"""Timeout for anything that arrives at once on an idle machine."""
CLOCK = {"bank_ms": 60_000, "increment_ms": 1_000, "cap_ms": 10_000}
POLICY = {"strikes": 3, "grace_ms": 60_000, "house": "random"}
Context = grpc.aio.ServicerContext[BotMessage, ServerMessage]


@dataclass
class Running:
    """A match of one process."""

    terms: MatchTerms
    inbox: "asyncio.Queue[BotMessage]" = field(default_factory=asyncio.Queue)
    game: Game | None = None
    pending: DecisionRequest | None = None


@dataclass
class Process:
    """A bot process that said hello, over all its streams."""

    hello: Hello
    streams: int = 0
    has_left: bool = False
    running: dict[str, Running] = field(default_factory=dict)
    outbox: "asyncio.Queue[ServerMessage | None] | None" = None
    online: asyncio.Event = field(default_factory=asyncio.Event)
    pongs: "asyncio.Queue[int]" = field(default_factory=asyncio.Queue)
    answers: list[Answer] = field(default_factory=list)
    nonces: list[bytes] = field(default_factory=list)

    def send(self, message: ServerMessage) -> None:
        """Send a message on the stream, if there is one."""
        if self.outbox is not None:
            self.outbox.put_nowait(message)

    async def drop(self) -> None:
        """Lose the stream, as a crashing server would."""
        self.online.clear()
        if self.outbox is not None:
            self.outbox.put_nowait(None)

    async def ping(self, number: int, timeout: float = WAIT_S) -> None:
        """Ping the bot and wait for its pong."""
        self.send(ServerMessage(ping=Ping(id=number)))
        assert await asyncio.wait_for(self.pongs.get(), timeout) == number


class ScriptedServer:
    """A context manager that listens on `server.address`."""

    def __init__(self, *, ping_interval_ms: int = 30_000, cap_s: float = WAIT_S) -> None:
        self.ping_interval_ms = ping_interval_ms
        self.cap_s = cap_s
        self.processes: dict[str, Process] = {}
        self.loses: set[int] = set()
        """Numbers of a process's answers (1 is its first) that get lost, so that the server asks again."""
        self.late: list[Answer] = []
        """Answers to another index than the pending one."""
        self.faults: list[Fault] = []
        self.concurrent = self.most_concurrent = 0
        self.address = "127.0.0.1:0"
        self._said_hello = asyncio.Condition()
        self._server: grpc.aio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        add_bot_service(self, self._server)
        port = self._server.add_insecure_port(self.address)
        assert port, f"cannot listen on {self.address}"
        self.address = f"127.0.0.1:{port}"
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            await self._server.stop(grace=0)

    async def process(self, name: str, streams: int = 1, timeout: float = WAIT_S) -> Process:
        """Return the process of that name, once it has said hello on this many streams."""

        def is_there() -> bool:
            return name in self.processes and self.processes[name].streams >= streams

        async with self._said_hello:
            await asyncio.wait_for(self._said_hello.wait_for(is_there), timeout)
        return self.processes[name]

    # --- the service ---

    async def Play(self, request_iterator: Any, context: Context) -> None:
        """Serve one stream."""
        first = await context.read()
        if not isinstance(first, BotMessage) or first.hello.token != TOKEN:
            await context.write(
                ServerMessage(error=Error(code=16, reason="BAD_TOKEN", message="no such bot", fatal=True))
            )
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN: no such bot")
            return
        process = self.processes.setdefault(first.hello.process, Process(first.hello))
        process.hello = first.hello
        outbox = process.outbox = asyncio.Queue[ServerMessage | None]()
        process.streams += 1
        process.online.set()
        self._greet(process)
        async with self._said_hello:
            self._said_hello.notify_all()
        reader = asyncio.create_task(self._read(process, context))
        writer = asyncio.create_task(self._write(outbox, context))
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
            was_dropped = writer.done()
        finally:
            reader.cancel()
            writer.cancel()
            if process.outbox is outbox:
                process.outbox = None
        if was_dropped:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "GOING_DOWN: come back")

    def _greet(self, process: Process) -> None:
        limits = Limits(
            max_matches=process.hello.max_matches, max_note_bytes=1024, ping_interval_ms=self.ping_interval_ms
        )
        welcome = Welcome(
            bot="bot",
            protocol=PROTOCOL,
            rules="naqala-rules/1",
            server="scripted",
            limits=limits,
            running=process.running,
            over=[match for match in process.hello.running if match not in process.running],
        )
        process.send(ServerMessage(welcome=welcome))
        # Send pending requests before `Resumed`, as the gateway does, which knows requests but no matches.
        for running in process.running.values():
            if running.pending is not None:
                process.send(ServerMessage(request=running.pending))
        for match, running in process.running.items():
            if running.game is not None:
                seen = codec.encode_view(view(running.game.state, running.terms.seat))
                resumed = Resumed(match_id=match, terms=running.terms, index=len(running.game.events), view=seen)
                process.send(ServerMessage(resumed=resumed))

    async def _read(self, process: Process, context: Context) -> None:
        while isinstance(message := await context.read(), BotMessage):
            kind = message.WhichOneof("kind")
            if kind == "pong":
                process.pongs.put_nowait(message.pong.id)
            elif kind == "leave":
                process.has_left = True
            elif kind in ("accept", "decline", "reveal", "answer"):
                match = getattr(message, kind).match_id
                if kind == "reveal":
                    process.nonces.append(message.reveal.nonce)
                if match in process.running:
                    process.running[match].inbox.put_nowait(message)

    async def _write(self, outbox: "asyncio.Queue[ServerMessage | None]", context: Context) -> None:
        while (message := await outbox.get()) is not None:
            await context.write(message)

    # --- matches ---

    async def play(
        self, match: str, seats: Sequence[Process | None], expansions: tuple[str, ...] = (), secret: bytes = b"secret"
    ) -> Game | None:
        """Play a whole match. A seat of `None` plays the default decision. Return `None` if a bot declined."""
        ruleset = Ruleset(len(seats), expansions)
        tables: dict[int, tuple[Process, Running]] = {}
        for seat, process in enumerate(seats, start=1):
            if process is not None:
                running = process.running[match] = Running(self._terms(ruleset, seat, len(seats), secret))
                tables[seat] = process, running
                process.send(ServerMessage(offer=Offer(match_id=match, terms=running.terms, answer_within_ms=10_000)))
        replies = {seat: await asyncio.wait_for(running.inbox.get(), WAIT_S) for seat, (_, running) in tables.items()}
        if any(reply.WhichOneof("kind") == "decline" for reply in replies.values()):
            for process, _ in tables.values():
                del process.running[match]
                process.send(ServerMessage(match_aborted=MatchAborted(match_id=match, reason="DECLINED")))
            return None
        nonces = await self._reveal(match, len(seats), tables, replies)
        game = Game(ruleset, match_seed(secret, nonces))
        for _, running in tables.values():
            running.game = game
        self.concurrent += 1
        self.most_concurrent = max(self.concurrent, self.most_concurrent)
        await self._play_on(match, game, tables)
        self.concurrent -= 1
        document = replay_document(game, match=match, seats=[{"name": "bot", "version": "1"}] * len(seats))
        end = MatchEnd(
            match_id=match,
            verdict=codec.encode_verdict(
                {"kind": "completed", "placements": document["result"]["ranks"], "forfeits": []}
            ),
            result=codec.encode_result(document["result"]),
            server_seed=secret,
            nonces=nonces,
            replay_url=f"http://arena/{match}",
        )
        for process, _ in tables.values():
            await process.online.wait()
            del process.running[match]
            process.send(ServerMessage(match_end=end))
        return game

    async def _reveal(
        self, match: str, seats: int, tables: dict[int, tuple[Process, Running]], accepts: dict[int, BotMessage]
    ) -> list[bytes]:
        """Return the nonces of all seats, checked against the hashes that their bots gave."""
        hashes = [accepts[seat].accept.nonce_hash if seat in accepts else bytes(32) for seat in range(1, seats + 1)]
        request = RevealRequest(match_id=match, nonce_hashes=hashes, answer_within_ms=10_000)
        for process, _ in tables.values():
            process.send(ServerMessage(reveal_request=request))
        nonces = [b""] * seats
        for seat, (_, running) in tables.items():
            nonce = (await asyncio.wait_for(running.inbox.get(), WAIT_S)).reveal.nonce
            assert sha256(nonce).digest() == hashes[seat - 1]
            nonces[seat - 1] = nonce
        return nonces

    async def _play_on(self, match: str, game: Game, tables: dict[int, tuple[Process, Running]]) -> None:
        told = dict.fromkeys(tables, 0)
        while not game.state.is_over:
            seat, index = game.state.to_act, len(game.events)
            if seat not in tables or len(game.state.legal) == 1:
                game.play(default_action(game.state, game.seed, index))
                continue
            process, running = tables[seat]
            running.pending = self._request(match, game, seat, told[seat])
            told[seat] = index
            process.send(ServerMessage(request=running.pending))
            try:
                answer = await asyncio.wait_for(self._answer(running, index), self.cap_s)
            except TimeoutError:
                self._fault(process, match, game, "LATE", "")
            else:
                process.answers.append(answer)
                if len(process.answers) not in self.loses:
                    self._play_answer(process, match, game, answer)
            running.pending = None

    async def _answer(self, running: Running, index: int) -> Answer:
        while (answer := (await running.inbox.get()).answer).index != index:
            self.late.append(answer)
        return answer

    def _play_answer(self, process: Process, match: str, game: Game, answer: Answer) -> None:
        seat = game.state.to_act
        if not answer.actions:
            self._fault(process, match, game, "MALFORMED", "")
        for text in answer.actions:
            try:
                events = game.play(text)
            except RulesError as error:
                self._fault(process, match, game, "ILLEGAL", error.rule)
                return
            if len(events) > 1 or game.state.is_over or game.state.to_act != seat:
                return

    def _fault(self, process: Process, match: str, game: Game, reason: str, rule: str) -> None:
        index = len(game.events)
        action = default_action(game.state, game.seed, index)
        fault = Fault(match_id=match, index=index, reason=reason, rule=rule, strikes=1, played=str(action))
        game.play(action)
        self.faults.append(fault)
        process.send(ServerMessage(fault=fault))

    def _request(self, match: str, game: Game, seat: int, since: int) -> DecisionRequest:
        seen = codec.encode_view(view(game.state, seat))
        return DecisionRequest(
            match_id=match,
            index=len(game.events),
            seat=seat,
            phase=seen.phase,
            view=seen,
            events=codec.encode_events(game.seen_events(seat, since), since),
            legal=[str(action) for action in game.state.legal],
            bank_ms=CLOCK["bank_ms"],
            increment_ms=CLOCK["increment_ms"],
            cap_ms=CLOCK["cap_ms"],
            last_round_trip=codec.encode_round_trip(1_000_000, 2_000_000, 3_000_000),
        )

    def _terms(self, ruleset: Ruleset, seat: int, seats: int, secret: bytes) -> MatchTerms:
        return MatchTerms(
            ruleset=codec.encode_ruleset(ruleset.document()),
            seat=seat,
            participants=codec.encode_participants([{"name": "bot", "version": "1"}] * seats),
            clock=codec.encode_clock(CLOCK),
            policy=codec.encode_policy(POLICY),
            commitment=commitment(secret),
            rated=True,
        )
