"""Games as successive choices: the Plackett-Luce likelihood with ties, its gradient and its curvature.

A game of m seats is read from the winner down. One of the remaining seats is chosen next, or several that are tied.
From the remaining set R, the group T is chosen with a probability proportional to

    delta[t] × (product of the strengths in T) ** (1 / t),    t = |T|, delta[1] = 1,

so a group counts with the geometric mean of its strengths. For two seats this is Davidson's model of ties (1970). In
general it is the model of Turner, van Etten, Firth and Kosmidis (2020, Computational Statistics 35, equation 4).
Without ties it is the model of Plackett (1975) and Luce (1959). As in that paper, a group larger than any observed has
delta 0.

In logarithms every choice is a softmax over groups whose scores are linear in the parameters. The log-likelihood is
therefore concave, and Newton's method finds its unique maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Choices(NamedTuple):
    """All choices of `chosen` out of `remaining` seats."""

    columns: Ints
    """Choices × remaining × terms: the parameters of each seat, the chosen seats first."""
    weights: Floats
    """Same shape: the log strength of a seat is the sum of its parameters with these weights."""
    groups: Floats
    """Groups × remaining: share of each seat in each group that could have been chosen."""
    sizes: Ints
    """Groups: number of seats in each."""
    taken: int
    """Index of the group that was chosen."""


def find_choices(columns: Ints, weights: Floats, placements: Ints, most: int) -> list[Choices]:
    """Return the choices of games with the same number of seats.

    `columns` and `weights` (games × seats × terms) are as in `Choices`. `placements` (games × seats) has 1 for the
    best. `most` is the size of the largest group that can be chosen.
    """
    seats = placements.shape[1]
    order = np.argsort(placements, axis=1, kind="stable")
    columns = np.take_along_axis(columns, order[:, :, None], axis=1)
    weights = np.take_along_axis(weights, order[:, :, None], axis=1)
    placements = np.take_along_axis(placements, order, axis=1)
    choices = []
    for start in range(seats - 1):
        is_new = placements[:, start] != placements[:, start - 1] if start else np.ones(len(placements), bool)
        size = (placements == placements[:, start : start + 1]).sum(axis=1)
        for chosen in range(1, min(most, seats - start) + 1):
            if (these := is_new & (size == chosen)).any():
                choices.append(_choices(columns[these, start:], weights[these, start:], chosen, most))
    return choices


def _choices(columns: Ints, weights: Floats, chosen: int, most: int) -> Choices:
    remaining = columns.shape[1]
    groups = [group for size in range(1, most + 1) for group in combinations(range(remaining), size)]
    shares = np.zeros((len(groups), remaining))
    for row, group in enumerate(groups):
        shares[row, list(group)] = 1 / len(group)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return Choices(columns, weights, shares, sizes, groups.index(tuple(range(chosen))))


def largest_group(placements: Sequence[int]) -> int:
    """Return the largest number of seats that share a place."""
    return max(placements.count(place) for place in placements)


def log_likelihood(choices: Sequence[Choices], strengths: Floats, ties: Floats) -> float:
    """Return the log-likelihood of all choices.

    `strengths` are the parameters to which `columns` refer; `ties` are log delta of groups of 2, 3, ….
    """
    total = 0.0
    for batch in choices:
        _, chosen = _probabilities(batch, strengths, ties)
        total += float(chosen.sum())
    return total


def derivatives(choices: Sequence[Choices], strengths: Floats, ties: Floats) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood by (strengths, ties), and minus its matrix of second derivatives."""
    many, size = len(strengths), len(strengths) + len(ties)
    gradient = np.zeros(size)
    curvature = np.zeros(size * size)
    for batch in choices:
        probabilities, _ = _probabilities(batch, strengths, ties)
        remaining = batch.groups.shape[1]
        expected = probabilities @ batch.groups
        is_size = (batch.sizes[:, None] == np.arange(2, len(ties) + 2)).astype(float)
        of_size = probabilities @ is_size
        features = np.hstack([batch.groups, is_size])
        # For each choice: the covariance of the features of its groups.
        pairs = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)
        means = np.hstack([expected, of_size])
        wide = features.shape[1]
        covariance = (probabilities @ pairs).reshape(-1, wide, wide) - means[:, :, None] * means[:, None, :]
        surplus = features[batch.taken] - means
        terms = batch.columns.shape[2]
        for first in range(terms):
            own, weights = batch.columns[:, :, first], batch.weights[:, :, first]
            gradient += np.bincount(own.ravel(), (weights * surplus[:, :remaining]).ravel(), size)
            weighted = weights[:, :, None] * covariance[:, :remaining]
            for second in range(terms):
                places = own[:, :, None] * size + batch.columns[:, None, :, second]
                across = weighted[:, :, :remaining] * batch.weights[:, None, :, second]
                np.add.at(curvature, places.ravel(), across.ravel())
            for tie in range(len(ties)):
                across = weighted[:, :, remaining + tie].ravel()
                for places in (own * size + many + tie, (many + tie) * size + own):
                    np.add.at(curvature, places.ravel(), across)
        gradient[many:] += surplus[:, remaining:].sum(axis=0)
        square = curvature.reshape(size, size)
        square[many:, many:] += covariance[:, remaining:, remaining:].sum(axis=0)
    return gradient, curvature.reshape(size, size)


def _probabilities(batch: Choices, strengths: Floats, ties: Floats) -> tuple[Floats, Floats]:
    """Return the probability of every group (choices × groups), and the log probability of the chosen group."""
    of_seats = (strengths[batch.columns] * batch.weights).sum(axis=2)
    scores = of_seats @ batch.groups.T + np.concatenate([[0.0, 0.0], ties])[batch.sizes]
    scores -= scores.max(axis=1, keepdims=True)
    logarithms = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return np.exp(logarithms), logarithms[:, batch.taken]
