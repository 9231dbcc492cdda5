"""How fast the local arena plays, beside kaggle-environments: decisions a second of random games, in the same minutes.

    python -m tests.bench.local

House players alone play in one process, without clocks; that is what compares with kaggle-environments, whose ConnectX
is played by its own `random` agents. The same decisions by the referee, with clocks, between bots in processes of
their own stand beneath. Rounds alternate, and the median ratio counts. kaggle-environments takes 1.6 GB, and so is
no dependency: KAGGLE_PYTHON names an interpreter that has it; without one `uv` makes an environment with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from statistics import median

from arena.bots.house_bots import house_bot
from arena.local.house_series import HouseSeries
from arena.local.python_bot import PythonBot
from arena.local.series import LocalSeries, Side
from arena.rules import Ruleset

ROUNDS = 5
GAMES = 20
KAGGLE = """
import time
from kaggle_environments import make

def steps(seconds):
    environment, done, begin = make("connectx"), 0, time.process_time()
    while time.process_time() - begin < seconds:
        done += len(environment.run(["random", "random"])) - 1
    return done / (time.process_time() - begin)

while input():
    print("steps", steps(3), flush=True)
"""


def house_steps(players: int) -> float:
    """Decisions a second of processor time among random house players."""
    series = HouseSeries(Ruleset(players), ["random"] * players, bytes(32), has_replays=True)
    begin = time.process_time()
    games = [series.play_game(number) for number in range(GAMES)]
    took = time.process_time() - begin
    return sum(seat > 0 for game in games if game.replay for seat, *_ in game.replay["events"]) / took


def refereed_steps() -> float:
    """Decisions a second, by any clock, between two random bots in processes of their own."""
    side = Side("random", partial(PythonBot, "random", partial(house_bot, "random")))
    with closing(LocalSeries(Ruleset(2), [side, side], bytes(32)).play(GAMES, 1)) as games:
        next(games)  # starts the processes
        begin = time.perf_counter()
        decisions = sum(len(thinks) for game in games for thinks in game.thinks)
        return decisions / (time.perf_counter() - begin)


def main() -> None:
    """Print every figure."""
    python = os.environ.get("KAGGLE_PYTHON")
    uv = [f"{os.path.dirname(sys.executable)}/uv", "run", "--no-project", "--with", "kaggle-environments", "python"]
    words = [*([python] if python else uv), "-c", KAGGLE]
    ratios: dict[int, list[float]] = {2: [], 4: []}
    theirs = ours = 0.0
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kaggle:
        assert kaggle.stdin is not None and kaggle.stdout is not None
        for _ in range(ROUNDS):
            print("go", file=kaggle.stdin, flush=True)
            while not (line := kaggle.stdout.readline()).startswith("steps"):
                assert line, "kaggle-environments does not run"
            theirs = float(line.split()[1])
            for players, found in ratios.items():
                ours = house_steps(players)
                found.append(ours / theirs)
                print(f"random game, {players} players: {ours:8,.0f} decisions/s; ConnectX {theirs:6,.0f} steps/s")
        kaggle.kill()
    for players, found in ratios.items():
        print(f"random game, {players} players: median ratio {median(found):.1f}")
    print(f"by the referee, over pipes, 2 players: {refereed_steps():8,.0f} decisions/s of any clock")


if __name__ == "__main__":
    main()
