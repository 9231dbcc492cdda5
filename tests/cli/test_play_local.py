"""`arena play` with competitors of every kind: files, programs that connect, bots that the user starts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.cli.competitors import Form, read_entrants
from arena.cli.questions import read_question
from arena.local.results import GameResult
from arena.players import ask_house
from arena.referee import prove
from tests.kit.command import ARENA, arena, arena_here, complaint, printed
from tests.kit.ports import ReservedPort
from tests.kit.until import until

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "arena" / "starters" / "python" / "mybot.py"
SEEDS = [f"{number:064x}" for number in range(6)]
RAW = f"{sys.executable} -m tests.kit.raw_bot"


@pytest.mark.slow
def test_files_programs_and_house_players_at_one_table(tmp_path: Path) -> None:
    """Play a block of three: every competitor sits once at each seat, and every replay can be proved."""
    out = tmp_path / "games.jsonl"
    done = arena("play", STARTER, RAW, "random", "--mirror", "-g", 2, "-j", 2, "--json", "--out", out)
    shown = json.loads(printed(done))
    assert (shown["games"], shown["mirrored"], shown["interrupted"]) == (3, True, False)
    names = [row["player"] for row in shown["players"]]
    assert names == ["mybot", RAW, "random"]
    replays = [json.loads(line) for line in out.read_text().splitlines()]
    seats = [[seat["name"] for seat in replay["seats"]] for replay in replays]
    assert seats == [names, names[1:] + names[:1], names[2:] + names[:2]]
    assert len({replay["deal"] for replay in replays}) == 1
    for replay in replays:
        prove(replay, ask_house)  # raises if anything does not follow
    for row in shown["players"]:
        scores = [
            replay["result"]["scores"][[seat["name"] for seat in replay["seats"]].index(row["player"])]
            for replay in replays
        ]
        assert row["mean"] == pytest.approx(sum(score["total"] for score in scores) / 3)
        assert row["faults"] == {} and row["forfeits"] == 0
        assert 0 < row["think_ms"]["median"] <= row["think_ms"]["p99"] < 10_000
    assert sum(row["wins"] for row in shown["players"]) == pytest.approx(1)


def test_the_table_says_what_went_wrong(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from arena.bots import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return 'dance'\n"
    )
    text = arena_here("play", file, "random", NO_COLOR="1").out
    assert re.search(r"faults MALFORMED +│ +3 │ +0 ", text) and re.search(r"forfeits +│ +1 │ +0 ", text)
    assert re.search(r"win share +│ +0.0% │ +100.0% ", text) and "think time, median" in text


@pytest.mark.slow
def test_a_bot_that_is_started_by_hand(tmp_path: Path) -> None:
    with ReservedPort() as port:
        address = f"127.0.0.1:{port.number}"
    words = ["play", address, "random", "--games", "2", "--json"]
    with subprocess.Popen([*ARENA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stderr is not None and playing.stdout is not None
        said = playing.stderr.readline()
        environment = {**os.environ, **dict(re.findall(r"(ARENA_\w+)=(\S+)", said))}
        assert environment["ARENA_SERVER"] == address, said
        with subprocess.Popen([sys.executable, STARTER], env=environment, stderr=subprocess.DEVNULL) as bot:
            shown = json.loads(playing.stdout.read())
            bot.kill()
    assert (playing.returncode, shown["games"], shown["players"][0]["player"]) == (0, 2, address)


def living() -> set[int]:
    """Return the groups of all processes that are alive."""
    groups = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group = status.read_text().rpartition(")")[2].split()[:3]
            groups |= {int(group)} if state != "Z" else set()
    return groups


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_prints_what_there_is_and_ends_what_was_started(tmp_path: Path, number: signal.Signals) -> None:
    out, pids = tmp_path / "games.jsonl", tmp_path / "pids"
    command = f"sh -c 'echo $$ >> {pids}; {RAW}'"
    words = ["play", command, "random", "--games", "100000", "--json", "--out", str(out)]
    with subprocess.Popen([*ARENA, *words], stdout=subprocess.PIPE, text=True) as playing:
        until(lambda: out.exists() and out.stat().st_size > 0, "a game")
        assert playing.stdout is not None and set(map(int, pids.read_text().split())) <= living()
        playing.send_signal(number)
        shown = json.loads(playing.stdout.read())
    assert (playing.returncode, shown["interrupted"]) == (130, True)
    assert shown["games"] == len(out.read_text().splitlines()) >= 1
    assert not living() & set(map(int, pids.read_text().split()))


@pytest.mark.slow
def test_what_was_played_is_shown_although_a_bot_cannot_be_started_again(tmp_path: Path) -> None:
    """A bot whose process plays one match, and that starts only twice."""
    bot, starts = tmp_path / "bot", tmp_path / "starts"
    bot.write_text(f"""
printf x >> {starts}
[ $(wc -c < {starts}) -le 2 ] || {{ echo "no third time"; exit 1; }}
exec {RAW} once
""")
    words = ["play", f"sh {bot}", "random", "--json"]
    one = arena_here(*words, "--games", 1)
    assert json.loads(printed(one))["games"] == 1
    assert starts.read_text() == "x", "after the last game nothing is started"
    starts.unlink()
    done = arena_here(*words, "--games", 10)
    assert (done.code, json.loads(done.out)["games"]) == (2, 2)
    assert "no third time" in done.err


def test_until_stops_when_the_answer_is_known() -> None:
    """At 51 % an answer takes few blocks. The seed decides which answer it is."""
    answers = {}
    for seed in SEEDS:
        asked = "2 > 1 at 51%"
        done = arena_here("play", "random", "random", "--until", asked, "--games", 400, "--seed", seed, "--json")
        shown = json.loads(done.out)
        assert shown["until"]["errors"] == [0.49, 0.49] and shown["mirrored"]
        assert shown["games"] == shown["until"]["games"] < 400
        low, high = shown["until"]["bounds"]
        assert low < 0 < high and (shown["until"]["llr"] >= high) == (shown["until"]["answer"] == "yes")
        answers[shown["until"]["answer"]] = done.code
    assert answers == {"yes": 0, "no": 1}
    few = arena_here("play", "random", "random", "--until", "1 > 2 at 95%", "--games", 2)
    assert few.code == 3 and "not told apart: " in few.out and "after 2 games" in few.out


@pytest.mark.slow
def test_several_jobs_play_the_same_games_of_house_players(tmp_path: Path) -> None:
    files = []
    for jobs, run in ((1, arena_here), (2, arena)):
        files.append(tmp_path / f"{jobs}.jsonl")
        words = ["random", "random", "--mirror", "-g", 4, "--seed", "0e" * 32, "-j", jobs, "--out", files[-1]]
        printed(run("play", *words))
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["ghost x", "random"], "'ghost x' is not a competitor: name a house player (random, greedy"),
        (["", "random"], "a competitor is empty"),
        (["sh 'x", "random"], "is not a command: No closing quotation"),
        (["nowhere.py", "random"], "there is no file nowhere.py"),
        (["tests/kit/until.py", "random"], "until: tests/kit/until.py has no bot"),
        (["true", "random"], "true: its process ended before it said hello: exit code 0"),
        (["sleep 60", "random", "--wait", "0.2"], "has not said hello within 0.2 seconds"),
        (["1.2.3.4:80", "random"], "cannot listen on 1.2.3.4:80"),
        (["127.0.0.1:0", "random"], "127.0.0.1:0 has no port that a bot could dial"),
        (
            ["random", "greedy", "--until", "greedy is better"],
            '--until needs a question such as "mybot > greedy at 95%"',
        ),
        (
            ["random", "greedy", "--until", "greedy > ghost at 95%"],
            "no competitor is called 'ghost'; there are 1 random, 2",
        ),
        (["random", "random", "--until", "random > 1 at 95%"], "several competitors are called 'random'"),
        (["random", "greedy", "--until", "1 > random at 95%"], "asks about one competitor twice"),
        (["random", "greedy", "--until", "1 > 2 at 30%"], "above 50 and below 100 %, not 30 %"),
        (["random", "greedy", "-j", "0"], "'-j'"),
        (["random", "greedy", "--games", "0"], "'-g'"),
    ],
)
def test_what_cannot_be_played(words: list[str], says: str) -> None:
    assert says in complaint(arena_here("play", *words))


@pytest.mark.slow
def test_games_that_are_refused_write_nothing(tmp_path: Path) -> None:
    old, new, page = tmp_path / "old.jsonl", tmp_path / "new.jsonl", tmp_path / "page.html"
    old.write_text("of another time\n")
    bot = tmp_path / "mine.py"
    bot.write_text(
        "from arena.bots import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
    )
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for out in (old, new, empty):
        words = ["play", bot, "random", "--out", out, "--html", page, "-x", "artisans"]
        assert "does not play 2 players and artisans" in complaint(arena_here(*words))
    assert old.read_text() == "of another time\n" and not new.exists() and not page.exists()
    assert empty.exists()
    words = ["play", "random", "random", "--out", tmp_path / "no" / "such.jsonl"]
    assert "cannot write" in complaint(arena_here(*words))


def test_what_words_mean(tmp_path: Path) -> None:
    assert [
        (one.form, one.name) for one in read_entrants(["greedy", str(STARTER), f"{STARTER}:MyBot", RAW, "[::1]:80"])
    ] == [
        (Form.HOUSE, "greedy"),
        (Form.PYTHON, "mybot"),
        (Form.PYTHON, "mybot:MyBot"),
        (Form.COMMAND, RAW),
        (Form.WAITING, "[::1]:80"),
    ]


def test_a_question_counts_whole_blocks_alone() -> None:
    """With two seats the first competitor wins from both, which is a block of four half points."""
    entrants = read_entrants(["random", "greedy"])
    for words in ("2 > 1", "greedy > random", "2 greedy > 1 random"):  # also as the table names them
        assert read_question(f"{words} at 60 %", entrants, 1)._sides == (1, 0)
    question = read_question("1 > 2 at 60 %", entrants, 1)
    won = GameResult((0, 1), (1, 2), None, ((), ()), frozenset(), ((), ()), None)
    assert question.document()["answer"] is None and question.sentence().endswith("no block was played to its end")
    assert not question.add(won)
    assert question.document()["answer"] is None
    assert question.add(won._replace(sides=(1, 0), placements=(2, 1)))
    assert question.document()["blocks"] == [0, 0, 0, 0, 1]
