"""Measures of how close ratings come to the known strengths."""

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
"""Mean numbers of games of a bot after which the order is compared."""
GOAL: Final = 0.9


@dataclass
class RatingTally:
    """Results of one way to rate in one world, over all its ladders."""

    covered: list[bool] = field(default_factory=list)
    """Whether each 95 % interval contains the true strength."""
    rank_covered: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    """Half of each 95 % interval, in points."""
    slopes: list[float] = field(default_factory=list)
    """Displayed points for each true point."""
    apart: list[float] = field(default_factory=list)
    """Share of pairs that are distinguishable."""
    taus: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Excess of the displayed points, by group: the mean of the group on each ladder."""


class MeasureRow(NamedTuple):
    """A row of the table."""

    world: str
    rating: str
    coverage: float | None
    rank_coverage: float | None
    half_width: float | None
    slope: float
    apart: float | None
    tau: dict[int, float]
    """Kendall's tau by games of a bot."""
    games_to_goal: float | None
    """Games of a bot until tau reaches `GOAL`, interpolated between checkpoints; None if it does not."""
    bias: float
    """Largest mean error of a group, in points."""
    biased: str
    """Group with the largest mean error."""
    errors: dict[str, float]
    """Mean error of every group, in points."""


class Setup(NamedTuple):
    """Parameters of a simulation."""

    worlds: tuple[str, ...] = tuple(WORLDS)
    players: tuple[int, ...] = (2, 3, 4, 5)
    bots: int = 24
    games: int = 40
    """Mean number of games of a bot."""
    repeats: int = 1
    seed: int = 0

    @property
    def ladders(self) -> int:
        """Number of ladders."""
        return self.repeats * len(self.worlds) * len(self.players)


Tallies = dict[tuple[str, str], RatingTally]


def simulate(setup: Setup, tallies: Tallies) -> Iterator[None]:
    """Simulate the ladders one by one and add them to the tallies, by world and rating. Yield after each."""
    for repeat, name, players in product(range(setup.repeats), setup.worlds, setup.players):
        chance = np.random.default_rng([setup.seed, repeat, list(WORLDS).index(name), players])
        world = WORLDS[name](setup.bots, chance)
        played = list(play(world, players, setup.games, Book(), chance))
        for after in sorted({count for count in CHECKPOINTS if count < setup.games} | {setup.games}):
            until = played[: after * setup.bots // players]
            truth = world.at(until[-1].time)
            for rating, rate in RIVALS.items():
                tally = tallies.setdefault((name, rating), RatingTally())
                estimate = rate([match.game for match in until])
                tally.taus[after].append(kendall_tau(estimate, truth))
                if after == setup.games:
                    _judge(tally, estimate, truth, world)
        yield


def kendall_tau(estimate: Ratings, truth: Floats) -> float:
    """Return Kendall's tau over the bots that have played."""
    true = truth[list(estimate.bots)]
    one, other = np.triu_indices(len(true), 1)
    return float(np.mean(np.sign(true[one] - true[other]) * np.sign(estimate.ratings[one] - estimate.ratings[other])))


def _judge(tally: RatingTally, estimate: Ratings, truth: Floats, world: World) -> None:
    true = truth[list(estimate.bots)]
    judged = np.isin(estimate.bots, world.judged)
    # The means are not compared, because the true strength of helpers and of those they help is not defined.
    shown = estimate.ratings - estimate.ratings[judged].mean()
    true = true - true[judged].mean()
    tally.slopes.append(float(np.polyfit(true[judged], shown[judged], 1)[0]))
    groups = np.array([world.groups[bot] for bot in estimate.bots])
    for group in sorted(set(groups)):
        tally.errors[str(group)].append(float((shown - true)[groups == group].mean()))
    errors = np.sqrt(np.diag(estimate.covariance))
    if not errors.any():
        return
    tally.covered += (abs(shown - true) <= Z * errors)[judged].tolist()
    tally.widths += (Z * errors)[judged].tolist()
    scores = z_scores(estimate.ratings, estimate.covariance)[np.triu_indices(len(true), 1)]
    tally.apart.append(float(np.mean(abs(scores) >= Z)))
    ranks = {bot: 1 + int((true > each).sum()) for bot, each in zip(estimate.bots, true, strict=True)}
    if not world.helps:
        tally.rank_covered += [each.best_rank <= ranks[each.bot] <= each.worst_rank for each in standings(estimate)]


def rows(tallies: Tallies) -> list[MeasureRow]:
    """Return the rows of the table."""
    table = []
    for (world, rating), tally in tallies.items():
        tau = {games: float(np.mean(values)) for games, values in tally.taus.items()}
        bias = {group: float(np.mean(values)) for group, values in tally.errors.items()}
        biased = max(bias, key=lambda group: abs(bias[group]))
        table.append(
            MeasureRow(
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
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else None


def games_to(tau: dict[int, float], goal: float) -> float | None:
    """Return the number of games at which tau first reaches the goal, interpolated in the logarithm of games."""
    points = sorted(tau.items())
    for (before, low), (after, high) in pairwise(points):
        if low < goal <= high:
            return float(before * (after / before) ** ((goal - low) / (high - low)))
    return float(points[0][0]) if points and points[0][1] >= goal else None
