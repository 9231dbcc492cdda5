"""The effect of one match on the ratings used for pairing. Published ratings come from `arena.ratings.batch`.

The model is Plackett-Luce (Weng and Lin 2011, in `openskill`). A rating is a normal distribution over a bot's
strength: `mu` is its mean and `sigma` its uncertainty. A match of any number of seats is one observation of an order.
A tie is treated as the mean of all orders in which it could have been broken. The model's own treatment can give the
place after three tied winners more than the winners.

One unit of mu is 30 points. Between two settled bots of one table, the model gives the better one the odds exp(Δmu /
(√2 × beta)) with beta = 25/6. Hence 400 points are odds of 9.6 to 1.
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
"""Standard deviation of the difference in strength between successive versions of a bot, in points."""


@cache
def _model() -> Any:
    """Return the model.

    It is loaded when it is first used, so that this package also works without the server's extra.
    """
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)


class Rating(NamedTuple):
    """Estimated strength of a version: a normal distribution with mean `mu` and standard deviation `sigma`.

    >>> Rating(mu=28.5, sigma=2.0).sigma
    2.0
    """

    mu: float
    sigma: float


INITIAL = Rating(MU, SIGMA)
"""Rating of a bot's first version before it has played."""


def successor(former: Rating) -> Rating:
    """Return the initial rating of a version whose bot has an earlier version with the rating `former`."""
    return Rating(former.mu, min(SIGMA, math.hypot(former.sigma, VERSION_SD / POINTS_PER_MU)))


def rate(ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
    """Return the ratings after a match, in the order of the arguments.

    `placements` has 1 for the best; equal placements are ties. Raise `ValueError` unless there are two or more ratings
    and as many placements.

    >>> winner, loser = rate([INITIAL, INITIAL], [1, 2])
    >>> winner.mu > INITIAL.mu > loser.mu
    True
    """
    if len(ratings) != len(placements) or len(ratings) < 2:
        raise ValueError(f"{len(ratings)} ratings and {len(placements)} placements: a match needs 2 or more")
    orders = list(_orders(placements))
    rated = [_rate_strict(ratings, order) for order in orders]
    return [
        Rating(fmean(rating.mu for rating in seat), math.sqrt(fmean(rating.sigma**2 for rating in seat)))
        for seat in zip(*rated, strict=True)
    ]


def _orders(placements: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the placements with their ties broken in every possible way."""
    groups = [[seat for seat, place in enumerate(placements) if place == own] for own in sorted(set(placements))]
    for broken in product(*(permutations(group) for group in groups)):
        first_to_last = list(chain.from_iterable(broken))
        yield tuple(first_to_last.index(seat) + 1 for seat in range(len(placements)))


def _rate_strict(ratings: Sequence[Rating], placements: Sequence[int]) -> list[Rating]:
    teams = [[_model().rating(mu=rating.mu, sigma=rating.sigma)] for rating in ratings]
    rated = _model().rate(teams, ranks=[float(place) for place in placements])
    return [Rating(team[0].mu, team[0].sigma) for team in rated]
