"""How good the chances to win are that the stories of matches tell, and what a story costs.

    python -m tests.bench.story --games 1000

House players of different strength meet in every ruleset; each game is evaluated as a match is after its end. Printed
are the chances in bins beside how often those seats won (calibration), and the Brier score, the mean over moments of
the squared differences between chances and outcome, summed over the seats. The named references are equal chances, and
chances from the points that lie open on the table alone. With `--from` other games than those the widths in
`arena/story/chances.py` were fitted to, which are the first 64.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import Any, NamedTuple

from arena.local.house_series import LocalGame, local_game
from arena.players.outlook import left
from arena.rules import Ruleset, State, position
from arena.rules.open_score import open_score
from arena.story import Evaluation, evaluate
from arena.story.chances import weights
from arena.story.moments import moments

RULESETS = (
    Ruleset(2),
    Ruleset(3),
    Ruleset(4),
    Ruleset(4),
    Ruleset(3, ("artisans",)),
    Ruleset(5, ("whims",)),
    Ruleset(5, ("artisans", "whims")),
    Ruleset(2, ("artisans", "whims")),
)
PLAYERS = ("greedy", "search-1", "greedy-vizier", "greedy-rival", "greedy-trader", "search-1", "search-2")
OPEN_WIDTH, OPEN_LEFT = 20.0, 40.0
"""VP, fitted to the same games for the reference: a lead in open points says little while gold and goods are hidden."""
BINS = 10


class Judged(NamedTuple):
    """A moment of a game: chances by seat, those of the reference, and who won in shares."""

    told: tuple[float, ...]
    reference: list[float]
    won: list[float]


def main() -> None:
    """Play, evaluate, and print."""
    parser = argparse.ArgumentParser(description="Calibration and cost of the stories of matches.")
    parser.add_argument("--games", type=int, default=16)
    parser.add_argument("--from", type=int, default=1000, dest="first", help="number of the first game")
    arguments = parser.parse_args()
    judged: list[list[Judged]] = []
    times: dict[str, list[float]] = {}
    for number in range(arguments.first, arguments.first + arguments.games):
        document = played(number)
        began = process_time()
        evaluation = evaluate(document)
        name = " ".join([str(len(document["seats"])), *document["ruleset"].get("expansions", [])])
        times.setdefault(name, []).append(process_time() - began)
        judged.append(list(moments_of(document, evaluation)))
    report(judged)
    print("\nseats, expansions   games  processor time of a story, mean and most, s")
    for name, spent in sorted(times.items()):
        print(f"{name:18} {len(spent):6}  {fmean(spent):5.2f} {max(spent):5.2f}")


def played(number: int) -> dict[str, Any]:
    """The record of a game, with a verdict as of a match."""
    seed, draw, ruleset = sha256(b"fit%d" % number).digest(), Random(number), RULESETS[number % len(RULESETS)]
    names = tuple(draw.choice(PLAYERS) for _ in range(ruleset.players))
    game = local_game(ruleset, seed, names)
    outcome = game.state.outcome
    assert outcome is not None
    verdict = {"kind": "completed", "placements": list(outcome.ranks), "forfeits": []}
    return {**LocalGame(number, game, names).document(), "verdict": verdict}


def moments_of(document: dict[str, Any], evaluation: Evaluation) -> Iterator[Judged]:
    """Those before the end."""
    placements = document["verdict"]["placements"]
    won = [(place == 1) / placements.count(1) for place in placements]
    for moment, point in zip(moments(document), evaluation.points[:-1], strict=False):
        yield Judged(point.chances, from_open_points(moment.state), won)


def from_open_points(state: State) -> list[float]:
    """The reference: chances from what lies open."""
    shown = position(state)
    totals = [sum(open_score(shown, seat).values()) for seat in range(1, len(state.seats) + 1)]
    shares = weights(totals, OPEN_WIDTH + OPEN_LEFT * left(state))
    return [share / sum(shares) for share in shares]


def brier(chances: Sequence[float], won: Sequence[float]) -> float:
    """0 is best; 2 for certainty of the wrong seat."""
    return sum((chance - share) ** 2 for chance, share in zip(chances, won, strict=True))


def report(games: Sequence[Sequence[Judged]]) -> None:
    """Calibration and Brier scores. Standard errors are over games: moments of one game are no independent draws."""
    pairs = [pair for game in games for one in game for pair in zip(one.told, one.won, strict=True)]
    print("told, %   seats at moments   told, mean %   won, %")
    for number in range(BINS):
        inside = [(told, won) for told, won in pairs if min(BINS - 1, int(told * BINS)) == number]
        if inside:
            told, won = (100 * fmean(values) for values in zip(*inside, strict=True))
            print(
                f"{100 * number // BINS:3}–{100 * (number + 1) // BINS:3}  {len(inside):16}  {told:12.1f}  {won:7.1f}"
            )
    scores = {
        "told": [fmean(brier(one.told, one.won) for one in game) for game in games],
        "open points": [fmean(brier(one.reference, one.won) for one in game) for game in games],
        "equal chances": [fmean(brier([1 / len(one.won)] * len(one.won), one.won) for one in game) for game in games],
    }
    print("\nBrier score    mean  ± standard error")
    for name, values in scores.items():
        print(f"{name:13} {fmean(values):6.3f}  ± {stdev(values) / sqrt(len(values)):.3f}")


if __name__ == "__main__":
    main()
