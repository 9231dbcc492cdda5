"""How near ratings come to the known strengths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Final, NamedTuple

import numpy as np

from arena.ratings import Book
from arena.ratings.batch import Ratings
from arena.ratings.choices import Floats
from arena.ratings.standing import Z, standings, z_scores
from arena.simulation.ladder import play
from arena.simulation.rivals import RIVALS
from arena.simulation.worlds import WORLDS, World

CHECKPOINTS: Final = (5, 10, 20, 40, 80, 160)
"""Games a bot, on average, after which the order is compared."""
GOAL: Final = 0.9


@dataclass
class Tally:
    """One way to rate in one world, over all its ladders."""

    covered: list[bool] = field(default_factory=list)
    """Whether a 95 % interval holds the true strength."""
    rank_covered: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    """Half the 95 % interval, points."""
    slopes: list[float] = field(default_factory=list)
    """Points shown for each true point."""
    apart: list[float] = field(default_factory=list)
    """The share of pairs that are told apart."""
    taus: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Points shown too many, by group: the mean of the group on each ladder."""


class Row(NamedTuple):
    """A line of the table."""

    world: str
    rating: str
    coverage: float | None
    rank_coverage: float | None
    half_width: float | None
    slope: float
    apart: float | None
    tau: dict[int, float]
    """By games a bot."""
    games_to_goal: float | None
    """Games a bot until tau is `GOAL`, between checkpoints by interpolation; none if it is not reached."""
    bias: float
    """The mean error of the group that has the largest one, points."""
    biased: str
    """That group."""
    errors: dict[str, float]
    """The mean error of every group, points."""


class Setup(NamedTuple):
    """What is simulated."""

    worlds: tuple[str, ...] = tuple(WORLDS)
    players: tuple[int, ...] = (2, 3, 4, 5)
    bots: int = 24
    games: int = 40
    """A bot, on average."""
    repeats: int = 1
    seed: int = 0

    @property
    def ladders(self) -> int:
        """How many there are."""
        return self.repeats * len(self.worlds) * len(self.players)


Tallies = dict[tuple[str, str], Tally]


def simulate(setup: Setup, tallies: Tallies) -> Iterator[None]:
    """Simulate one ladder after the other and add it to the tallies, by world and rating; yields after each."""
    for repeat, name, players in product(range(setup.repeats), setup.worlds, setup.players):
        chance = np.random.default_rng([setup.seed, repeat, list(WORLDS).index(name), players])
        world = WORLDS[name](setup.bots, chance)
        played = list(play(world, players, setup.games, Book(), chance))
        for after in sorted({count for count in CHECKPOINTS if count < setup.games} | {setup.games}):
            until = played[: after * setup.bots // players]
            truth = world.at(until[-1].time)
            for rating, rate in RIVALS.items():
                tally = tallies.setdefault((name, rating), Tally())
                found = rate([one.game for one in until])
                tally.taus[after].append(order_found(found, truth))
                if after == setup.games:
                    _judge(tally, found, truth, world)
        yield


def order_found(found: Ratings, truth: Floats) -> float:
    """Kendall's tau of the bots that have played."""
    true = truth[list(found.bots)]
    one, other = np.triu_indices(len(true), 1)
    return float(np.mean(np.sign(true[one] - true[other]) * np.sign(found.ratings[one] - found.ratings[other])))


def _judge(tally: Tally, found: Ratings, truth: Floats, world: World) -> None:
    true = truth[list(found.bots)]
    judged = np.isin(found.bots, world.judged)
    # The mean is not compared: of helpers and those they help nobody knows what it should be.
    shown = found.ratings - found.ratings[judged].mean()
    true = true - true[judged].mean()
    tally.slopes.append(float(np.polyfit(true[judged], shown[judged], 1)[0]))
    groups = np.array([world.groups[bot] for bot in found.bots])
    for group in sorted(set(groups)):
        tally.errors[str(group)].append(float((shown - true)[groups == group].mean()))
    errors = np.sqrt(np.diag(found.covariance))
    if not errors.any():
        return
    tally.covered += (abs(shown - true) <= Z * errors)[judged].tolist()
    tally.widths += (Z * errors)[judged].tolist()
    scores = z_scores(found.ratings, found.covariance)[np.triu_indices(len(true), 1)]
    tally.apart.append(float(np.mean(abs(scores) >= Z)))
    ranks = {bot: 1 + int((true > one).sum()) for bot, one in zip(found.bots, true, strict=True)}
    if not world.helps:
        tally.rank_covered += [one.best_rank <= ranks[one.bot] <= one.worst_rank for one in standings(found)]


def rows(tallies: Tallies) -> list[Row]:
    """The table."""
    table = []
    for (world, rating), tally in tallies.items():
        tau = {games: float(np.mean(values)) for games, values in tally.taus.items()}
        bias = {group: float(np.mean(values)) for group, values in tally.errors.items()}
        biased = max(bias, key=lambda group: abs(bias[group]))
        table.append(
            Row(
                world,
                rating,
                _mean(tally.covered),
                _mean(tally.rank_covered),
                _mean(tally.widths),
                float(np.mean(tally.slopes)),
                _mean(tally.apart),
                tau,
                games_to(tau, GOAL),
                bias[biased],
                biased,
                bias,
            )
        )
    return table


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return float(np.mean(found)) if found else None


def games_to(tau: dict[int, float], goal: float) -> float | None:
    """Where the curve of tau first reaches the goal, linear in the logarithm of games."""
    points = sorted(tau.items())
    for (before, low), (after, high) in pairwise(points):
        if low < goal <= high:
            return float(before * (after / before) ** ((goal - low) / (high - low)))
    return float(points[0][0]) if points and points[0][1] >= goal else None
