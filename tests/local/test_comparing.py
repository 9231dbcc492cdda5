"""`arena bot compare`: blocks with the real referee between bots in their own processes, and their faults."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.bots.house_bots import house_bot
from arena.cli import trials
from arena.cli.app import app
from arena.cli.bot import load_bot
from arena.cli.files import InputError
from arena.cli.trials import points
from arena.local.competitor import NotStarted
from arena.local.python_bot import PythonBot
from arena.local.results import GameResult, halves_of_block
from arena.local.series import LocalSeries, Side
from arena.players import ask_house
from arena.ratings.sequential import Estimate, Hypotheses, Trial
from arena.referee import Clock, prove
from arena.rules import Ruleset
from tests.kit.until import until

QUICK = "from arena.bots import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        "
HOUSE = Side("random", partial(PythonBot, "random", partial(house_bot, "random")))


def side(folder: Path, text: str) -> Side:
    """Return a bot of a file `mine.py` in this folder."""
    folder.mkdir()
    file = folder / "mine.py"
    file.write_text(text)
    return Side(folder.name, partial(PythonBot, folder.name, partial(load_bot, str(file))))


def block(*sides: Side, clock: Clock | None = None) -> list[GameResult]:
    """Play one deal block of these sides."""
    series = LocalSeries(Ruleset(len(sides), ()), sides, bytes(32), clock=clock or Clock())
    with closing(series.play(len(sides), 1)) as games:
        return list(games)


def replays(games: list[GameResult]) -> list[dict[str, Any]]:
    """Return the replays of all games."""
    return [game.replay for game in games if game.replay is not None]


def wrong(games: list[GameResult], side: int) -> tuple[list[str], int]:
    """Return the faults and forfeits of a side."""
    seats = [game.sides.index(side) for game in games]
    faults = [reason for game, seat in zip(games, seats, strict=True) for reason in game.faults[seat]]
    return faults, sum(seat + 1 in game.forfeits for game, seat in zip(games, seats, strict=True))


def test_files_of_one_name_in_two_folders_play_as_themselves(tmp_path: Path) -> None:
    """Both import a module of the same name from their own folder, which says who they are."""
    text = "import taste\n" + QUICK.replace("\n    def", "\n    version = taste.NAME\n    def") + "return legal[0]\n"
    sides = []
    for name in ("old", "new"):
        sides.append(side(tmp_path / name, text))
        (tmp_path / name / "taste.py").write_text(f"NAME = {name!r}\n")
    games = block(*sides)
    assert wrong(games, 0) == wrong(games, 1) == ([], 0)
    one, other = replays(games)
    assert one["seats"] == [{"name": name, "version": name} for name in ("old", "new")] == other["seats"][::-1]
    assert one["deal"] == other["deal"] and one["server_seed"] != other["server_seed"]
    for replay in replays(games):
        prove(replay, ask_house)  # raises if anything does not follow


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "reason", "faults"),
    [
        ("raise RuntimeError('no idea')\n", "MALFORMED", 6),
        ("return 'dance'\n", "MALFORMED", 6),
        ("import os; os._exit(1)\n", "GONE", 0),  # its grace ends in a forfeit, without a strike
    ],
)
def test_what_a_bot_does_wrong_is_counted_and_loses(tmp_path: Path, what: str, reason: str, faults: int) -> None:
    games = block(side(tmp_path / "bad", QUICK + what), HOUSE)
    assert halves_of_block(games, 0, 1) == 0
    assert wrong(games, 0) == ([reason] * faults, 2) and wrong(games, 1) == ([], 0)
    assert all(replay["verdict"]["kind"] == "forfeit" for replay in replays(games))
    assert {forfeit["reason"] for replay in replays(games) for forfeit in replay["verdict"]["forfeits"]} == {reason}


@pytest.mark.slow
def test_a_bot_that_never_answers_is_late_and_does_not_hold_up_the_next_game(tmp_path: Path) -> None:
    sides = side(tmp_path / "asleep", "import time\n" + QUICK + "time.sleep(3600)\n"), HOUSE
    games = block(*sides, clock=Clock(60_000, 0, 500))
    assert (halves_of_block(games, 0, 1), wrong(games, 0)) == (0, (["LATE"] * 6, 2))


@pytest.mark.slow
def test_the_processes_that_a_bot_starts_end_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    text = QUICK.replace(
        "\n    def",
        f"""
    def __init__(self):
        helper = multiprocessing.Process(target=time.sleep, args=(3600,))
        helper.start()
        open({str(pids)!r}, "a").write(f"{{helper.pid}}\\n")
    def""",
    )
    games = block(side(tmp_path / "two", "import multiprocessing, time\n" + text + "return legal[0]\n"), HOUSE)
    assert wrong(games, 0) == ([], 0)
    started = [Path(f"/proc/{pid}/status") for pid in pids.read_text().split()]
    assert len(started) == 2
    until(lambda: not any(status.exists() and "zombie" not in status.read_text() for status in started))


@pytest.mark.slow
def test_a_bot_that_cannot_be_loaded_is_told_of(tmp_path: Path) -> None:
    for_three = QUICK.replace("\n    def", "\n    player_counts = [3]\n    def") + "return legal[0]\n"
    for name, text, why in (("none", "x = 1\n", "no bot"), ("three", for_three, "does not play 2 players")):
        with pytest.raises(NotStarted, match=f"{name}.*{why}"):
            block(HOUSE, side(tmp_path / name, text))


@pytest.mark.slow
def test_the_command_says_yes_of_greedy_against_random(tmp_path: Path) -> None:
    """With three at the table a margin of 300 points needs a few blocks."""
    out = tmp_path / "games.jsonl"
    arguments = ["bot", "compare", "random", "greedy", "--players", "3", "--house", "random", "--margin", "300"]
    result = CliRunner().invoke(app, [*arguments, "--json", "-j", "2", "--out", str(out)])
    document = json.loads(result.stdout)
    assert (result.exit_code, document["answer"]) == (0, "yes"), result.output
    assert document["interval"][0] > 0 and sum(document["blocks"]) * 3 == document["games"]
    assert document["llr"] >= document["bounds"][1] and document["faults"] == {"new": 0, "old": 0}
    replays = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(replays) == document["games"]
    sat = Counter((seat, player["name"]) for replay in replays for seat, player in enumerate(replay["seats"], start=1))
    assert {sat[seat, "greedy"] for seat in (1, 2, 3)} == {document["games"] // 3}


@pytest.mark.slow
def test_the_command_is_not_told_apart_after_all_games() -> None:
    result = CliRunner().invoke(app, ["bot", "compare", "random", "greedy", "--games", "2"])
    assert result.exit_code == 3 and "not told apart: " in result.output and "after 2 games" in result.output
    rows = {line.split("│")[1].strip(): line.split("│")[2:4] for line in result.output.splitlines() if "│" in line}
    assert "1 NEW greedy 1" in result.output and "2 OLD random 1" in result.output, "who it was, in which version"
    new, old = (float(cell) for cell in rows["score"])
    assert new > old and [cell.strip() for cell in rows["win share"]] == ["100.0%", "0.0%"]


@pytest.mark.slow
def test_the_command_compares_programs_in_any_language(tmp_path: Path) -> None:
    program = shlex.join([sys.executable, "-m", "tests.kit.raw_bot"])
    result = CliRunner().invoke(app, ["bot", "compare", "random", program, "--games", "2"])
    assert result.exit_code == 3 and "1 NEW" in result.output, result.output
    address = CliRunner().invoke(app, ["bot", "compare", "random", "127.0.0.1:5001"])
    assert isinstance(address.exception, InputError) and "is an address" in str(address.exception)


def test_progress_is_near_the_answer() -> None:
    """`estimate` alone would say +105 ± 56 after 104 games, and yes with +230 ± 75 after 108."""
    trial = Trial(Hypotheses(2, 20, 5000))
    shown: list[Estimate | None] = []
    answered = None
    for halves in cycle([4, 3, 4, 2, 4, 4, 3, 1]):
        if trial.add(halves):
            answered = trial.estimate()
            break
        shown.append(trial.running_estimate())
    last = shown[-1]
    assert answered is not None and last is not None
    assert abs(last.points - answered.points) < answered.half_width / 2 and last.low < answered.points < last.high


@pytest.mark.parametrize("is_json", [False, True])
def test_a_file_is_told_how_far_it_is_while_it_runs(
    is_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trials, "LINE_EVERY", 4)
    trial, seen = Trial(Hypotheses(3, 20, 100)), list[str]()
    for block in range(1, 5):
        trial.add(4 if block % 2 else 2)
        trials.show(trial, is_json=is_json)
        out, err = capsys.readouterr()
        told, other = (err, out) if is_json else (out, err)
        assert other == "", "a JSON document is alone on the output"
        seen += told.splitlines()
    assert [line.partition(" games: ")[0] for line in seen] == ["6", "9", "12"]


def test_nothing_is_written_where_nothing_is_played(tmp_path: Path) -> None:
    broken, out = tmp_path / "broken.py", tmp_path / "games.jsonl"
    broken.write_text("import nothing_of_this_name\n")
    result = CliRunner().invoke(app, ["bot", "compare", "random", str(broken), "--out", str(out)])
    assert isinstance(result.exception, InputError) and "cannot be loaded" in str(result.exception)
    assert not out.exists()
    nowhere = CliRunner().invoke(app, ["bot", "compare", "random", "random", "--out", str(tmp_path / "a" / "b")])
    assert isinstance(nowhere.exception, InputError) and "cannot write" in str(nowhere.exception)


WITHOUT_THE_SERVERS_PARTS = """
import sys

MISSING = "celery django msgspec numpy openskill prometheus_client redis scipy webui workers".split()

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in MISSING:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from arena.cli import compare, play, play_series
from arena.local import dialled, gateway, house_series, series
"""


def test_it_needs_no_more_than_a_bot_author_installs() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_THE_SERVERS_PARTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_unknown_house_player() -> None:
    result = CliRunner().invoke(app, ["bot", "compare", "random", "greedy", "--house", "nobody"])
    assert isinstance(result.exception, InputError) and "there is no house player 'nobody'" in str(result.exception)


def test_how_an_estimate_is_said() -> None:
    assert points(Estimate(18.2, 9.4, 27.1)) == "+18 ± 9 points"
    assert points(Estimate(1100, 414.9, 1200)) == "more than +415 points"
    assert points(Estimate(-1100, -1200, -300)) == "less than -300 points"
