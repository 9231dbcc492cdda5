"""The order in which the loop of a match does things, whatever happens (tests/workers/match_world.py)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import workers.loop
from arena.bus import BusUnavailable, ToBot, WireKind, WireReason, hosted_session
from arena.referee import (
    AskWritten,
    Command,
    Entry,
    Event,
    MoveArrived,
    PathLost,
    SeatBack,
    TimePassed,
)
from tests.workers.match_world import EPOCH, GAME, OPENING, Ended, World
from tests.workers.watched_loop import check_journal, run
from webui.matches.values import SeenDecision
from workers import inbound, outbound


def test_every_message_and_every_command_has_a_handler_and_every_reason_a_meaning() -> None:
    assert set(inbound.HANDLERS) == set(WireKind)
    assert set(inbound.REASONS) == set(WireReason)
    assert set(outbound.HANDLERS) == set(get_args(Command))


def test_the_readme_names_every_message_event_and_command() -> None:
    text = Path(workers.loop.__file__).with_name("README.md").read_text()
    kinds = [str(kind) for kind in WireKind]
    events = {event.__name__ for event in get_args(Event)} - {"MatchOpened"}  # the loop's own event, before all others
    commands = {command.__name__ for command in get_args(Command)}
    assert not [name for name in (*kinds, *events, *commands) if f"`{name}`" not in text]


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
    assert [entry.kind for entry in world.log if entry.kind not in GAME] == OPENING


def test_an_ask_that_is_not_on_the_bus_is_not_written_and_asked_again_where_the_bot_is() -> None:
    world = World(random.Random(1), trouble=0)
    push, failed = world.send_to_gateway, []

    def refuse_one(gateway: str, *envelopes: ToBot) -> None:
        asks = [(envelope.seat, envelope.index) for envelope in envelopes if envelope.ask and envelope.index >= 10]
        if asks and not failed:
            failed.extend(asks)
            raise BusUnavailable("away")
        push(gateway, *envelopes)

    world.send_to_gateway = refuse_one
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

    def lose(entries: Sequence[Entry], seen: Sequence[SeenDecision]) -> None:
        world.is_ours = world.is_ours and len(world.log) < 20
        append(entries, seen)

    world.append = lose
    assert run(world) == "lost"
    check_journal(world)


def test_a_runner_that_still_plays_a_seat_of_another_one_is_sent_an_empty_last_message() -> None:
    world = World(random.Random(1), trouble=0)
    played = replace(world.bots.pop("bot1"), id=hosted_session(1, "first"))
    stray = replace(played, id=hosted_session(1, "second"), gateway="second", matches=("m",))
    world.bots[played.id] = played
    push, ends = world.send_to_gateway, []

    def come_back(gateway: str, *envelopes: ToBot) -> None:
        ends.extend(envelope for envelope in envelopes if gateway == stray.gateway)
        if len(world.log) >= 20 and not ends:
            world.bots[stray.id] = stray
        elif ends:
            world.bots.pop(stray.id, None)
        world.refresh_presence()
        push(gateway, *envelopes)

    world.send_to_gateway = come_back
    assert run(world) == "ended"
    [end] = ends
    assert end == ToBot(stray.id, "m", 1, EPOCH, "worker", final=True)
