"""The site's JavaScript in Node: its unit tests, on fixtures that come from the Python that the site runs.

Each file reads its fixtures from the folder ARENA_FIXTURES, which is written here.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.referee import Terms
from arena.rules import (
    Ruleset,
    Stream,
    commitment,
    format_position,
    match_seed,
    start_with_stream,
)
from tests.kit.ladder import CLOCK, POLICY
from tests.kit.records import refereed
from tests.site.test_frames import FRAME_SCHEMA, golden
from tests.site.test_verify import NONCES, first_eventful
from webui.bots.values import BotRef, VersionRef
from webui.matches.values import SeatLine
from webui.replays.frames import frames_document
from webui.replays.moves import move_line, move_list
from webui.replays.parts import board_parts, table_parts
from webui.replays.proof import proof_of
from webui.replays.replay import FinishedReplay

HERE = Path(__file__).parent / "js"
SITE = Path(__file__).resolve().parents[2] / "webui/site"
RULESETS = [
    Ruleset(players, expansions)
    for players, expansions in itertools.product((2, 3, 4, 5), ((), ("artisans",), ("whims",), ("artisans", "whims")))
    if players < 5 or expansions
]
SHOWN = ("base-2p", "whims-3p", "artisans-4p", "artisans+whims-5p")
"""A golden game of every ruleset."""
HOSTILE = "<img src=x onerror=alert(1)> 🐪🐪"
"""A bot may have any name of 40 characters."""

NODE = shutil.which("node")


def hostile_lines(players: int) -> list[SeatLine]:
    """Bots whose names and versions would be markup, with characters that are two units of a JavaScript string."""
    bots = [BotRef(seat, HOSTILE, f"bot-{seat}", 1, "lena", False) for seat in range(1, players + 1)]
    return [
        SeatLine(bot.id, VersionRef(bot.id, HOSTILE, bot), 1, 1, 0, forfeited_at=None, forfeit_reason="")
        for bot in bots
    ]


def frames(name: str) -> dict[str, Any]:
    """The frames of a golden game, for everybody and as seat 1 saw it, and what the server renders at some plies."""
    game = golden(name)
    replay, seats = FinishedReplay.of_game(game), hostile_lines(game.ruleset.players)
    names = [HOSTILE] * len(seats)
    last = len(replay.steps)
    tables = {}
    for ply in (0, 1, last // 3, last // 2, last - 1, last):
        parts = {part: table.render(part) for part, table in table_parts(replay, seats, ply).items()}
        tables[ply] = parts | board_parts(replay, names, ply)
    scores = replay.scores(last)
    assert scores
    return {
        "name": name,
        "document": frames_document(replay, seats),
        "seen": frames_document(FinishedReplay.of_game(game, seat=1), seats),
        "decisions": [replay.index_of(ply) for ply in range(1, last + 1)],
        "tables": tables,
        "totals": [score["total"] for score in scores],
        "moves": [move_line(move) for move in move_list(replay, names)],
    }


def setups() -> list[dict[str, Any]]:
    """Set-ups of every ruleset with and without a deal, and where the stream stands after it."""
    draw, found = random.Random(9), []
    for ruleset, with_deal, _ in itertools.product(RULESETS, (False, True), range(12)):
        seed, deal = draw.randbytes(32), draw.randbytes(32) if with_deal else None
        state, stream = start_with_stream(ruleset, seed, deal)
        found.append(
            {
                "players": ruleset.players,
                "expansions": list(ruleset.expansions),
                "seed": seed.hex(),
                "deal": deal and deal.hex(),
                "position": format_position(state),
                "at": stream.at,
            }
        )
    return found


def chance() -> dict[str, Any]:
    """What comes from one seed."""
    seed, nonces = bytes(range(32)), [b"", b"\x01" * 16, b"\xff" * 32]
    stream = Stream(seed)
    numbers = [stream.below(2**31 + 1 + i) for i in range(300)]
    shuffled = stream.shuffle("abcde")
    bag = list("yyywwggbrrp")
    drawn = "".join(bag.pop(stream.below(len(bag))) for _ in range(6))
    deals = [None, b"\x07" * 32]
    return {
        "seed": seed.hex(),
        "nonces": [nonce.hex() for nonce in nonces],
        "made": match_seed(seed, nonces).hex(),
        "numbers": numbers,
        "shuffled": list(shuffled),
        "bag": "yyywwggbrrp",
        "drawn": drawn,
        "commitments": [{"deal": deal and deal.hex(), "commitment": commitment(seed, deal).hex()} for deal in deals],
    }


def replay() -> dict[str, Any]:
    """A published replay with draws and shuffles after its set-up, and its proof."""
    ruleset = Ruleset(3, ("artisans", "whims"))
    server_seed, game = first_eventful(ruleset)
    terms = Terms("m1", ruleset, server_seed, CLOCK, POLICY)
    played = refereed(terms, NONCES, lambda ask: game.events[ask.index].text)
    document = played.document([(f"Bot {seat}", "1") for seat in (1, 2, 3)])
    return {"replay": document, "proof": proof_of(document)}


def write_fixtures(folder: Path) -> None:
    """What the tests in Node read."""
    made = {
        "frames": [frames(name) for name in SHOWN],
        "setups": setups(),
        "chance": chance(),
        "replay": replay(),
    }
    for name, document in made.items():
        (folder / f"{name}.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


@pytest.mark.skipif(
    not NODE and os.environ.get("ARENA_REQUIRE_ALL") != "1", reason="node (Node.js 18 or newer) is missing"
)
def test_in_node(tmp_path: Path) -> None:
    assert NODE, "node (Node.js 18 or newer) is missing:  sudo apt-get install -y nodejs"
    write_fixtures(tmp_path)
    environment = os.environ | {"ARENA_FIXTURES": str(tmp_path)}
    command = [NODE, "--test", *map(str, sorted(HERE.glob("*.test.mjs")))]
    run = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=300)
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"
    passed = re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)
    assert passed and int(passed[1]) > 50, run.stdout


def declared(name: str) -> dict[str, bool]:
    """The fields of an interface of `frames.d.ts`, each with whether every value has it."""
    text = (SITE / "types" / "frames.d.ts").read_text(encoding="utf-8")
    found = re.search(rf"^export interface {name}(?: extends (\w+))? {{(.*?)^}}", text, re.DOTALL | re.MULTILINE)
    assert found, name
    fields = re.findall(r"^  (\w+)(\??):", found[2], re.MULTILINE)
    return (declared(found[1]) if found[1] else {}) | {field: not optional for field, optional in fields}


def described(schema: dict[str, Any]) -> dict[str, bool]:
    """The same of an object of the schema."""
    return {field: field in schema["required"] for field in schema["properties"]}


def test_pages_wait_for_no_request_without_a_time_limit() -> None:
    """`source.js` aborts a silent request and repeats it. A page would wait for ever for one of the browser's own."""
    for script in (SITE / "static/site/viewer").glob("*.js"):
        # Somebody presses a button of these, and can do so again.
        if script.name not in ("controls.js", "hints.js", "write.js") and not script.name.startswith("joined-"):
            assert not re.search(r"(?<![\w#.])fetch\(", script.read_text(encoding="utf-8")), script.name


def test_types_are_those_of_the_schema() -> None:
    schemas = FRAME_SCHEMA["$defs"]
    assert declared("LiveFrame") == described(schemas["liveFrame"])
    assert declared("FramesDocument") == described(schemas["frames"])
    columns = described(schemas["frames"]["properties"]["frames"])
    assert declared("Frame") == columns | {"d": False}, "every file has the column, but the set-up has no index"
    for document in (schemas["liveFrame"], schemas["frames"]):
        assert document["properties"]["v"] == {"$ref": "#/$defs/version"}
    script = (SITE / "static/site/viewer/frames.js").read_text(encoding="utf-8")
    assert f"export const VERSION = {schemas['version']['const']};" in script
