"""Who is charged for time that passes: a bot for its own; nobody for that of a gateway, a worker or a lost way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_terms

import pytest
from msgspec.structs import replace

from arena.bus import OFFER_INDEX, PROBE, FromBot, Presence, ToBot, WireKind, WireReason
from arena.referee import SECOND, Clock, Entry, Kind, Policy
from tests.workers.match_world import EPOCH, GAME, World
from tests.workers.watched_loop import check_journal, run


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
    world.answer = lambda bot: silent.get(world.asks[bot.id].index, lambda *_: None)(world, bot)
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
    world.answer = lambda bot: None if bot.id == "bot2" else World.answer(world, bot)
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
        if world.asks[bot.id].index == OFFER_INDEX or any(entry.kind == Kind.FAULT for entry in world.log):
            World.answer(world, bot)
        elif not asked_at:
            asked_at.append(world.now)

    world.get, world.answer = redial, think
    fault_at: list[int] = []
    append = world.append

    def note(entries: Sequence[Entry]) -> None:
        append(entries)
        fault_at.extend(world.now for entry in entries if entry.kind == Kind.FAULT)

    world.append = note
    run(world)
    assert [entry.text for entry in world.log if entry.kind == Kind.FAULT] == ["LATE"]
    assert fault_at[0] - asked_at[0] < 10 * SECOND
