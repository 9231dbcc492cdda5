"""Charges for time that passes: a bot pays for its own; nobody pays for a gateway's, a worker's or a lost path's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_terms

import pytest
from msgspec.structs import replace

from arena.bus import PROBE, REVEAL_INDEX, FromBot, Presence, ToBot, WireKind, WireReason
from arena.referee import SECOND, Clock, Entry, Kind, PathLost, Policy
from tests.workers.match_world import BEFORE_THE_GAME, EPOCH, GAME, OPENING, World
from tests.workers.watched_loop import check_journal, run
from webui.matches.values import SeenDecision


@dataclass
class StandingStill(World):
    """At the first ask of this index, or of a later one of the game, both gateways stall for a while."""

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
        if not self.is_done and envelope.ask and (envelope.index >= self.at >= 0 or envelope.index == self.at):
            self.is_done = True
            self.asks[envelope.session], self.opened[envelope.session] = envelope, self.now - self.stalled
            self.resumes_at = self.now + round(self.for_s * SECOND)  # the answer has arrived, but was not read
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


@dataclass
class Rebooting(World):
    """A bot's router restarts while the bot has an ask: its stream is gone for a while, and its gateway knows."""

    for_s: float = 40
    lost: str = ""
    back_at: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.terms = replace_terms(self.terms, clock=Clock(cap_ms=5_000), policy=Policy())

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        if not self.lost and envelope.ask and envelope.index >= 10:
            self.lost, self.back_at = envelope.session, self.now + round(self.for_s * SECOND)
            self.asks[envelope.session], self.opened[envelope.session] = envelope, self.now
            self.change(self.bots[envelope.session], connected=False)
            return
        super().deliver(gateway, envelope)

    def get(self, timeout: float) -> FromBot:
        if self.lost and not self.bots[self.lost].connected:
            if self.now >= self.back_at:
                self.change(self.bots[self.lost], connected=True)
                took = round(self.for_s * SECOND)
                self.inbox[-1] = replace(self.inbox[-1], think_ns=took + 1_000_000, gone_ns=took)
            timeout = min(timeout, max(0, self.back_at - self.now) / SECOND)
        return super().get(timeout)


@dataclass
class Starving(World):
    """From one moment on, a bot takes `for_s` for its answer, or drops its stream for as long."""

    at: int = 10
    for_s: float = 45
    drops: bool = False
    starving: str = ""
    fed_at: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.terms = replace_terms(self.terms, clock=Clock(cap_ms=5_000), policy=Policy(strikes=1))

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        is_due = envelope.index == self.at if self.at < 0 else envelope.index >= self.at
        if not self.starving and envelope.ask and envelope.seat == 1 and is_due:
            self.starving, self.fed_at = envelope.session, self.now + round(self.for_s * SECOND)
            if self.drops:
                self.change(self.bots[envelope.session], connected=False)
        if envelope.session == self.starving and self.now < self.fed_at:
            if self.asks.get(envelope.session) is None:
                self.opened[envelope.session] = self.now
            self.asks[envelope.session] = envelope
            return
        super().deliver(gateway, envelope)

    def get(self, timeout: float) -> FromBot:
        if self.starving in self.asks and self.now >= self.fed_at:
            bot = self.bots[self.starving]
            if bot.connected:
                self.answer(bot)
                self.inbox[-1] = replace(self.inbox[-1], think_ns=round(self.for_s * SECOND))
            else:
                self.change(bot, connected=True)
        if self.now < self.fed_at:
            self.waits = 0
            timeout = min(timeout, max(0, self.fed_at - self.now) / SECOND)
        return super().get(timeout)


@pytest.mark.parametrize("drops", [False, True], ids=["computes", "is away"])
@pytest.mark.parametrize("at", [REVEAL_INDEX, 10])
def test_a_bot_of_the_arena_waits_for_the_arenas_processor_at_nobodys_cost(at: int, *, drops: bool) -> None:
    def play(house: frozenset[int]) -> list[Entry]:
        world = Starving(random.Random(1), trouble=0, at=at, drops=drops, for_s=200, house=house)
        assert run(world) == "ended"
        check_journal(world)
        assert world.starving
        return world.log

    unjust = (Kind.FAULT, Kind.FORFEIT, Kind.LOST)
    assert [entry for entry in play(frozenset()) if entry.kind in unjust], "a guest's own time is charged"
    log = play(frozenset({1}))
    assert not [entry for entry in log if entry.kind in unjust]
    own = [entry.data or {} for entry in log if entry.kind == Kind.DECISION and entry.seat == 1]
    assert not any(data.get("ms") for data in own)


@pytest.mark.parametrize("drops", [False, True], ids=["computes", "is away"])
@pytest.mark.parametrize("at", [REVEAL_INDEX, 10])
def test_a_match_that_waits_for_a_bot_of_the_arena_in_vain_is_not_stuck(at: int, *, drops: bool) -> None:
    world = Starving(random.Random(1), trouble=0, at=at, drops=drops, for_s=10_000, house=frozenset({1}))
    assert run(world) == "silent"
    assert world.now < world.fed_at
    assert not [entry for entry in world.log if entry.kind in (Kind.FAULT, Kind.FORFEIT)]
    assert not [entry for entry in world.log if entry.kind == Kind.ABORT and entry.data and entry.data["seats"]]


def test_a_router_that_restarts_costs_a_bot_bank_and_grace_and_no_strike() -> None:
    world = Rebooting(random.Random(1), trouble=0)
    assert run(world) == "ended"
    check_journal(world)
    assert not [entry for entry in world.log if entry.kind in (Kind.FAULT, Kind.FORFEIT)]
    (back,) = [entry for entry in world.log if entry.kind == Kind.BACK]
    assert back.data is not None and 40_000 <= back.data["away_ms"] <= 40_100
    assert sum((entry.data or {}).get("ms", 0) for entry in world.log if entry.kind == Kind.DECISION) == 40_001


def test_a_router_that_is_away_for_longer_than_the_grace_costs_the_seat() -> None:
    world = Rebooting(random.Random(1), trouble=0, for_s=61)
    assert run(world) == "ended"
    assert [entry.text for entry in world.log if entry.kind in (Kind.FAULT, Kind.FORFEIT)] == ["GONE"]


@pytest.mark.parametrize("at", BEFORE_THE_GAME, ids=["offer", "reveal"])
@pytest.mark.parametrize("for_s", [2, 12.5, 45])
def test_nothing_before_the_game_is_late_while_a_gateway_stands_still(for_s: float, at: int) -> None:
    world = StandingStill(random.Random(1), trouble=0, for_s=for_s, at=at)
    assert run(world) == "ended"
    assert world.stalled
    assert [entry.kind for entry in world.log if entry.kind not in GAME] == OPENING


def test_a_bot_without_a_way_to_it_is_not_blamed_for_its_offer() -> None:
    world = World(random.Random(1), trouble=0)
    del world.bots["bot2"]
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_PLACE", [2])


def test_a_bot_with_a_sound_way_to_it_is_blamed_for_its_offer() -> None:
    world = World(random.Random(1), trouble=0)
    world.answer = lambda bot: None if bot.id == "bot2" else World.answer(world, bot)
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_ANSWER", [2])


def withholding(world: World) -> World:
    """Make bot 2 not answer the request for its nonce."""
    silent = {("bot2", REVEAL_INDEX)}
    world.answer = (  # type: ignore[method-assign]
        lambda bot: None if (bot.id, world.asks[bot.id].index) in silent else World.answer(world, bot)
    )
    return world


def test_a_way_that_breaks_before_the_nonce_is_revealed_is_found_again() -> None:
    """The gateway dies with the request. Presence shows the bot elsewhere, and it is asked there."""
    world = World(random.Random(1), trouble=0)
    died: list[str] = []

    def die(bot: Presence) -> None:
        if world.asks[bot.id].index == REVEAL_INDEX and bot.id == "bot2" and not died:
            died.append(world.asks.pop(bot.id).session)
            world.bots[bot.id] = replace(bot, gateway="g3")
            return
        World.answer(world, bot)

    world.answer = die  # type: ignore[method-assign]
    assert run(world) == "ended"
    assert died and PathLost(2) in world.journal
    assert [entry.kind for entry in world.log if entry.kind not in GAME] == OPENING


def test_a_bot_that_cannot_be_reached_for_its_nonce_is_not_blamed() -> None:
    world = withholding(World(random.Random(1), trouble=0))
    append = world.append

    def vanish(entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> None:
        append(entries, seen)
        if entries[-1].kind == Kind.READY:
            world.bots.pop("bot2", None)

    world.append = vanish  # type: ignore[method-assign]
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_PLACE", [2])
    assert not [entry for entry in world.log if entry.kind == Kind.FORFEIT]


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

    world.send_to_gateway, world.get = drop_one, stand_still
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
        if world.asks[bot.id].index in BEFORE_THE_GAME or any(entry.kind == Kind.FAULT for entry in world.log):
            World.answer(world, bot)
        elif not asked_at:
            asked_at.append(world.now)

    world.get, world.answer = redial, think
    fault_at: list[int] = []
    append = world.append

    def note(entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> None:
        append(entries, seen)
        fault_at.extend(world.now for entry in entries if entry.kind == Kind.FAULT)

    world.append = note
    run(world)
    assert [entry.text for entry in world.log if entry.kind == Kind.FAULT] == ["LATE"]
    assert fault_at[0] - asked_at[0] < 10 * SECOND


@dataclass
class LettingGo(World):
    """The processes of bot 2 hold the offer for a while, then drop their streams, and a new process appears."""

    hold_s: float = 0
    spares: int = 0
    """Number of further processes with a free place, one after the other …"""
    are_others_full: bool = False
    """… and whether there is one more, which is full."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.added = 0
        if self.are_others_full:
            self.bots["full"] = replace(self.bots["bot2"], id="full", running=1)

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        if envelope.session == "full":
            self.tell(envelope, gateway, WireKind.UNDELIVERABLE, WireReason.TOO_MANY_MATCHES)
        else:
            super().deliver(gateway, envelope)

    def answer(self, bot: Presence) -> None:
        if bot.bot == 1:
            super().answer(bot)

    def get(self, timeout: float) -> FromBot:
        for session in [one for one in self.asks if self.bots[one].connected]:
            if self.now - self.opened[session] >= self.hold_s * SECOND:
                bot = self.bots[session]
                self.bots[session] = replace(bot, connected=False)
                self.tell(ToBot(session, "m", 2, EPOCH, "worker"), bot.gateway, WireKind.LOST, WireReason.STREAM_LOST)
                if self.added < self.spares:
                    self.added += 1
                    self.bots[f"spare{self.added}"] = replace(bot, id=f"spare{self.added}")
        return super().get(min(timeout, 0.5))


def test_a_bot_that_lets_go_of_an_offer_while_its_other_process_is_full_has_declined() -> None:
    world = LettingGo(random.Random(1), trouble=0, are_others_full=True)
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("DECLINED", [2])


@pytest.mark.parametrize("spares", [0, 13])
def test_a_bot_holds_no_offer_for_longer_by_moving_it_between_its_processes(spares: int) -> None:
    world = LettingGo(random.Random(1), trouble=0, hold_s=8, spares=spares)
    began = world.now
    assert run(world) == "ended"
    (abort,) = [entry for entry in world.log if entry.kind == Kind.ABORT]
    assert (abort.text, abort.data and abort.data["seats"]) == ("NO_ANSWER", [2])
    assert world.now - began < 15 * SECOND
