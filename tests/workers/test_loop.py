"""The order in which the loop of a match does things, whatever happens: on a bus, a row and a clock made of nothing.

Everything that the loop does or hears goes into one journal. What must hold is asserted while it runs.
"""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_terms
from pathlib import Path
from queue import Empty
from threading import Event as Flag
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import workers.loop
from arena.bus import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    BusUnavailable,
    FromBot,
    Presence,
    ToBot,
    WireKind,
    WireReason,
    probed_session,
)
from arena.referee import (
    SECOND,
    AskWritten,
    Clock,
    Command,
    Entry,
    Event,
    Kind,
    MoveArrived,
    PathLost,
    Policy,
    Record,
    Referee,
    SeatBack,
    Terms,
    TimePassed,
)
from arena.rules import Ruleset
from arena.wire import codec
from arena.wire.matches import MatchCodec
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage
from webui.ladder.values import LostOwnership, MatchEnding
from workers import inbound, outbound
from workers.driver import SLACK_MS
from workers.loop import HandBack, MatchLoop
from workers.presence import PresenceSnapshot
from workers.ways import SeatWay, Ways

EPOCH = 3
SEATS = (1, 2)
GAME = (Kind.DECISION, Kind.CHANCE)
"""Entries that are events of the game."""
LONGEST = 300
"""So many waits, and the process is told to stop."""


def test_every_message_and_every_command_has_a_handler_and_every_reason_a_meaning() -> None:
    assert set(inbound.HANDLERS) == set(WireKind)
    assert set(inbound.REASONS) == set(WireReason)
    assert set(outbound.HANDLERS) == set(get_args(Command))


def test_the_readme_names_every_message_event_and_command() -> None:
    text = Path(workers.loop.__file__).with_name("README.md").read_text()
    kinds = [str(kind) for kind in WireKind]
    events = {event.__name__ for event in get_args(Event)} - {"MatchOpened"}  # the loop's own, before all others
    commands = {command.__name__ for command in get_args(Command)}
    assert not [name for name in (*kinds, *events, *commands) if f"`{name}`" not in text]


def house(name: str, seed: bytes, view: Any, legal: list[str]) -> str:
    return legal[0]


@dataclass
class Written:
    """Entries that are durable."""

    entries: tuple[Entry, ...]


@dataclass
class Sent:
    """Messages that are on the bus."""

    envelopes: tuple[ToBot, ...]


@dataclass
class Ended:
    """The row has its end."""


@dataclass
class World:
    """Two gateways with a bot each, a row and a clock; `chance` decides what breaks."""

    chance: random.Random
    trouble: float
    """How likely it is, at every wait and every push, that something breaks."""
    now: int = 10**12
    journal: list[Written | Sent | Ended | Event] = field(default_factory=list)
    inbox: deque[FromBot] = field(default_factory=deque)
    waits: int = 0
    epoch: int = EPOCH
    is_ours: bool = True
    """Whether the row knows no later owner."""
    id: str = "worker"
    stopping: Flag = field(default_factory=Flag)
    renew_at: int = 10**18

    def __post_init__(self) -> None:
        bots = [
            Presence(f"bot{seat}", f"g{seat}", bot=seat, bot_version=seat, owner=seat, process="p", wants_legal=True)
            for seat in SEATS
        ]
        self.bots = {bot.id: bot for bot in bots}
        self.presence = PresenceSnapshot()
        self.asks: dict[str, ToBot] = {}
        """The open ask of each bot."""
        self.opened: dict[str, int] = {}
        """When each bot was sent it."""
        self.stalled = 0
        """For how long the gateways have stood still."""
        self.terms = Terms("m", Ruleset(len(SEATS)), bytes(32), Clock(), Policy(strikes=50))

    @property
    def bus(self) -> World:
        return self

    @property
    def log(self) -> list[Entry]:
        return [entry for one in self.journal if isinstance(one, Written) for entry in one.entries]

    def breaks(self, weight: float = 1) -> bool:
        return self.chance.random() < self.trouble * weight

    # The row

    def renew(self, now: int) -> None:
        assert not any(isinstance(one, Ended) for one in self.journal), "a match that has ended is not renewed"

    def append(self, entries: Sequence[Entry]) -> None:
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

    # The bus

    def wake(self, match: str) -> None:
        pass

    def send_to_gateway(self, gateway: str, *envelopes: ToBot) -> None:
        assert self.is_ours, "nothing is sent after the match was lost"
        if self.breaks(0.3):
            raise BusUnavailable("away")
        for envelope in envelopes:
            if envelope.ask and envelope.index != OFFER_INDEX:
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
        """The gateway says what it knows about the clock."""
        session = probed_session(probe.session)
        ask = self.asks.get(session)
        index, open_ns = (NO_ASK, 0)
        if ask is not None and self.bots[session].gateway == gateway:
            index, open_ns = ask.index, self.now - self.stalled - self.opened[session]
        notice = FromBot("m", probe.seat, probe.session, WireKind.UNDELIVERABLE, b"", EPOCH, index, gateway=gateway)
        self.inbox.append(replace(notice, open_ns=open_ns, reason=WireReason.UNKNOWN_SESSION))

    def answer(self, bot: Presence) -> None:
        """The bot answers what it is asked, and the gateway forgets the ask."""
        ask = self.asks.pop(bot.id)
        message = codec.decode_server(ask.payload)
        if message.HasField("offer"):
            reply = BotMessage(accept=Accept(match_id="m", nonce=b"n"))
        else:
            actions = [self.chance.choice(list(message.request.legal))]
            if self.breaks():
                actions = ["nonsense"]
            reply = BotMessage(answer=Answer(match_id="m", index=ask.index, actions=actions))
        payload = b"\xff" if self.breaks(0.1) else reply.SerializeToString()
        answer = FromBot(
            "m", ask.seat, bot.id, WireKind.MESSAGE, payload, EPOCH, ask.index, is_answer=True, gateway=bot.gateway
        )  # fmt: skip
        self.inbox.extend([answer] * (2 if self.breaks() else 1))

    def tell(self, envelope: ToBot, gateway: str, kind: WireKind, reason: WireReason) -> None:
        self.inbox.append(
            FromBot("m", envelope.seat, envelope.session, kind, b"", EPOCH, gateway=gateway, reason=reason)
        )

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
        """The bot drops its stream, or is back."""
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


class Watched(Referee):
    """A referee that writes every event into the journal, and looks at what came before."""

    world: World

    def handle(self, event: Event, now: int) -> list[Command]:
        assert self.is_alone(), "an event is handled while another one is"
        journal = self.world.journal
        if isinstance(event, AskWritten):
            before = next(one for one in reversed(journal) if not isinstance(one, PathLost))
            assert isinstance(before, Sent), f"after {before}, not right after the ask was on the bus"
            pushes = []
            for one in reversed(journal):
                if isinstance(one, Sent):
                    pushes += one.envelopes
                elif not isinstance(one, PathLost):
                    break
            assert (event.seat, event.index) in {(one.seat, one.index) for one in pushes if one.ask}
        journal.append(event)
        return super().handle(event, now)

    def is_alone(self) -> bool:
        steps, frame = 0, sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            steps += frame.f_code is MatchLoop._step.__code__
        return steps == 1


def loop_in(world: World) -> MatchLoop:
    referee = Watched.resume(world.terms, [], house, SLACK_MS)
    assert isinstance(referee, Watched)
    referee.world = world
    ways = Ways({seat: SeatWay(seat) for seat in SEATS})
    people = [{"name": f"bot{seat}", "version": "1", "owner": "o"} for seat in SEATS]
    messages = MatchCodec("m", world.terms.ruleset, people, world.terms.clock, world.terms.policy, bytes(32), False)
    link: Any = world
    return MatchLoop(referee, messages, ways, link, link, link, clock=lambda: world.now)


def run(world: World) -> str:
    """How the loop of this world's match ended."""
    try:
        loop_in(world).run()
    except HandBack:
        return "handed back"
    except LostOwnership:
        return "lost"
    return "ended"


def check_journal(world: World) -> None:
    """What must hold of every journal, besides what the world asserts while it runs."""
    Record.fold(world.terms, world.log)  # every prefix that was sent from is one; so is the whole
    asked: set[tuple[int, int]] = set()
    for one in world.journal:
        if isinstance(one, Sent):
            asked |= {(envelope.seat, envelope.index) for envelope in one.envelopes if envelope.ask}
        elif isinstance(one, AskWritten):
            assert (one.seat, one.index) in asked
    ends = [at for at, one in enumerate(world.journal) if isinstance(one, Ended)]
    assert len(ends) <= 1
    for one in world.journal[ends[0] :] if ends else []:
        if isinstance(one, Sent):
            assert not any(envelope.ask or envelope.session.startswith(PROBE) for envelope in one.envelopes)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), trouble=st.sampled_from([0.02, 0.1, 0.3]))
def test_an_append_precedes_what_follows_from_it_and_each_event_is_handled_alone(seed: int, trouble: float) -> None:
    world = World(random.Random(seed), trouble)
    end = run(world)
    check_journal(world)
    assert (end == "lost") == (not world.is_ours)
    assert (end == "ended") == any(isinstance(one, Ended) for one in world.journal)


def test_a_match_without_trouble_ends_and_asks_once_for_each_answer() -> None:
    world = World(random.Random(1), trouble=0)
    assert run(world) == "ended"
    check_journal(world)
    written = [one for one in world.journal if isinstance(one, AskWritten)]
    assert len(written) == len([one for one in world.journal if isinstance(one, MoveArrived)])
    assert not [one for one in world.journal if isinstance(one, PathLost | TimePassed)]
    assert [entry.kind for entry in world.log if entry.kind not in GAME] == [Kind.READY, Kind.READY]


def test_an_ask_that_is_not_on_the_bus_is_not_written_and_asked_again_where_the_bot_is() -> None:
    world = World(random.Random(1), trouble=0)
    push, failed = world.send_to_gateway, []

    def refuse_one(gateway: str, *envelopes: ToBot) -> None:
        asks = [(envelope.seat, envelope.index) for envelope in envelopes if envelope.ask and envelope.index >= 10]
        if asks and not failed:
            failed.extend(asks)
            raise BusUnavailable("away")
        push(gateway, *envelopes)

    world.send_to_gateway = refuse_one  # type: ignore[method-assign]
    assert run(world) == "ended"
    check_journal(world)
    ((seat, index),) = failed
    at = world.journal.index(PathLost(seat))
    later = [one for one in world.journal[at:] if isinstance(one, SeatBack | AskWritten)]
    assert later[:2] == [SeatBack(seat), AskWritten(seat, index)]
    assert AskWritten(seat, index) not in world.journal[:at]


def test_nothing_is_sent_once_the_match_is_lost() -> None:
    world = World(random.Random(1), trouble=0)
    append = world.append

    def lose(entries: Sequence[Entry]) -> None:
        world.is_ours = world.is_ours and len(world.log) < 20
        append(entries)

    world.append = lose  # type: ignore[method-assign]
    assert run(world) == "lost"
    check_journal(world)


@dataclass
class StandingStill(World):
    """At the first ask of this index or a later one, both gateways stand still for a while."""

    at: int = 10
    for_s: float = 11
    resumes_at: int | None = None
    mail: list[tuple[str, ToBot]] = field(default_factory=list)
    is_done: bool = False
    has_answers: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.terms = replace_terms(self.terms, clock=Clock(cap_ms=5_000), policy=Policy())

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        if self.resumes_at is not None:
            self.mail.append((gateway, envelope))
            return
        if not self.is_done and envelope.ask and envelope.index >= self.at:
            self.is_done = True
            self.asks[envelope.session], self.opened[envelope.session] = envelope, self.now - self.stalled
            self.resumes_at = self.now + round(self.for_s * SECOND)  # the answer is there, and not read
            return
        super().deliver(gateway, envelope)

    def get(self, timeout: float) -> FromBot:
        if self.has_answers and not self.inbox:
            self.has_answers = False
            for bot in [self.bots[session] for session in self.asks]:
                self.answer(bot)
        if self.resumes_at is not None:
            timeout = min(timeout, max(0, self.resumes_at - self.now) / SECOND)
        try:
            return super().get(timeout)
        finally:
            if self.resumes_at is not None and self.now >= self.resumes_at:
                self.stalled += round(self.for_s * SECOND)
                self.resumes_at, mail, self.mail = None, self.mail, []
                probes = [one for one in mail if one[1].session.startswith(PROBE)]
                for gateway, envelope in probes:  # Redis is read before the streams
                    self.deliver(gateway, envelope)
                self.has_answers = True


@pytest.mark.parametrize("for_s", [2, 7.5, 11, 45])
def test_a_gateway_that_stands_still_is_charged_to_nobody(for_s: float) -> None:
    world = StandingStill(random.Random(1), trouble=0, for_s=for_s)
    assert run(world) == "ended"
    check_journal(world)
    assert world.is_done and world.stalled
    assert not [entry for entry in world.log if entry.kind == Kind.FAULT]


@pytest.mark.parametrize("for_s", [2, 12.5, 45])
def test_offers_are_not_late_while_a_gateway_stands_still(for_s: float) -> None:
    world = StandingStill(random.Random(1), trouble=0, for_s=for_s, at=OFFER_INDEX)
    assert run(world) == "ended"
    assert world.stalled
    assert [entry.kind for entry in world.log if entry.kind not in GAME] == [Kind.READY, Kind.READY]


def test_a_bot_that_does_not_answer_is_late_by_its_gateways_clock() -> None:
    world = World(random.Random(1), trouble=0)
    silent = {OFFER_INDEX: World.answer}
    world.answer = lambda bot: silent.get(world.asks[bot.id].index, lambda *_: None)(world, bot)  # type: ignore[method-assign]
    run(world)
    assert {entry.text for entry in world.log if entry.kind == Kind.FAULT} == {"LATE"}


def test_a_bot_without_a_way_to_it_is_not_blamed_for_its_offer() -> None:
    world = World(random.Random(1), trouble=0)
    del world.bots["bot2"]
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_PLACE", [])


def test_a_bot_with_a_sound_way_to_it_is_blamed_for_its_offer() -> None:
    world = World(random.Random(1), trouble=0)
    world.answer = lambda bot: None if bot.id == "bot2" else World.answer(world, bot)  # type: ignore[method-assign]
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_ANSWER", [2])


def test_a_worker_that_stands_still_takes_nothing_off_the_grace_of_a_bot() -> None:
    world = World(random.Random(1), trouble=0)
    push, steps = world.send_to_gateway, []

    def drop_one(gateway: str, *envelopes: ToBot) -> None:
        if not steps and any(envelope.ask and envelope.index >= 10 for envelope in envelopes):
            bot = world.bots[next(one.session for one in envelopes if one.ask)]
            world.change(bot, connected=False)
            steps.append(bot.id)
        push(gateway, *envelopes)

    def stand_still(timeout: float) -> FromBot:
        if len(steps) == 1 and any(entry.kind == Kind.LOST for entry in world.log):
            world.now += 90 * SECOND
            world.change(world.bots[steps[0]], connected=True)
            steps.append("back")
        return World.get(world, timeout)

    world.send_to_gateway, world.get = drop_one, stand_still  # type: ignore[method-assign]
    assert run(world) == "ended"
    (back,) = [entry for entry in world.log if entry.kind == Kind.BACK]
    assert back.data is not None and back.data["away_ms"] < 5_000
    assert not [entry for entry in world.log if entry.kind in (Kind.FAULT, Kind.FORFEIT)]


def test_a_bot_that_redials_again_and_again_has_no_more_time_for_it() -> None:
    world = World(random.Random(1), trouble=0)
    world.terms = replace_terms(world.terms, clock=Clock(cap_ms=5_000))
    asked_at: list[int] = []

    def redial(timeout: float) -> FromBot:
        for session, ask in list(world.asks.items()):
            bot, open_ns = world.bots[session], world.now - world.opened[session]
            if open_ns > 4 * SECOND:
                world.bots[session] = replace(bot, gateway="g2" if bot.gateway == "g1" else "g1")
                del world.asks[session]
                about = ToBot(session, "m", ask.seat, EPOCH, "worker", b"")
                world.tell(about, bot.gateway, WireKind.MOVED, WireReason.TAKEN_OVER)
                world.inbox.append(replace(world.inbox.pop(), index=ask.index, open_ns=open_ns))
        return World.get(world, min(timeout, 0.5))

    def think(bot: Presence) -> None:
        if world.asks[bot.id].index == OFFER_INDEX or any(entry.kind == Kind.FAULT for entry in world.log):
            World.answer(world, bot)
        elif not asked_at:
            asked_at.append(world.now)

    world.get, world.answer = redial, think  # type: ignore[method-assign]
    fault_at: list[int] = []
    append = world.append

    def note(entries: Sequence[Entry]) -> None:
        append(entries)
        fault_at.extend(world.now for entry in entries if entry.kind == Kind.FAULT)

    world.append = note  # type: ignore[method-assign]
    run(world)
    assert [entry.text for entry in world.log if entry.kind == Kind.FAULT] == ["LATE"]
    assert fault_at[0] - asked_at[0] < 10 * SECOND
