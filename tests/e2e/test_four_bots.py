"""Four bots in two languages, each a process of its own, dial in to an arena and play rated matches."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.players import ask_house
from arena.referee import prove
from tests.e2e.running import COMMAND, ROOT, RunningArena, Site, bot_process
from tests.kit.node_bot import NodeMissing, node_command, node_environment
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.kit.until import until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

STARTER = str(ROOT / "arena" / "starters" / "python" / "mybot.py")
MATCH_S = 500.0


@pytest.fixture(scope="module")
def node() -> list[str]:
    try:
        return node_command()
    except NodeMissing as missing:
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            raise
        pytest.skip(str(missing))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment that names it."""
    if request.param == "sqlite":
        yield {}
        return
    require_postgres()
    with PostgresServer() as server:
        yield {"DATABASE_URL": server.url}


def test_four_bots_play_a_rated_match(node: list[str], database: dict[str, str], tmp_path: Path) -> None:
    with ExitStack() as stack:
        arena = stack.enter_context(RunningArena(tmp_path / "var", **database, ARENA_MATCHES="3"))
        ready = arena.wait_ready()
        server, site = ready["gateway"], Site(ready["site"])

        tokens = {ready["bot"]: ready["token"]}
        for owner, bot in (("ada", "Difference"), ("blaise", "Pascaline"), ("hedy", "Hopper")):
            arena.run("user", "create", owner)
            tokens[bot] = arena.run("user", "register-bot", owner, bot)
        names = list(tokens)
        commands = {
            names[0]: [sys.executable, STARTER],
            names[1]: [*COMMAND, "bot", "run", "--house", "greedy-builder"],
            names[2]: [*COMMAND, "bot", "run", "--house", "random"],
            names[3]: node,
        }
        bots = {
            name: stack.enter_context(
                bot_process(command, node_environment(server, tokens[name], name), tmp_path / f"{name}.log")
            )
            for name, command in commands.items()
        }

        def look() -> dict[str, object] | None:
            for name, bot in bots.items():
                assert bot.poll() is None, (tmp_path / f"{name}.log").read_text()
            for match_id in site.matches():
                replay = site.replay(match_id)
                if replay is not None and len(replay["seats"]) == len(names):
                    return replay
            return None

        try:
            replay = until(look, "a match of four", MATCH_S, every=0.1)
        except AssertionError:
            print(*((tmp_path / f"{name}.log").read_text()[-2000:] for name in names), arena.log_tails(), sep="\n---\n")
            raise

        prove(replay, ask_house)
        assert {seat["name"] for seat in replay["seats"]} == set(names)  # type: ignore[attr-defined]
        assert replay["verdict"]["kind"] == "completed"  # type: ignore[index]
        slug = "-".join(["4-players", *replay["ruleset"]["expansions"], "60-s-1-s"])  # type: ignore[index]
        ladder = site.page(f"/ladder/{slug}/")
        assert all(name in ladder for name in names)
        assert arena.stop() == 0
        report = arena.run("ratings", "rebuild", "--check")
    assert f"{slug}: " in report
    assert "differences" not in report
