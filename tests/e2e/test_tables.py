"""Tables of four and five on arenas without house bots: rated matches, which are proved, watched and ranked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from arena.players import ask_house
from arena.referee import prove
from tests.e2e.playing import play_only
from tests.e2e.registering import register
from tests.e2e.running import COMMAND, LOOK_S, RunningArena, Site, bot_process
from tests.kit.kits import bot_environment, kit_command
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.kit.tried import is_left_out
from tests.kit.until import until
from webui.ladders.games import GAMES
from webui.matches.models import ENDED, Match, MatchState

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

LADDER_OF_FIVE = "5-players-artisans-whims-60-s-1-s"
MATCH_S = 500.0


@pytest.fixture(scope="module")
def arena(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[RunningArena]:
    """Run an arena on a database, one for all tests here. After its end its ratings follow from its matches."""
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        more = {}
        if request.param == "postgres":
            require_postgres()
            more["DATABASE_URL"] = stack.enter_context(PostgresServer(tables=True)).url
        # Two matches at once: a bot plays in both.
        arena = RunningArena(tmp_path_factory.mktemp(request.param) / "var", ARENA_MATCHES="2", **more)
        stack.enter_context(arena)
        arena.wait_ready()
        with arena.database():
            play_only()
        yield arena
        assert arena.stop() == 0
        report = arena.run("ratings", "check")
    assert report and "difference" not in report


Bots = dict[str, tuple["subprocess.Popen[bytes]", Path]]


def first_match(arena: RunningArena, site: Site, bots: Bots, game: str) -> dict[str, Any]:
    """Return the replay of a match of this game that these bots have played, while all of them were alive.

    No match is running then: without its bots it would disturb the next test.
    """
    ruleset = GAMES[game]

    def look() -> str | None:
        for process, log in bots.values():
            assert process.poll() is None, log.read_text()
        with arena.database():
            matches = list(Match.objects.all())
            go_on = any(match.state not in ENDED for match in matches)
            found = [match.pk for match in matches if match.state == MatchState.FINISHED and match.ruleset == ruleset]
            play_only(*([] if go_on or found else [game]))
        return None if go_on or not found else found[0]

    try:
        replay = site.replay(until(look, "such a match", MATCH_S, every=LOOK_S))
    except AssertionError:
        print(*(log.read_text()[-2000:] for _, log in bots.values()), arena.log_tails(), sep="\n---\n")
        raise
    assert replay is not None
    return replay


@pytest.mark.parametrize(
    ("arena", "languages"),
    [
        pytest.param("sqlite", ("go", "rust", "java"), id="sqlite"),
        pytest.param("postgres", ("python", "typescript", "cpp", "ruby"), id="postgres", marks=pytest.mark.postgres),
    ],
    indirect=["arena"],
    scope="module",  # otherwise pytest does not see that another test has the same arena
)
def test_kits_play_a_rated_match(arena: RunningArena, languages: tuple[str, ...], tmp_path: Path) -> None:
    """House bots take the seats of kits that CI leaves out."""
    languages = tuple(language for language in languages if not is_left_out(f"kit-{language}"))
    if not languages:
        pytest.skip("these kits are unchanged since the last soak")
    ready = arena.wait_ready()
    site = Site(ready["site"])
    owners = {"ada": "Difference", "blaise": "Pascaline", "hedy": "Hopper"}
    with arena.database():
        tokens = {ready["bot"]: ready["token"], **register(owners)}
    commands = [kit_command(language) for language in languages]
    commands += [[*COMMAND, "bot", "run", "--house", "greedy-builder"]] * (len(tokens) - len(commands))
    with ExitStack() as stack:
        bots: Bots = {}
        for (name, token), command in zip(tokens.items(), commands, strict=True):
            log = tmp_path / f"{name}.log"
            environment = bot_environment(ready["gateway"], token, name)
            bots[name] = stack.enter_context(bot_process(command, environment, log)), log
        replay = first_match(arena, site, bots, "4")

    prove(replay, ask_house)
    assert {seat["name"] for seat in replay["seats"]} == set(tokens)
    assert replay["verdict"]["kind"] == "completed"
    ladder = site.page("/ladder/4-players-60-s-1-s/")
    assert all(name in ladder for name in tokens)


@pytest.mark.parametrize("arena", ["sqlite"], indirect=True)
def test_five_bots_play_a_rated_match_with_both_expansions(arena: RunningArena, tmp_path: Path) -> None:
    ready = arena.wait_ready()
    site = Site(ready["site"])
    names = ("Zenobia", "Hypatia", "Scheherazade", "Alhazen", "Avicenna")
    with arena.database():
        tokens = register({f"{name}-owner".lower(): name for name in names})
    log = tmp_path / "bots.log"
    command = [sys.executable, "-m", "tests.e2e.house_players", ready["gateway"], "5", *tokens.values()]
    with bot_process(command, arena.environment, log) as process:
        replay = first_match(arena, site, {"all": (process, log)}, "5-artisans-whims")

    assert sorted(seat["name"] for seat in replay["seats"]) == sorted(names)
    assert replay["verdict"]["kind"] == "completed"
    record = tmp_path / "match.json"
    record.write_text(json.dumps(replay))
    said = arena.run("replay", "verify", "--arena", ready["site"], str(record)).splitlines()
    assert said[0] == f"{record}: 1 replay, valid"
    assert any(line.lstrip().startswith("signed by the key ") for line in said)

    page = site.page(f"/matches/{replay['match']}/")
    ladder = site.page(f"/ladder/{LADDER_OF_FIVE}/")
    for name in names:
        assert name in page
        assert name in ladder
    assert 'class="board"' in page
