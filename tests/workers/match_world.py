"""The loop of a match on a simulated bus, row and clock, in which anything may break.

Everything that the loop does or receives is written to one journal. Invariants are asserted while it runs.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from queue import Empty
from threading import Event as Flag
from typing import Any

from msgspec.structs import replace

from arena.bus import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    REVEAL_INDEX,
    BusUnavailable,
    FromBot,
    Presence,
    ToBot,
    WireKind,
    WireReason,
    probed_session,
)
from arena.referee import SECOND, Clock, Entry, Event, Kind, Policy, Terms
from arena.rules import Ruleset
from arena.wire import codec
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Reveal
from webui.matches.values import LogAppend, LostOwnership, MatchEnding, SeenDecision
from workers.needs import Need, Send, SlowWork, Wait, Write
from workers.paths import PresenceSnapshot

EPOCH = 3
SEATS = (1, 2)
NONCE = b"n" * 16
OPENING = [Kind.COMMIT, Kind.COMMIT, Kind.READY, Kind.READY]
"""Entries of a match that begins without trouble."""
BEFORE_THE_GAME = (OFFER_INDEX, REVEAL_INDEX)
"""Indexes of the asks before the first decision."""
GAME = (Kind.DECISION, Kind.CHANCE)
"""Entries that are events of the game."""
LONGEST = 300
"""Number of waits after which the process gets the signal to stop."""


@dataclass
class Written:
    """Entries were stored durably."""

    entries: tuple[Entry, ...]


@dataclass
class Sent:
    """Messages were put on the bus."""

    envelopes: tuple[ToBot, ...]


@dataclass
class Ended:
    """The end was stored in the row."""


@dataclass
class World:
    """Two gateways with a bot each, a row and a clock; `chance` decides what breaks."""

    chance: random.Random
    trouble: float
    """Probability, at every wait and every push, that something breaks."""
    now: int = 10**12
    journal: list[Written | Sent | Ended | Event] = field(default_factory=list)
    inbox: deque[FromBot] = field(default_factory=deque)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    """Numbers of the messages in the inbox."""
    waits: int = 0
    epoch: int = EPOCH
    is_ours: bool = True
    """Whether the row knows no later owner."""
    id: str = "worker"
    stopping: Flag = field(default_factory=Flag)
    renew_at: int = 10**18
    house: frozenset[int] = frozenset()
    """Seats of bots of the arena."""
    is_aside: bool = False
    """Whether the loop has slow work done in another thread."""

    def __post_init__(self) -> None:
        bots = [
            Presence(f"bot{seat}", f"g{seat}", bot=seat, bot_version=seat, owner=seat, process="p", wants_legal=True)
            for seat in SEATS
        ]
        self.bots = {bot.id: bot for bot in bots}
        self.presence = PresenceSnapshot()
        self.asks: dict[str, ToBot] = {}
        """Pending ask of each bot."""
        self.opened: dict[str, int] = {}
        """Time at which each bot received it."""
        self.stalled = 0
        """Time for which the gateways have been stalled."""
        self.terms = Terms("m", Ruleset(len(SEATS)), bytes(32), Clock(), Policy(strikes=50))

    @property
    def log(self) -> list[Entry]:
        return [entry for one in self.journal if isinstance(one, Written) for entry in one.entries]

    def breaks(self, weight: float = 1) -> bool:
        return self.chance.random() < self.trouble * weight

    # Needs of the loop

    def do(self, need: Need) -> Any:
        match need:
            case Write(append):
                self.append(append.entries, append.seen) if append.entries else self.renew(self.now)
            case Send(mail):
                return {gateway: error for gateway, some in mail.items() if (error := self.push(gateway, some))}
            case Wait(until):
                return self.wait(max(0, until - self.now) / SECOND)
            case SlowWork(work):
                self.is_aside = True
                try:
                    return work()
                finally:
                    self.is_aside = False
        return None

    def push(self, gateway: str, envelopes: Sequence[ToBot]) -> BusUnavailable | None:
        try:
            self.send_to_gateway(gateway, *envelopes)
        except BusUnavailable as error:
            return error
        return None

    def wait(self, timeout: float) -> list[FromBot]:
        messages = []
        try:
            messages.append(self.get(timeout))
            while True:
                messages.append(self.get_nowait())
        except Empty:
            return messages

    # The row

    def renewal(self) -> LogAppend:
        return LogAppend("m", EPOCH, 0, 5)

    def addition(self, entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> LogAppend:
        return LogAppend("m", EPOCH, entries[0].number, 5, entries, seen)

    def was_renewed(self) -> None:
        pass

    def renew(self, now: int) -> None:
        assert not any(isinstance(one, Ended) for one in self.journal), "a match that has ended is not renewed"

    def append(self, entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> None:
        if self.breaks(0.02):
            self.is_ours = False
        if not self.is_ours:
            raise LostOwnership("somebody else has it")
        assert [entry.number for entry in entries] == list(range(len(self.log), len(self.log) + len(entries)))
        self.journal.append(Written(tuple(entries)))

    def finish(self, verdict: Any, document: Any) -> MatchEnding:
        self.journal.append(Ended())
        return MatchEnding("m", "FINISHED", (1, 2), None, None)

    def abort(self, reason: str, seats: Sequence[int]) -> None:
        self.journal.append(Ended())

    def rests_ms(self, seats: Sequence[int]) -> dict[int, int]:
        return {}

    # The bus

    def send_to_gateway(self, gateway: str, *envelopes: ToBot) -> None:
        assert self.is_ours, "nothing is sent after the match was lost"
        if self.breaks(0.3):
            raise BusUnavailable("away")
        for envelope in envelopes:
            if envelope.ask and envelope.index not in BEFORE_THE_GAME:
                durable = sum(entry.kind in GAME for entry in self.log)
                assert envelope.index == durable, "it asks for what is not durable"
        self.journal.append(Sent(envelopes))
        for envelope in envelopes:
            if not self.breaks(0.3):
                self.deliver(gateway, envelope)

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        bot = self.bots.get(envelope.session)
        if envelope.session.startswith(PROBE):
            self.answer_probe(gateway, envelope)
        elif bot is None or bot.gateway != gateway:
            self.tell(envelope, gateway, WireKind.UNDELIVERABLE, WireReason.UNKNOWN_SESSION)
        elif envelope.ask:
            if self.asks.get(bot.id, envelope).index != envelope.index or bot.id not in self.asks:
                self.opened[bot.id] = self.now - self.stalled
            self.asks[bot.id] = envelope
            if not bot.connected:
                self.tell(envelope, gateway, WireKind.LOST, WireReason.STREAM_LOST)
            elif not self.breaks(0.3):
                self.answer(bot)

    def answer_probe(self, gateway: str, probe: ToBot) -> None:
        """Answer with the gateway's knowledge of the clock."""
        session = probed_session(probe.session)
        ask = self.asks.get(session)
        index, open_ns = (NO_ASK, 0)
        if ask is not None and self.bots[session].gateway == gateway:
            index, open_ns = ask.index, self.now - self.stalled - self.opened[session]
        notice = FromBot("m", probe.seat, probe.session, WireKind.UNDELIVERABLE, b"", EPOCH, index, gateway=gateway)
        self.say(replace(notice, open_ns=open_ns, reason=WireReason.UNKNOWN_SESSION))

    def answer(self, bot: Presence) -> None:
        """Let the bot answer its ask, which the gateway then forgets."""
        ask = self.asks.pop(bot.id)
        message = codec.decode_server(ask.payload)
        if message.HasField("offer"):
            reply = BotMessage(accept=Accept(match_id="m", nonce_hash=sha256(NONCE).digest()))
        elif message.HasField("reveal_request"):
            reply = BotMessage(reveal=Reveal(match_id="m", nonce=NONCE))
        else:
            actions = [self.chance.choice(list(message.request.legal))]
            if self.breaks():
                actions = ["nonsense"]
            reply = BotMessage(answer=Answer(match_id="m", index=ask.index, actions=actions))
        payload = b"\xff" if self.breaks(0.1) else reply.SerializeToString()
        answer = FromBot(
            "m", ask.seat, bot.id, WireKind.MESSAGE, payload, EPOCH, ask.index, is_answer=True, gateway=bot.gateway
        )  # fmt: skip
        for _ in range(2 if self.breaks() else 1):
            self.say(answer)

    def tell(self, envelope: ToBot, gateway: str, kind: WireKind, reason: WireReason) -> None:
        self.say(FromBot("m", envelope.seat, envelope.session, kind, b"", EPOCH, gateway=gateway, reason=reason))

    def say(self, message: FromBot) -> None:
        """Put a message of a gateway into the inbox."""
        self.inbox.append(replace(message, number=next(self.numbers)))

    # The link

    def refresh_presence(self, *, older_than_s: float = 0) -> None:
        self.presence = PresenceSnapshot(dict(self.bots), self.now)

    # The inbox

    def get(self, timeout: float) -> FromBot:
        assert timeout >= 0
        self.waits += 1
        if self.waits > LONGEST:
            self.stopping.set()
        if self.breaks():
            self.change_something()
        if not self.inbox:
            self.now += round(timeout * SECOND) + 1
            self.refresh_presence()
        return self.get_nowait()

    def get_nowait(self) -> FromBot:
        self.now += 1000
        if not self.inbox:
            raise Empty
        return self.inbox.popleft()

    def change(self, bot: Presence, *, connected: bool) -> None:
        """Let the bot drop its stream or reconnect."""
        self.bots[bot.id] = replace(bot, connected=connected)
        about = ToBot(bot.id, "m", int(bot.id[3:]), EPOCH, "worker", b"")
        self.tell(about, bot.gateway, WireKind.BACK if connected else WireKind.LOST, WireReason.NONE)
        if connected and bot.id in self.asks:
            self.answer(self.bots[bot.id])

    def change_something(self) -> None:
        bot = self.chance.choice(list(self.bots.values()))
        about = ToBot(bot.id, "m", int(bot.id[3:]), EPOCH, "worker", b"")
        match self.chance.choice(["drop", "come back", "come back", "move", "die", "flood"]):
            case "drop":
                self.change(bot, connected=False)
            case "come back":
                self.change(bot, connected=True)
            case "move":
                self.bots[bot.id] = replace(bot, gateway=f"{bot.gateway}'"[:6], connected=True)
                self.tell(about, bot.gateway, WireKind.MOVED, WireReason.TAKEN_OVER)
            case "die":
                self.bots[bot.id] = replace(bot, gateway=f"{bot.gateway}+"[:6], connected=True)
                self.asks.pop(bot.id, None)
            case "flood":
                self.tell(about, bot.gateway, WireKind.FAULT, WireReason.FLOODING)
