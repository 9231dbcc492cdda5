"""One match's effect on the ratings by which bots are paired. What is published comes from `arena.ratings.batch`.

The model is Plackett-Luce (Weng and Lin 2011, in `openskill`): a rating is a normal distribution over a bot's strength,
`mu` its mean and `sigma` its uncertainty; a match of any number of seats is one observation of an order. A tie is the
mean of all orders in which it could have been broken (the model's own treatment can give the place after three tied
winners more than the winners).

In points, 30 are a unit of mu: between two settled bots of one table, the model gives the better one the odds
exp(Δmu / (√2 × beta)), beta = 25/6, so that 400 points are odds of 9.6 to 1.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, permutations, product
from statistics import fmean
from typing import Any, NamedTuple

MU = 25.0
SIGMA = MU / 3
BETA = MU / 6
TAU = MU / 300
"""Uncertainty added before each match, so that a rating never freezes."""

POINTS_AT_MU = 1500
POINTS_PER_MU = 30

VERSION_SD = 150
"""Points: a version is about as strong as the former one of its bot, with this standard deviation."""


@cache
def _model() -> Any:
    """Loaded when something is rated: what else is in this package works without the server's extra."""
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)


class Rating(NamedTuple):
    """What is believed about a version's strength."""

    mu: float
    sigma: float


INITIAL = Rating(MU, SIGMA)
"""Of the first version of a bot, before it has played."""


def successor(former: Rating) -> Rating:
    """Of a version that has not played, while a former one of its bot has."""
    return Rating(former.mu, min(SIGMA, math.hypot(former.sigma, VERSION_SD / POINTS_PER_MU)))


def rate(ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
    """The ratings after a match in which these placed so (1 is best; equal placements are ties)."""
    if len(ratings) != len(placements) or len(ratings) < 2:
        raise ValueError(f"{len(ratings)} ratings and {len(placements)} placements: a match has 2 or more of both")
    orders = list(_orders(placements))
    ways = [_rate_strict(ratings, order) for order in orders]
    return [
        Rating(fmean(rating.mu for rating in seat), math.sqrt(fmean(rating.sigma**2 for rating in seat)))
        for seat in zip(*ways, strict=True)
    ]


def _orders(placements: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The placements with their ties broken in every way."""
    groups = [[seat for seat, place in enumerate(placements) if place == own] for own in sorted(set(placements))]
    for broken in product(*(permutations(group) for group in groups)):
        first_to_last = list(chain.from_iterable(broken))
        yield tuple(first_to_last.index(seat) + 1 for seat in range(len(placements)))


def _rate_strict(ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
    teams = [[_model().rating(mu=rating.mu, sigma=rating.sigma)] for rating in ratings]
    rated = _model().rate(teams, ranks=[float(place) for place in placements])
    return [Rating(team[0].mu, team[0].sigma) for team in rated]
