"""Comparison of matchmakers: how soon the order is found, which bots meet, and how much helpers gain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from arena.ratings import Book
from arena.ratings.batch import RatedGame, Ratings
from arena.simulation.ladder import SimulatedMatch, play
from arena.simulation.matchmakers import MATCHMAKERS
from arena.simulation.measures import CHECKPOINTS, GOAL, Setup, games_to, kendall_tau
from arena.simulation.rivals import constant_batch, ladder
from arena.simulation.worlds import WORLDS, World

BEFORE = "former, OpenSkill"
"""The former ladder: the former matchmaking with the ratings that the pages displayed."""


@dataclass
class PairingTally:
    """Results of one matchmaker in one world, over all its ladders."""

    taus: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    steps: list[int] = field(default_factory=list)
    rivals: list[float] = field(default_factory=list)
    fewest: list[float] = field(default_factory=list)
    errors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


class PairingRow(NamedTuple):
    """A row of the table."""

    world: str
    matchmaker: str
    tau: dict[int, float]
    """Kendall's tau by games of a bot."""
    games_to_goal: float | None
    """Games of a bot until tau reaches `GOAL`, interpolated between checkpoints; None if it does not."""
    steps: int
    """Links between the two bots that are farthest apart; bots that have met are linked. -1 if there are islands."""
    rival: float
    """Largest share of a bot's games that are against the same rival."""
    fewest: float
    """Fewest games of a bot that was present from the start, as a share of the mean of such bots."""
    boosted: float | None
    """Excess points of a bot that others help, relative to bots that were present before."""
    strong: float | None
    """The same for two strong bots that arrive at the same time."""


PairingTallies = dict[tuple[str, str], PairingTally]


def compare(setup: Setup, tallies: PairingTallies) -> Iterator[None]:
    """Simulate the ladders one by one with each matchmaker and add them to the tallies. Yield after each."""
    for repeat, name, players in product(range(setup.repeats), setup.worlds, setup.players):
        for matchmaker, make in MATCHMAKERS.items():
            chance = np.random.default_rng([setup.seed, repeat, list(WORLDS).index(name), players])
            world = WORLDS[name](setup.bots, chance)
            played = list(play(world, players, setup.games, Book(), chance, make))
            _measure(tallies.setdefault((name, matchmaker), PairingTally()), setup, world, played, players)
            if matchmaker == "former":
                _measure(tallies.setdefault((name, BEFORE), PairingTally()), setup, world, played, players, True)
            yield


def _measure(
    tally: PairingTally,
    setup: Setup,
    world: World,
    played: Sequence[SimulatedMatch],
    players: int,
    by_ladder: bool = False,
) -> None:
    rate = ladder if by_ladder else constant_batch
    games = [match.game for match in played]
    for after in [count for count in CHECKPOINTS if count < setup.games]:
        until = after * setup.bots // players
        tally.taus[after].append(kendall_tau(rate(games[:until]), world.at(played[until - 1].time)))
    estimate = rate(games)
    tally.taus[setup.games].append(kendall_tau(estimate, world.at(played[-1].time)))
    tally.steps.append(farthest(games))
    tally.rivals.append(most_of_one_rival(games))
    count = Counter(bot for game in games for bot in game.bots)
    old = [count[bot] for bot, arrival in enumerate(world.arrivals) if arrival == 0]
    tally.fewest.append(min(old) / float(np.mean(old)))
    for group, error in errors(estimate, world).items():
        tally.errors[group].append(error)


def errors(estimate: Ratings, world: World) -> dict[str, float]:
    """Return the excess points by group relative to the mean of the group "rest"; empty if no bots help."""
    if not world.helps:
        return {}
    groups = np.array([world.groups[bot] for bot in estimate.bots])
    wrong = estimate.ratings - world.strengths[list(estimate.bots)]
    wrong -= wrong[groups == "rest"].mean()
    return {str(group): float(wrong[groups == group].mean()) for group in sorted(set(groups))}


def farthest(games: Iterable[RatedGame]) -> int:
    """Return the largest number of links between two bots, where bots that have met are linked. -1 if some are not
    linked."""
    pairs = np.array([pair for game in games for pair in combinations(game.bots, 2)]).T
    bots, numbers = np.unique(pairs, return_inverse=True)
    one, other = numbers.reshape(pairs.shape)
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(len(bots), len(bots))).tocsr()
    longest = shortest_path(graph, directed=False, unweighted=True).max()
    return -1 if np.isinf(longest) else int(longest)


def most_of_one_rival(games: Iterable[RatedGame]) -> float:
    """Return the largest share of a bot's games in which the same rival sat."""
    count: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    for game in games:
        count.update(game.bots)
        met.update(combinations(sorted(game.bots), 2))
    return max(times / count[bot] for pair, times in met.items() for bot in pair)


def pairing_rows(tallies: Mapping[tuple[str, str], PairingTally]) -> list[PairingRow]:
    """Return the rows of the table."""
    table = []
    for (world, matchmaker), tally in tallies.items():
        tau = {games: float(np.mean(values)) for games, values in tally.taus.items()}
        wrong = {group: float(np.mean(values)) for group, values in tally.errors.items()}
        table.append(
            PairingRow(
                world,
                matchmaker,
                tau,
                games_to(tau, GOAL),
                -1 if -1 in tally.steps else max(tally.steps),
                float(np.mean(tally.rivals)),
                float(np.mean(tally.fewest)),
                wrong.get("boosted"),
                wrong.get("strong"),
            )
        )
    return table
