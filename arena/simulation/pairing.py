"""What matchmakers are worth: how soon the order is found, who meets whom, and what helpers gain."""

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
from arena.ratings.batch import Game, Ratings
from arena.simulation.ladder import Played, play
from arena.simulation.matchmakers import MATCHMAKERS
from arena.simulation.measures import CHECKPOINTS, GOAL, Setup, games_to, order_found
from arena.simulation.rivals import constant_batch, ladder
from arena.simulation.worlds import WORLDS, World

BEFORE = "former, OpenSkill"
"""The ladder as it was: the former matchmaking, with the ratings that the pages showed."""


@dataclass
class PairingTally:
    """One matchmaker in one world, over all its ladders."""

    taus: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    steps: list[int] = field(default_factory=list)
    rivals: list[float] = field(default_factory=list)
    fewest: list[float] = field(default_factory=list)
    errors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


class PairingRow(NamedTuple):
    """A line of the table."""

    world: str
    matchmaker: str
    tau: dict[int, float]
    """By games a bot."""
    games_to_goal: float | None
    """Games a bot until tau is `GOAL`, between checkpoints by interpolation; none if it is not reached."""
    steps: int
    """Links between the two bots that are farthest apart, two being linked that have met; -1: there are islands."""
    rival: float
    """The largest share of a bot's games that are against one and the same rival."""
    fewest: float
    """The fewest games of a bot that was there from the start, as a share of the mean of those."""
    boosted: float | None
    """Points by which a bot that others help stands too high against those that were there before."""
    strong: float | None
    """The same of two strong bots that come at the same time."""


PairingTallies = dict[tuple[str, str], PairingTally]


def compare(setup: Setup, tallies: PairingTallies) -> Iterator[None]:
    """Simulate one ladder after the other with each matchmaker and add it to the tallies; yields after each."""
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
    tally: PairingTally, setup: Setup, world: World, played: Sequence[Played], players: int, by_ladder: bool = False
) -> None:
    rate = ladder if by_ladder else constant_batch
    games = [one.game for one in played]
    for after in [count for count in CHECKPOINTS if count < setup.games]:
        until = after * setup.bots // players
        tally.taus[after].append(order_found(rate(games[:until]), world.at(played[until - 1].time)))
    found = rate(games)
    tally.taus[setup.games].append(order_found(found, world.at(played[-1].time)))
    tally.steps.append(farthest(games))
    tally.rivals.append(most_of_one_rival(games))
    count = Counter(bot for game in games for bot in game.bots)
    old = [count[bot] for bot, arrival in enumerate(world.arrivals) if arrival == 0]
    tally.fewest.append(min(old) / float(np.mean(old)))
    for group, error in errors(found, world).items():
        tally.errors[group].append(error)


def errors(found: Ratings, world: World) -> dict[str, float]:
    """Points shown too many, by group, where there are bots that help: against the mean of the group "rest"."""
    if not world.helps:
        return {}
    groups = np.array([world.groups[bot] for bot in found.bots])
    wrong = found.ratings - world.strengths[list(found.bots)]
    wrong -= wrong[groups == "rest"].mean()
    return {str(group): float(wrong[groups == group].mean()) for group in sorted(set(groups))}


def farthest(games: Iterable[Game]) -> int:
    """The most links that two bots are apart, bots being linked that have met; -1 if some are not linked at all."""
    pairs = np.array([pair for game in games for pair in combinations(game.bots, 2)]).T
    bots, numbers = np.unique(pairs, return_inverse=True)
    one, other = numbers.reshape(pairs.shape)
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(len(bots), len(bots))).tocsr()
    longest = shortest_path(graph, directed=False, unweighted=True).max()
    return -1 if np.isinf(longest) else int(longest)


def most_of_one_rival(games: Iterable[Game]) -> float:
    """The largest share of a bot's games in which one and the same rival sat."""
    count: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    for game in games:
        count.update(game.bots)
        met.update(combinations(sorted(game.bots), 2))
    return max(times / count[bot] for pair, times in met.items() for bot in pair)


def pairing_rows(tallies: Mapping[tuple[str, str], PairingTally]) -> list[PairingRow]:
    """The table."""
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
