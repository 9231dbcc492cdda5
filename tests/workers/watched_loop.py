"""The loop of a match in a world of `match_world`, with a referee that checks what preceded each event."""

from __future__ import annotations

import sys
from typing import Any

from arena.bus import PROBE
from arena.referee import AskWritten, Command, Event, PathLost, Record, Referee
from arena.wire.matches import MatchCodec
from tests.workers.match_world import SEATS, Ended, Sent, World
from webui.matches.values import LostOwnership
from workers.driver import SLACK_MS
from workers.loop import HandBack, HouseIsSilent, MatchLoop
from workers.needs import Steps
from workers.paths import SeatPath, SeatPaths
from workers.publishing import Publisher


def house(name: str, seed: bytes, view: Any, legal: list[str]) -> str:
    return legal[0]


class Watched(Referee):
    """A referee that writes every event into the journal, and checks what preceded it."""

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
        return steps == (0 if self.world.is_aside else 1)


def loop_in(world: World) -> MatchLoop:
    referee = Watched.resume(world.terms, [], house, SLACK_MS)
    assert isinstance(referee, Watched)
    referee.world = world
    paths = SeatPaths({seat: SeatPath(seat, is_house=seat in world.house) for seat in SEATS})
    people = [{"name": f"bot{seat}", "version": "1", "owner": "o"} for seat in SEATS]
    messages = MatchCodec("m", world.terms.ruleset, people, world.terms.clock, world.terms.policy, bytes(32), False)
    link: Any = world
    return MatchLoop(referee, messages, paths, link, link, Publisher(), clock=lambda: world.now)


def run(world: World) -> str:
    """Return how the loop of this world's match ended."""
    try:
        carry_out(world, loop_in(world).run())
    except HandBack:
        return "handed back"
    except LostOwnership:
        return "lost"
    except HouseIsSilent:
        return "silent"
    return "ended"


def carry_out(world: World, steps: Steps[None]) -> None:
    """Serve the needs of a single loop until its end."""
    value: Any = None
    error: Exception | None = None
    while True:
        try:
            need = steps.send(value) if error is None else steps.throw(error)
        except StopIteration:
            return
        value, error = None, None
        try:
            value = world.do(need)
        except LostOwnership as lost:
            error = lost


def check_journal(world: World) -> None:
    """Check the invariants of every journal, in addition to the world's own assertions."""
    Record.fold(world.terms, world.log)  # every prefix that was sent from is a valid log; so is the whole
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
