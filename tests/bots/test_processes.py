"""Bots as real processes: the command, its two Ctrl-C, house players, and a bot in another language."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.kit.kits import bot_environment, kit_command
from tests.kit.scripted_server import TOKEN, WAIT_S, Process, ScriptedServer
from tests.kit.until import soon

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOTH = ("artisans", "whims")
ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from arena.cli import main; main()", "bot"]
BOT = """
import time
from pathlib import Path
from arena.bots import Bot

class MyBot(Bot):
    def choose(self, view, legal):
        while Path({gate!r}).exists():
            time.sleep(0.01)
        return legal[len(legal) // 2]
"""


@asynccontextmanager
async def started(*arguments: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a process, and make sure that it has ended afterwards."""
    child = await asyncio.create_subprocess_exec(
        *arguments,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def ended(child: asyncio.subprocess.Process, timeout: float = WAIT_S) -> str:
    """Return the output of the process until its end."""
    out, _ = await asyncio.wait_for(child.communicate(), timeout)
    return out.decode()


async def greeted(server: ScriptedServer, child: asyncio.subprocess.Process) -> Process:
    """Return the process once it has said hello. If it ends before, fail with its output."""

    async def hello() -> Process:
        await soon(lambda: server.processes)
        return next(iter(server.processes.values()))

    greeting, death = asyncio.create_task(hello()), asyncio.create_task(child.wait())
    await asyncio.wait({greeting, death}, timeout=WAIT_S, return_when=asyncio.FIRST_COMPLETED)
    death.cancel()
    if not greeting.done():
        greeting.cancel()
        pytest.fail(f"no hello; {'it said ' + await ended(child) if child.returncode is not None else 'it runs'}")
    return greeting.result()


async def gone_to_work(server: ScriptedServer, process: Process) -> "asyncio.Task[object]":
    """Start a match, and return once the bot thinks about it."""
    match = asyncio.create_task(server.play("m1", [process, None]))
    await soon(lambda: any(running.pending for running in process.running.values()))
    await process.ping(1)
    return match


def write_bot(folder: Path) -> tuple[str, Path]:
    """Write a bot that thinks as long as a file exists."""
    gate = folder / "thinking"
    gate.touch()
    file = folder / "mybot.py"
    file.write_text(BOT.format(gate=str(gate)))
    return str(file), gate


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_signal_finishes_running_matches(tmp_path: Path, number: signal.Signals) -> None:
    file, gate = write_bot(tmp_path)
    async with (
        ScriptedServer() as server,
        started(*COMMAND, "run", file, "--name", "p", ARENA_SERVER=server.address, ARENA_TOKEN=TOKEN) as child,
    ):
        process = await greeted(server, child)
        match = await gone_to_work(server, process)
        child.send_signal(number)
        await soon(lambda: process.has_left)
        assert await server.play("m2", [process, None]) is None
        gate.unlink()
        assert await match is not None
        said = await ended(child)
    assert child.returncode == 0, said
    assert "1 match played to its end" in said
    assert not server.faults


async def test_the_second_signal_stops_at_once(tmp_path: Path) -> None:
    file, _ = write_bot(tmp_path)
    async with (
        ScriptedServer() as server,
        started(*COMMAND, "run", file, "--server", server.address, "--token", TOKEN, "--name", "p") as child,
    ):
        process = await greeted(server, child)
        match = await gone_to_work(server, process)
        child.send_signal(signal.SIGINT)
        await soon(lambda: process.has_left)
        child.send_signal(signal.SIGINT)
        said = await ended(child)
        match.cancel()
    assert "Traceback" not in said


async def test_a_wrong_token_is_told_in_one_line(tmp_path: Path) -> None:
    file, _ = write_bot(tmp_path)
    async with (
        ScriptedServer() as server,
        started(*COMMAND, "run", file, "--server", server.address, "--token", "wrong") as child,
    ):
        said = await ended(child)
    assert child.returncode == 2, "as of `arena bot release` and `arena bot challenge`"
    assert "arena: the arena refuses this bot: no such bot [BAD_TOKEN]" in said
    assert "Traceback" not in said


async def test_an_address_without_tls_is_told_in_one_line() -> None:
    async with (
        ScriptedServer() as server,
        started(*COMMAND, "release", "v1", "--server", f"https://{server.address}", "--token", TOKEN) as child,
    ):
        said = await ended(child)
    assert child.returncode == 2
    assert "write http://" in said and len(said.splitlines()) == 1, "and nothing that gRPC prints by itself"


@pytest.mark.slow
async def test_the_python_starter_plays() -> None:
    async with (
        ScriptedServer() as server,
        started(
            sys.executable, "arena/starters/python/mybot.py", ARENA_SERVER=server.address, ARENA_TOKEN=TOKEN
        ) as child,
    ):
        process = await greeted(server, child)
        games = await asyncio.gather(
            server.play("m1", [process, None, None]),
            server.play("m2", [None, process], ("artisans",)),
            server.play("m3", [None, None, None, process, None], BOTH),
        )
        child.send_signal(signal.SIGINT)
        said = await ended(child)
    assert all(games), said
    assert child.returncode == 0, said
    assert not server.faults


@pytest.mark.slow
@pytest.mark.parametrize("player", ["random", "greedy"])
async def test_a_house_player_plays(player: str) -> None:
    async with (
        ScriptedServer() as server,
        started(*COMMAND, "run", "--house", player, "--server", server.address, "--token", TOKEN) as child,
    ):
        process = await greeted(server, child)
        assert process.hello.process == f"house-{player}"
        assert tuple(process.hello.expansions) == BOTH
        games = await asyncio.gather(
            server.play("m1", [None, process]), server.play("m2", [None, None, process, None, None], BOTH)
        )
        child.send_signal(signal.SIGTERM)
        said = await ended(child)
    assert all(games), said
    assert child.returncode == 0, said
    assert not server.faults


@pytest.mark.slow
async def test_the_typescript_bot_plays_and_finds_the_way_back() -> None:
    async with (
        ScriptedServer() as server,
        started(*kit_command("typescript"), **bot_environment(server.address, TOKEN, "n")) as child,
    ):
        process = await greeted(server, child)
        tables: list[tuple[int, tuple[str, ...]]] = [(2, ()), (3, ("whims",)), (4, ("artisans",)), (5, BOTH)]
        matches = [
            asyncio.create_task(server.play(f"m{players}", [process, *[None] * (players - 1)], expansions))
            for players, expansions in tables
        ]
        await process.ping(2**64 - 1)
        await soon(lambda: len(process.answers) >= 10)
        await process.drop()
        await server.process("n", streams=2)
        games = await asyncio.gather(*matches)
        child.send_signal(signal.SIGINT)
        said = await ended(child)
    assert all(game is not None and game.state.is_over for game in games), said
    assert child.returncode == 0, said
    assert process.has_left
    assert not server.faults
    assert {len(nonce) for nonce in process.nonces} == {16}
    assert len(set(process.nonces)) == 4


async def test_the_typescript_bot_says_when_it_is_refused() -> None:
    async with (
        ScriptedServer() as server,
        started(*kit_command("typescript"), **bot_environment(server.address, "wrong", "n")) as child,
    ):
        said = await ended(child)
    assert child.returncode == 1
    assert "BAD_TOKEN" in said
