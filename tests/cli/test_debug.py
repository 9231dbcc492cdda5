"""`arena debug`: replays a decision for a bot, from files of every kind, and continues games from there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import zstandard

from arena.cli.files import InputError
from arena.cli.matches import find_match
from arena.local.histories import RecordedMatch
from arena.players import ask_house
from arena.referee import prove
from arena.wire.history import pack
from tests.kit.command import ARENA, arena, arena_here, complaint
from tests.kit.lacking import require_sandboxes
from tests.kit.ports import ReservedPort
from tests.kit.records import troubled_match

RAW = [sys.executable, "-m", "tests.kit.raw_bot"]
BOT = """
from arena.bots import Bot


class Mine(Bot):
    expansions = ("artisans", "whims")

    def match_started(self):
        self.asked = []

    def choose(self, view, legal):
        self.asked.append(self.ask.index)
        self.note = f"{self.asked[0]} to {self.asked[-1]} in {len(self.asked)}, {len(self.ask.events)} events"
        return legal[0] if self.ask.index else "dance"
"""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return troubled_match()


@pytest.fixture(scope="module")
def match(document: dict[str, Any]) -> RecordedMatch:
    return RecordedMatch(document)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any], match: RecordedMatch) -> Path:
    """Write the match as a file of each kind, and a bot."""
    folder = tmp_path_factory.mktemp("debug")
    (folder / "match.json").write_text(json.dumps(document))
    lines = [json.dumps({**document, "match": "match-0"}), json.dumps(document)]
    (folder / "matches.jsonl.zst").write_bytes(zstandard.compress("\n".join(lines).encode()))
    (folder / "seat3.binpb").write_bytes(pack(one.payload for one in match.history(3).sent))
    (folder / "mine.py").write_text(BOT)
    return folder


def answers(*words: object) -> list[dict[str, Any]]:
    done = arena("debug", "--json", *words)
    assert done.code == 0, done
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.slow
def test_a_python_bot_answers_again_and_again_with_the_whole_history(folder: Path, match: RecordedMatch) -> None:
    history = match.history(3)
    ask = list(history.asks)[7]
    given = answers(folder / "match.json", "--at", ask, "--seat", 3, "--times", 3, "--", folder / "mine.py")
    [legal] = [one.command.legal for one in match.sent_commands(3) if getattr(one.command, "index", None) == ask]
    for number, answer in enumerate(given, 1):
        took = answer.pop("took_ms")
        assert 0 < took < 60_000
        events = ask - list(history.asks)[6]
        assert answer == {
            "match": "match-1",
            "seat": 3,
            "index": ask,
            "time": number,
            "actions": [next(iter(legal)).text],
            "note": f"{next(iter(history.asks))} to {ask} in 8, {events} events",
            "legal": True,
            "wrong": "",
            "played": history.played[ask][1],
        }
    assert len(given) == 3


@pytest.mark.slow
def test_a_bot_in_the_sandbox_of_hosted_bots(folder: Path, match: RecordedMatch) -> None:
    require_sandboxes()
    ask = list(match.history(3).asks)[2]
    hidden = folder / "sandboxed.py"
    hidden.write_text(f"{BOT}\nassert not __import__('os').path.exists({str(folder)!r})\n")
    [answer] = answers(folder / "match.json", "--at", ask, "--seat", 3, "--times", 1, "--sandbox", hidden)
    assert answer["legal"] and " in 3, " in answer["note"]
    words = ("debug", folder / "match.json", "--at", ask, "--seat", 3, "--sandbox")
    assert "--sandbox runs a folder with bot.toml" in complaint(arena(*words, "ruby", "bot.rb"))
    hidden.write_text(f"raise SystemExit(3)\n{BOT}")
    assert "its program ended with exit code 3" in arena(*words, hidden).err


@pytest.mark.slow
def test_without_history_the_match_is_resumed(folder: Path, match: RecordedMatch) -> None:
    ask = list(match.history(3).asks)[7]
    words = (folder / "matches.jsonl.zst", "--match", "match-1", "--at", ask, "--resumed", "--times", 2)
    first, second = answers(*words, "--", folder / "mine.py")
    assert first["note"].startswith(f"{ask} to {ask} in 1, ") and (first["seat"], second["note"]) == (3, first["note"])


def test_the_decision_that_a_forfeit_was_for(folder: Path, document: dict[str, Any]) -> None:
    [forfeit] = [one for one in document["incidents"] if one["kind"] == "forfeit"]
    done = arena("debug", folder / "match.json", "--seat", forfeit["seat"], "--times", 1, "--", *RAW)
    title, answer = done.out.splitlines()
    played = document["events"][forfeit["at"]][1]
    assert f"seat {forfeit['seat']} (Bot {forfeit['seat']}): decision {forfeit['at']}" in title
    assert f"then the seat forfeited ({forfeit['reason']}), and the house played {played!r}" in title
    assert re.fullmatch(r"1: '.+': legal; .*[0-9.]+ ms", answer)


@pytest.mark.slow
def test_a_transcript_and_a_bot_that_is_started_by_hand_and_loses_its_stream(folder: Path) -> None:
    """The raw bot drops its stream after five answers. It then does not know the match, and gets all of it."""
    with ReservedPort() as port:
        address = f"127.0.0.1:{port.number}"
    words = ["debug", str(folder / "seat3.binpb"), "--wait", address, "--token", "mine", "--times", "1", "--json"]
    with subprocess.Popen([*ARENA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as debugging:
        assert debugging.stderr is not None and debugging.stdout is not None
        said = [debugging.stderr.readline() for _ in range(2)]
        assert f"start your bot with ARENA_SERVER={address} ARENA_TOKEN=mine\n" in said
        environment = {**os.environ, "ARENA_SERVER": address, "ARENA_TOKEN": "mine"}
        with subprocess.Popen([*RAW, "drop"], env=environment, stderr=subprocess.DEVNULL) as bot:
            answer = json.loads(debugging.stdout.read())
            bot.kill()
        rest = debugging.stderr.read()
    assert debugging.returncode == 0 and answer["legal"] and answer["seat"] == 3
    assert "waiting until it reconnects" in rest and "gets the match from the beginning" in rest


@pytest.mark.slow
def test_playing_on_from_a_decision(folder: Path, document: dict[str, Any], match: RecordedMatch) -> None:
    ask = list(match.history(2).asks)[-9]
    words = ["--at", ask, "--seat", 2, "--from-here", "--against", "random", "--against", "greedy", "--times", 2]
    out, page, seed = folder / "on.jsonl", folder / "on.html", "ab" * 32
    files = ("--out", out, "--html", page, "--seed", seed, "--json")
    done = arena("debug", folder / "match.json", *words, *files, "--", *RAW)
    shown = json.loads(done.out)
    assert (shown["index"], shown["seed"]) == (ask, seed)
    assert [row["player"] for row in shown["players"]] == ["random", "Bot 2", "greedy"]
    replays = [json.loads(line) for line in out.read_text().splitlines()]
    before = [event[:2] for event in document["events"][:ask]]
    for replay in replays:
        prove(replay, ask_house)  # raises if anything does not follow
        assert replay["events"][:ask] == before and replay["setup"] == document["setup"]
        assert replay["reseed"]["at"] == ask and replay["result"] is not None
    assert replays[0]["reseed"] != replays[1]["reseed"]
    assert "match-1" in page.read_text()
    again = complaint(arena_here("debug", out, "--match", "nothing", "--seat", 2, "--", folder / "mine.py"))
    assert "no match 'nothing'" in again


class Site(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_a_match_by_the_address_of_its_page(folder: Path) -> None:
    """The replay is beside the page. A match that is running, hidden or missing has none."""
    place = folder / "matches" / "match-1"
    place.mkdir(parents=True)
    (place / "replay.json").write_bytes((folder / "match.json").read_bytes())
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        for reference in (f"{site}/matches/match-1/?d=137#again", "match-1"):
            found = find_match(reference, None, site)
            assert isinstance(found, RecordedMatch) and found.terms.match == "match-1"
        with pytest.raises(InputError, match="shows no replay: the match does not exist, is still running, or its"):
            find_match("match-2", None, site)
        server.shutdown()


@pytest.mark.slow
def test_the_commands_of_the_documentation(folder: Path, match: RecordedMatch) -> None:
    """Run the documented commands, except those that need a site or a person, with a decision of this match."""
    (folder / "mybot.py").write_bytes((folder / "mine.py").read_bytes())
    ask = str(list(match.history(2).asks)[-5])
    page = (Path(__file__).parents[2] / "webui" / "site" / "docs" / "en" / "debug.md").read_text()
    commands = [line for block in re.findall("```sh\n(.*?)```", page, re.S) for line in block.splitlines()]
    runnable = [line for line in commands if "http://" not in line and "--wait" not in line and "-- ruby" not in line]
    assert len(commands) == 6 and len(runnable) == 3
    for command in runnable:
        words = [ask if word == "137" else word for word in command.split()[1:]]
        done = subprocess.run([*ARENA, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done


@pytest.mark.slow
def test_refusals(folder: Path, document: dict[str, Any], match: RecordedMatch) -> None:
    file, bot = folder / "match.json", ("--", folder / "mine.py")
    other = next(iter(match.history(1).asks))
    changed = folder / "changed.json"
    changed.write_text(json.dumps({**document, "events": document["events"][:-1]}))
    endless = folder / "endless.json"
    endless.write_text(json.dumps({**document, "clock": {**document["clock"], "bank_ms": 10**30}}))
    cases: list[tuple[tuple[object, ...], str]] = [
        ((file, *bot), "give a --seat: 1 Bot 1, 2 Bot 2, 3 Bot 3"),
        ((file, "--seat", 4, *bot), "there is no seat 4: the match has 3"),
        ((file, "--seat", 3, "--at", other, *bot), f"the decision at {other} is seat 1's; seat 3 was asked at"),
        ((file, "--seat", 3, "--at", 9999, *bot), "the decision at 9999 does not exist; seat 3 was asked at"),
        ((file, "--seat", 3), "give a bot"),
        ((file, "--seat", 3, "--wait", "here"), "--wait is host:port"),
        ((file, "--seat", 3, "--seed", "ab" * 32, *bot), "need --from-here"),
        ((folder / "seat3.binpb", "--seat", 2, *bot), "the transcript of seat 3"),
        ((folder / "matches.jsonl.zst", "--seat", 2, *bot), "choose one with --match, such as match-0 or match-1"),
        ((changed, "--seat", 2, *bot), "is not valid"),
        ((endless, "--seat", 2, *bot), "the bot cannot be sent this match"),
        ((folder / "mine.py", "--seat", 2, *bot), "neither one JSON document nor one a line"),
        ((folder / "none.json", *bot), "is not a file, the address of a match"),
        ((folder / "none.binpb", *bot), "none.binpb"),
        (("http://127.0.0.1:9/matches/abc/", *bot), "cannot reach http://127.0.0.1:9/matches/abc/replay.json"),
        (("abc", "--site", "ftp://x", *bot), "must begin with https://"),
    ]
    for words, message in cases:
        assert message in complaint(arena_here("debug", *words)), words
    words = ("debug", folder / "seat3.binpb", "--from-here", "--times", 1, "--", *RAW)
    assert "use the match's replay" in arena(*words).err
    words = ("debug", file, "--seat", 3, "--times", 1, "--", *RAW, "quit")
    assert "its process has ended" in arena(*words).err
    words = ("debug", file, "--seat", 3, "--times", 1, "--", *RAW, "long-winded")
    assert "has not answered the offer: MALFORMED: a message that is too large" in arena(*words).err
