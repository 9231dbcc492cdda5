"""`arena bot compare`: blocks by the real referee between bots in processes of their own, and what they do wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.bots.house_bots import house_bot
from arena.bots.local_blocks import Block, LocalBlocks, Side
from arena.bots.local_bot import BotNotLoaded
from arena.cli.app import app
from arena.cli.bot import load_bot
from arena.cli.compare import points
from arena.cli.files import InputError
from arena.players import ask_house
from arena.ratings.sequential import Estimate
from arena.referee import Clock, prove
from arena.rules import Ruleset

QUICK = "from arena.bots import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        "
HOUSE = Side("random", partial(house_bot, "random"))


def side(folder: Path, text: str) -> Side:
    """A bot of a file `mine.py` in this folder."""
    folder.mkdir()
    file = folder / "mine.py"
    file.write_text(text)
    return Side(folder.name, partial(load_bot, str(file)))


def first_block(*sides: Side) -> Block:
    """Of a comparison of these."""
    with closing(LocalBlocks(Ruleset(len(sides), ()), sides, bytes(32)).play(1)) as blocks:
        return next(blocks)


def test_files_of_one_name_in_two_folders_play_as_themselves(tmp_path: Path) -> None:
    """Both import a module of the same name from beside them, which says who they are."""
    text = "import taste\n" + QUICK.replace("\n    def", "\n    version = taste.NAME\n    def") + "return legal[0]\n"
    sides = []
    for name in ("old", "new"):
        sides.append(side(tmp_path / name, text))
        (tmp_path / name / "taste.py").write_text(f"NAME = {name!r}\n")
    block = first_block(*sides)
    assert block.faults == block.forfeits == (0, 0)
    one, other = block.replays
    assert one["seats"] == [{"name": name, "version": name} for name in ("old", "new")] == other["seats"][::-1]
    assert one["deal"] == other["deal"] and one["server_seed"] != other["server_seed"]
    for replay in block.replays:
        prove(replay, ask_house)  # raises where anything does not follow


@pytest.mark.parametrize(
    ("what", "reason", "faults"),
    [
        ("raise RuntimeError('no idea')\n", "MALFORMED", 6),
        ("return 'dance'\n", "MALFORMED", 6),
        ("import os; os._exit(1)\n", "GONE", 0),  # its grace ends in a forfeit, without a strike
    ],
)
def test_what_a_bot_does_wrong_is_counted_and_loses(tmp_path: Path, what: str, reason: str, faults: int) -> None:
    block = first_block(side(tmp_path / "bad", QUICK + what), HOUSE)
    assert block.halves == 0
    assert block.faults == (faults, 0) and block.forfeits == (2, 0)
    assert all(replay["verdict"]["kind"] == "forfeit" for replay in block.replays)
    assert {forfeit["reason"] for replay in block.replays for forfeit in replay["verdict"]["forfeits"]} == {reason}


def test_a_bot_that_never_answers_is_late_and_does_not_hold_up_the_next_game(tmp_path: Path) -> None:
    sides = side(tmp_path / "asleep", "import time\n" + QUICK + "time.sleep(3600)\n"), HOUSE
    with closing(LocalBlocks(Ruleset(2, ()), sides, bytes(32), Clock(60_000, 0, 500)).play(1)) as blocks:
        block = next(blocks)
    assert (block.halves, block.faults[0], block.forfeits) == (0, 6, (2, 0))
    assert {one["reason"] for replay in block.replays for one in replay["verdict"]["forfeits"]} == {"LATE"}


def test_a_bot_that_cannot_be_loaded_is_told_of(tmp_path: Path) -> None:
    for_three = QUICK.replace("\n    def", "\n    player_counts = [3]\n    def") + "return legal[0]\n"
    for name, text, why in (("none", "x = 1\n", "no bot"), ("three", for_three, "does not play 2 players")):
        with pytest.raises(BotNotLoaded, match=f"{name}.*{why}"):
            first_block(HOUSE, side(tmp_path / name, text))


def test_the_command_says_yes_of_greedy_against_random(tmp_path: Path) -> None:
    """With three at the table; a margin of 300 points needs a few blocks."""
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


def test_the_command_is_not_told_apart_after_all_games() -> None:
    result = CliRunner().invoke(app, ["bot", "compare", "random", "random", "--games", "2"])
    assert result.exit_code == 3 and "not told apart: " in result.output and "after 2 games" in result.output


WITHOUT_THE_SERVERS_PARTS = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"celery", "django", "numpy", "openskill", "redis", "scipy", "webui", "workers"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
from arena.cli import compare
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
