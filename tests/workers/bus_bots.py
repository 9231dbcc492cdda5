"""Bots that use the bus directly, in place of a gateway and its streams: one thread for any number of bots.

Asks are remembered and measured by the gateway's own code (`SeatAtMatch`). Only the network is missing.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from itertools import count
from threading import Condition, Event, RLock, Thread
from typing import Any

from msgspec.structs import replace

from arena.bus import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    REVEAL_INDEX,
    Bus,
    BusUnavailable,
    FromBot,
    Presence,
    ToBot,
    hosted_session,
    probed_session,
    session_id,
)
from arena.gateway.seats import SeatAtMatch
from arena.wire import codec
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, DecisionRequest, Decline, Reveal, ServerMessage

Choose = Callable[[DecisionRequest], list[str] | None]
"""Function that returns the actions of an answer; None for no answer."""


def pick(request: DecisionRequest) -> list[str]:
    """Return a legal action that depends only on the game, so that it can be played twice."""
    return [random.Random(request.index).choice(list(request.legal))]


class BusBots:
    """A simulated gateway, with bots behind it."""

    def __init__(self, url: str, name: str = "test") -> None:
        self.bus = Bus(url)
        self.gateway = f"bots-{name}"
        self.heard: list[tuple[str, ServerMessage]] = []
        """Session and message, for all messages to bots."""
        self.held: dict[str, Presence] = {}
        self.leaving: set[str] = set()
        """Sessions that have said that they are leaving, which presence does not show yet."""
        self._nonces: dict[int, bytes] = {}
        """Order in which each version was added, from which its nonces follow, together with the name of the process.

        Other bots can therefore play the same game again.
        """
        self._choose: dict[str, Choose | None] = {}
        self._think_s: dict[str, float] = {}
        self._seats: dict[tuple[str, str], SeatAtMatch] = {}
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._numbers = count(1)
        self._lock = RLock()
        self._due_changed = Condition(self._lock)
        self._closed = Event()
        self._threads = [Thread(target=work, daemon=True) for work in (self._read, self._announce, self._speak)]

    def __enter__(self) -> BusBots:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.die()

    def add(
        self,
        version: int,
        choose: Choose | None = pick,
        *,
        name: str = "",
        runner: str = "",
        think_s: float = 0,
        capacity: int = 200,
    ) -> str:
        """Add a bot process, or one that the runner of this id plays; without `choose` it declines every offer."""
        session = Presence(
            id=hosted_session(version, runner) if runner else session_id(version, name),
            gateway=self.gateway,
            bot=version,
            bot_version=version,
            owner=version,
            process=name,
            token=version,
            capacity=capacity,
            wants_legal=True,
        )
        with self._lock:
            self.held[session.id] = session
            self._nonces.setdefault(version, b"%d" % len(self._nonces))
            self._choose[session.id] = choose
            self._think_s[session.id] = think_s
            self.bus.announce(session)
        return session.id

    def lose(self, session: str) -> None:
        """Drop the bot's stream."""
        self._attach(session, connected=False)

    def come_back(self, session: str) -> None:
        """Reconnect the bot."""
        self._attach(session, connected=True)
        with self._lock:
            for seat in self._seats_of(session):
                if seat.ask is not None:
                    self._deliver(seat, seat.ask.payload)

    def fault(self, session: str, reason: str) -> None:
        """Let the bot break a limit of the protocol."""
        with self._lock:
            for seat in self._seats_of(session):
                self._tell(seat, seat.notice("fault", gateway=self.gateway, reason=reason))

    def die(self) -> None:
        """Die as by SIGKILL, without notifying anybody."""
        self._closed.set()
        with self._due_changed:
            self._due_changed.notify()
        for thread in self._threads:
            thread.join()

    def messages(self, kind: str, session: str | None = None) -> list[Any]:
        """Return the messages of one kind that bots received."""
        with self._lock:
            return [
                getattr(message, kind)
                for to, message in self.heard
                if message.WhichOneof("kind") == kind and session in (None, to)
            ]

    def _attach(self, session: str, *, connected: bool) -> None:
        with self._lock:
            self.held[session] = replace(self.held[session], connected=connected)
            self.bus.announce(self.held[session])
            for seat in self._seats_of(session):
                self._tell(seat, seat.notice("back" if connected else "lost", gateway=self.gateway))

    def _seats_of(self, session: str) -> list[SeatAtMatch]:
        return [seat for (owner, _), seat in self._seats.items() if owner == session]

    def _tell(self, seat: SeatAtMatch, message: FromBot) -> None:
        self._send(seat.reply_to, message)

    def _send(self, worker: str, message: FromBot) -> None:
        self.bus.send_to_worker(worker, replace(message, number=next(self._numbers)))

    def _refuse(self, envelope: ToBot, reason: str) -> None:
        seat = SeatAtMatch(envelope, 0)
        notice = seat.notice("undeliverable", gateway=self.gateway, reason=reason, index=envelope.index)
        self._tell(seat, notice)

    def _read(self) -> None:
        while not self._closed.is_set():
            for envelope in self.bus.receive_for_gateway(self.gateway, 0.2):
                if isinstance(envelope, ToBot) and not self._closed.is_set():
                    with self._lock:
                        self._take(envelope)

    def _announce(self) -> None:
        while not self._closed.wait(1):
            with self._lock, suppress(BusUnavailable):
                self.bus.announce(*self.held.values())

    def _take(self, envelope: ToBot) -> None:
        session, now = self.held.get(envelope.session), time.monotonic_ns()
        if envelope.session.startswith(PROBE):
            self._answer_probe(envelope, now)
            return
        if session is None:
            self._refuse(envelope, "UNKNOWN_SESSION")
            return
        if envelope.session in self.leaving and envelope.ask and envelope.index == OFFER_INDEX:
            self.held[envelope.session] = replace(session, leaving=True)
            self.bus.announce(self.held[envelope.session])
            self._refuse(envelope, "LEAVING")
            return
        seat = self._seats.setdefault((envelope.session, envelope.match), SeatAtMatch(envelope, now))
        taken = seat.take(envelope, now, connected=session.connected)
        if taken == "stale":
            self._refuse(envelope, "STALE_EPOCH")
        elif taken == "answered":
            self._tell(seat, seat.answer_again())
        elif taken == "write" and session.connected:
            self._deliver(seat, envelope.payload)
        if envelope.ask and not session.connected:
            self._tell(seat, seat.notice("lost", gateway=self.gateway, reason="STREAM_LOST"))
        if envelope.final:
            del self._seats[envelope.session, envelope.match]

    def _answer_probe(self, probe: ToBot, now: int) -> None:
        seat = self._seats.get((probed_session(probe.session), probe.match))
        ask = seat.ask if seat is not None else None
        notice = SeatAtMatch(probe, now).notice("undeliverable", gateway=self.gateway, reason="UNKNOWN_SESSION")
        index, open_ns = (ask.index, ask.open_ns(now, 0)) if ask is not None else (NO_ASK, 0)
        self._send(probe.reply_to, replace(notice, index=index, open_ns=open_ns))

    def _deliver(self, seat: SeatAtMatch, payload: bytes) -> None:
        """Let the bot read a message, and answer when it has thought."""
        message = codec.decode_server(payload)
        self.heard.append((seat.session, message))
        if seat.ask is not None:
            seat.ask.start(time.monotonic_ns())
        choose, reply = self._choose[seat.session], None
        bot = self.held[seat.session]
        nonce = sha256(self._nonces[bot.bot_version] + bot.process.encode()).digest()[:16]
        if message.HasField("offer"):
            accept = BotMessage(accept=Accept(match_id=seat.match, nonce_hash=sha256(nonce).digest()))
            decline = BotMessage(decline=Decline(match_id=seat.match, reason="busy"))
            self._answer(seat, OFFER_INDEX, accept if choose else decline)
        elif message.HasField("reveal_request"):
            self._answer(seat, REVEAL_INDEX, BotMessage(reveal=Reveal(match_id=seat.match, nonce=nonce)))
        elif message.HasField("request") and choose is not None:
            actions = choose(message.request)
            if actions is not None:
                answer = Answer(match_id=seat.match, index=message.request.index, actions=actions, note="n")
                reply = BotMessage(answer=answer)
                self._later(self._think_s[seat.session], lambda: self._answer(seat, answer.index, reply))

    def _later(self, delay: float, work: Callable[[], None]) -> None:
        if not delay:
            work()
            return
        self._count += 1
        heapq.heappush(self._due, (time.monotonic() + delay, self._count, work))
        self._due_changed.notify()

    def _speak(self) -> None:
        with self._due_changed:
            while not self._closed.is_set():
                while self._due and self._due[0][0] <= time.monotonic():
                    heapq.heappop(self._due)[2]()
                self._due_changed.wait(max(0, self._due[0][0] - time.monotonic()) if self._due else None)

    def _answer(self, seat: SeatAtMatch, index: int, reply: BotMessage | None) -> None:
        if reply is None or self._closed.is_set() or not self.held[seat.session].connected:
            return
        now = time.monotonic_ns()
        payload = reply.SerializeToString()
        self._tell(
            seat,
            seat.answered(index, payload, now=now, network_ns=0, wall_ns=time.time_ns(), gateway=self.gateway),
        )
