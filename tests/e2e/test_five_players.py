"""Five house bots play a rated match with both expansions, which is then proved, watched and ranked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import RunningArena, Site, bot_process
from tests.kit.until import until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

NAMES = ("Zenobia", "Hypatia", "Scheherazade", "Alhazen", "Avicenna")
LADDER = "5-players-artisans-whims-60-s-1-s"
MATCH_S = 500.0


def test_five_bots_play_a_rated_match_with_both_expansions(tmp_path: Path) -> None:
    # Three matches at once are one of each ruleset that these bots sit down to, so one of them has both expansions.
    with RunningArena(tmp_path / "var", ARENA_MATCHES="3") as arena:
        ready = arena.wait_ready()
        site = Site(ready["site"])
        for name in NAMES:
            arena.run("user", "create", f"{name}-owner".lower())
        tokens = [arena.run("user", "register-bot", f"{name}-owner".lower(), name) for name in NAMES]
        log = tmp_path / "bots.log"
        command = [sys.executable, "-m", "tests.e2e.table_of_five", ready["gateway"], *tokens]
        with bot_process(command, arena.environment, log) as bots:

            def look() -> dict[str, Any] | None:
                assert bots.poll() is None, log.read_text()
                replays = map(site.replay, site.matches())
                return next((found for found in replays if found and len(found["ruleset"]["expansions"]) == 2), None)

            try:
                replay = until(look, "a match with both expansions", MATCH_S, every=0.1)
            except AssertionError:
                print(log.read_text()[-2000:], arena.log_tails(), sep="\n---\n")
                raise

        assert replay["ruleset"] == {"players": 5, "expansions": ["artisans", "whims"]}
        assert sorted(seat["name"] for seat in replay["seats"]) == sorted(NAMES)
        assert replay["verdict"]["kind"] == "completed"
        record = tmp_path / "match.json"
        record.write_text(json.dumps(replay))
        said = arena.run("replay", "verify", "--arena", ready["site"], str(record)).splitlines()
        assert said[0] == f"{record}: 1 replay, valid"
        assert any(line.lstrip().startswith("signed by the key ") for line in said)

        page = site.page(f"/matches/{replay['match']}/")
        ladder = site.page(f"/ladder/{LADDER}/")
        for name in NAMES:
            assert name in page
            assert name in ladder
        assert 'class="board"' in page
        assert arena.stop() == 0
        report = arena.run("ratings", "rebuild", "--check")
    assert f"{LADDER}: " in report
    assert "differences" not in report
