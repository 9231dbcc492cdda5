"""Programs that connect to the local gateway: their games with the real referee, and their errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import grpc
import pytest

from arena.bots.house_bots import house_bot
from arena.local.competitor import NotStarted
from arena.local.dialled import CommandBot, DialledBot
from arena.local.gateway import CannotListen, LocalGateway
from arena.local.python_bot import PythonBot
from arena.local.results import GameResult
from arena.local.series import LocalSeries, Side
from arena.players import ask_house
from arena.referee import Clock, prove
from arena.rules import Ruleset
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import BotMessage, Hello, ServerMessage
from arena.wire.v1.bot_pb2_grpc import BotServiceStub

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "arena" / "starters" / "python" / "mybot.py"
RAW = (sys.executable, "-m", "tests.kit.raw_bot")
HOUSE = Side("random", partial(PythonBot, "random", partial(house_bot, "random")))


@pytest.fixture
def gateway() -> Iterator[LocalGateway]:
    with LocalGateway() as gateway:
        yield gateway


def raw(gateway: LocalGateway, habit: str = "", wait_s: float = 60, output: Path | None = None) -> Side:
    """Return the raw bot with this habit, as a command."""
    return Side("raw", partial(CommandBot, "raw", (*RAW, habit), gateway, wait_s, output))


def play(sides: list[Side], games: int = 1, clock: Clock | None = None, jobs: int = 1) -> list[GameResult]:
    series = LocalSeries(Ruleset(len(sides), ()), sides, bytes(32), clock=clock or Clock())
    with closing(series.play(games, jobs)) as played:
        return list(played)


@pytest.mark.slow
def test_a_program_plays_deal_blocks_by_the_real_referee(gateway: LocalGateway) -> None:
    one, other = play([raw(gateway), HOUSE], games=2, jobs=2)
    assert (one.sides, other.sides) == ((0, 1), (1, 0))
    assert one.faults == other.faults == ((), ()) and one.forfeits == other.forfeits == frozenset()
    assert one.replay and other.replay and one.replay["deal"] == other.replay["deal"]
    for game in (one, other):
        assert game.replay is not None
        prove(game.replay, ask_house)  # raises if anything does not follow
        asked = [event for event in game.replay["events"] if len(event) > 2 and "ms" in event[2]]
        assert [sum(event[0] == seat for event in asked) for seat in (1, 2)] == [len(took) for took in game.thinks]
        assert all(0 < took < 10**10 for thinks in game.thinks for took in thinks)


def test_a_process_that_ends_in_a_game_forfeits_it_and_is_there_for_the_next(gateway: LocalGateway) -> None:
    games = play([raw(gateway, "quit"), HOUSE], games=2)
    for game in games:
        seat = game.sides.index(0)
        assert game.forfeits == {seat + 1} and game.faults == ((), ())  # its grace has ended, without a strike
        assert game.placements[seat] == 2


@pytest.mark.parametrize(
    ("habit", "says"),
    [
        (
            "stranger",
            "ended before it said hello; a hello was refused: This token is unknown here.*BAD_TOKEN.*refused: B",
        ),
        ("old", "its hello was refused: This server speaks arena.wire/2"),
    ],
)
def test_a_hello_that_is_refused(gateway: LocalGateway, tmp_path: Path, habit: str, says: str) -> None:
    with pytest.raises(NotStarted, match=says) as caught:
        play([raw(gateway, habit, output=tmp_path / "log"), HOUSE])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("true",), "raw: its process ended before it said hello: exit code 0; it printed nothing"),
        (("sh", "-c", "echo one; echo two; exit 3"), "exit code 3; it printed last: two"),
        (("sh", "-c", "kill -9 $$"), "signal SIGKILL"),
        (("sleep", "600"), "has not said hello within 0.2 seconds.*ARENA_TOKEN.*--wait"),
        (("/nowhere/bot",), "cannot start /nowhere/bot: No such file"),
    ],
)
def test_a_command_that_does_not_dial_in(
    gateway: LocalGateway, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    side = Side("raw", partial(CommandBot, "raw", words, gateway, 0.2 if "sleep" in words else 60, tmp_path / "log"))
    with pytest.raises(NotStarted, match=says):
        play([side, HOUSE])


def first_words(address: str, hello: Hello) -> ServerMessage:
    """Return a gateway's first message after this hello."""
    with grpc.insecure_channel(address) as channel:
        call = BotServiceStub(channel).Play(iter([BotMessage(hello=hello)]))
        first = next(call)
        call.cancel()
        return first


@pytest.mark.slow
def test_a_bot_that_was_started_by_hand_plays_at_several_tables(gateway: LocalGateway) -> None:
    gateway.expect("by hand", "mine")
    environment = {**os.environ, "ARENA_SERVER": gateway.address, "ARENA_TOKEN": "by hand"}
    with subprocess.Popen([sys.executable, STARTER], env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            games = play([Side("mine", partial(DialledBot, "mine", gateway, "by hand", 60)), HOUSE], games=4, jobs=2)
        finally:
            process.kill()
    assert [game.sides for game in games] == [(0, 1), (1, 0)] * 2
    assert all(game.faults == ((), ()) for game in games)


def test_an_address_that_is_taken(gateway: LocalGateway) -> None:
    with pytest.raises(CannotListen, match=f"cannot listen on {gateway.address}: another program may"):
        LocalGateway((gateway.address,)).__enter__()


def test_a_stranger_gets_only_some_sessions() -> None:
    """Each hello names another process. The oldest streams end, and none of them stays in memory."""
    with LocalGateway(is_for_stranger=True) as gateway, grpc.insecure_channel(gateway.address) as channel:
        gateway.expect("mine", "mine")
        kept = len(gateway._sessions)
        for number in range(40):
            hello = BotMessage(hello=Hello(**{**GOOD, "process": str(number), "running": ["m" * 100] * 100}))
            stream = BotServiceStub(channel).Play(iter([hello]))
            assert next(stream).WhichOneof("kind") == "welcome"
            kept = max(kept, len(gateway._sessions))
            stream.cancel()
        assert kept == 4
        large = Hello(**GOOD, running=["m" * 1000] * 250)
        assert first_words(gateway.address, large).error.reason == "MESSAGE_TOO_LARGE"


GOOD = {"token": "mine", "version": "1", "process": "one", "max_matches": 1, "protocol": PROTOCOL}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({}, ""),
        ({"token": "other"}, "BAD_TOKEN"),
        ({"protocol": "arena.wire/1"}, "PROTOCOL_UNKNOWN"),
        ({"process": ""}, "BAD_HELLO"),
        ({"version": "1" * 41}, "BAD_HELLO"),
        ({"version": "9e419cc"}, "BAD_HELLO"),
        ({"max_matches": 0}, "BAD_HELLO"),
        ({"player_counts": [6]}, "BAD_HELLO"),
        ({"player_counts": [5]}, "BAD_HELLO"),
        ({"expansions": ["camels"]}, "BAD_HELLO"),
    ],
)
def test_what_a_hello_must_say(gateway: LocalGateway, wrong: dict[str, object], reason: str) -> None:
    seat = gateway.seat("mine", "mine")
    said = first_words(gateway.address, Hello(**{**GOOD, **wrong}))
    assert said.WhichOneof("kind") == ("error" if reason else "welcome")
    assert (said.error.reason, said.error.fatal) == (reason, bool(reason))
    seat.cancel()
