"""The three shells around the referee, each as a function that plays one match with a bot of a scenario.

`workers/loop.py` runs in the simulated world of its own tests. `arena/local` and `arena/doctor` are dialled by the bot
over a real stream.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import grpc

from arena.bus import NO_ASK, OFFER_INDEX, PROBE, REVEAL_INDEX, FromBot, Presence, ToBot, WireKind
from arena.doctor.check import DoctorCheck, examine
from arena.doctor.session import Session, open_session
from arena.local.dialled import DialledBot
from arena.local.gateway import LocalGateway
from arena.local.match import LocalMatch, MatchAborted
from arena.players import ask_house
from arena.referee import Kind, Terms, prove
from arena.rules import Ruleset
from arena.wire import codec
from arena.wire.v1.bot_pb2 import BotMessage
from tests.doctor.raw_bot import InProcess, started_here
from tests.kit.until import until
from tests.shells.scenarios import Dropped, Gone, Scenario, WatchedBot
from tests.workers.match_world import EPOCH, World
from tests.workers.watched_loop import check_journal, run


class ShellRun(NamedTuple):
    """What a bot was told, and how the match ended for it."""

    told: list[str]
    forfeit: str = ""
    sentence: str = ""
    """The doctor's, if the bot failed."""


Play = Callable[[Scenario], Awaitable[ShellRun]]


def watched(scenario: Scenario) -> type[WatchedBot]:
    """Return the scenario's bot for one run. It can also drop its stream."""

    class Watched(scenario.bot):
        async def stream(self) -> grpc.StatusCode:
            try:
                return await super().stream()
            except Dropped:
                return grpc.StatusCode.UNAVAILABLE

    Watched.told = []
    return Watched


# --- the workers' loop ---


@dataclass
class WorldOfOne(World):
    """A world in which a scenario's bot has seat 1."""

    bot: WatchedBot = field(kw_only=True)
    is_gone: bool = False
    is_dropped: bool = False

    def deliver(self, gateway: str, envelope: ToBot) -> None:
        super().deliver(gateway, envelope)
        if envelope.session == "bot1" and not envelope.ask and not envelope.session.startswith(PROBE):
            self.hand(envelope.payload)

    def answer(self, bot: Presence) -> None:
        if bot.id == "bot1":
            self.hand(self.asks[bot.id].payload)
        else:
            super().answer(bot)

    def hand(self, payload: bytes) -> None:
        """Let the bot read a message, and send on what it says."""
        if self.is_gone or not payload:
            return
        try:
            self.bot.take(codec.decode_server(payload))
        except Dropped:
            self.is_dropped = True
        except Gone:
            self.is_gone = True
        if self.is_dropped or self.is_gone:
            self.change(self.bots["bot1"], connected=False)
        while not self.bot._outbox.empty():
            said = self.bot._outbox.get_nowait()
            assert said is not None
            self.pass_on(said)

    def pass_on(self, said: BotMessage) -> None:
        """Send a bot's message to the worker, as its gateway does: what answers the pending ask is an answer."""
        index = {"accept": OFFER_INDEX, "decline": OFFER_INDEX, "reveal": REVEAL_INDEX}.get(
            said.WhichOneof("kind") or "", said.answer.index
        )
        ask = self.asks.get("bot1")
        is_answer = ask is not None and ask.index == index
        if is_answer:
            del self.asks["bot1"]
        self.say(
            FromBot(
                "m", 1, "bot1", WireKind.MESSAGE, said.SerializeToString(), EPOCH, index if is_answer else NO_ASK,
                is_answer=is_answer, gateway="g1",
            )
        )  # fmt: skip

    def get(self, timeout: float) -> FromBot:
        if self.is_dropped:
            self.is_dropped = False
            self.change(self.bots["bot1"], connected=True)
        return super().get(timeout)


async def play_with_workers(scenario: Scenario) -> ShellRun:
    """Play a match with the loop of the workers."""
    kind = watched(scenario)
    world = WorldOfOne(random.Random(1), trouble=0, bot=kind("", ""))
    world.terms = terms_of(scenario)
    assert run(world) == "ended"
    check_journal(world)
    forfeits = [entry.text for entry in world.log if entry.kind == Kind.FORFEIT and entry.seat == 1]
    return ShellRun(kind.told, "".join(forfeits))


# --- the local arena ---


async def play_locally(scenario: Scenario) -> ShellRun:
    """Play a match of `arena play`, with a second bot that does everything right."""
    kinds = watched(scenario), watched(Scenario(WatchedBot, ()))
    forfeit = ""
    with LocalGateway() as gateway:
        players = [DialledBot(str(number), gateway, f"token {number}", 60) for number in range(len(kinds))]
        bots = [running(kind(gateway.address, f"token {number}")) for number, kind in enumerate(kinds)]
        async with bots[0] as bot, bots[1]:
            for player in players:
                await asyncio.to_thread(player.ready)
            match = LocalMatch(terms_of(scenario), players, ["the bot", "the other"])
            try:
                played = await asyncio.to_thread(match.play)
            except MatchAborted:
                pass
            else:
                prove(played.replay, ask_house)  # raises if anything does not follow
                forfeits = played.replay["verdict"]["forfeits"]
                forfeit = "".join(one["reason"] for one in forfeits if one["seat"] == 1)
            if bot.exit_code is None:
                await asyncio.to_thread(until, lambda: kinds[0].told[-1].startswith(("match_end", "aborted")))
            for player in players:
                player.close()
    return ShellRun(kinds[0].told, forfeit)


@asynccontextmanager
async def running(bot: WatchedBot) -> AsyncIterator[InProcess]:
    """Run a bot until the end of the block."""
    process = InProcess(bot, lambda: None)
    try:
        yield process
    finally:
        await process.kill()


# --- the doctor ---


async def play_with_doctor(scenario: Scenario) -> ShellRun:
    """Play a whole match of `arena doctor`."""
    kind = watched(scenario)

    async def whole_match(session: Session) -> None:
        match = session.match(ruleset=Ruleset(2), clock=scenario.clock)
        match.policy = scenario.policy
        await match.begin()
        await match.play_on(lambda line: True)
        match.finish()

    async with open_session(started_here(kind)) as session:
        finding = await examine(session, DoctorCheck("contract", "", "", whole_match))
    return ShellRun(kind.told, sentence=finding.sentence)


def terms_of(scenario: Scenario) -> Terms:
    return Terms("m", Ruleset(2), bytes(32), scenario.clock, scenario.policy)
