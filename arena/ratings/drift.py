"""Current strengths, when strengths may change while they are measured.

The strength of a version changes evenly from game to game. Its strength in the k-th of its n games, and now, is

    start + (k − 1/2) / N × change,        start + n / N × change.

N is a number of games that is the same for all. The changes are independent and normal around 0. Their standard
deviation, the *drift* of the ladder, is one of a few values, each with a prior probability. None of them is selected.
The result of each counts with its probability given the games, and the mean and covariance of this mixture of normal
densities are returned. A later version of a bot starts around the current strength of the previous version.

Everything is computed at the maximum that the fit of constant strengths has found (`arena.ratings.batch`). Around it
the log density is quadratic in all parameters to second order (Laplace's approximation). Define, at this maximum:

- A, B and D are minus the second derivatives: A by the parameters of that fit, B by these and the changes, D by the
  changes. Each includes the part of the prior that does not depend on the drift.
- g is the gradient by the changes.

Integrating out the parameters of the fit leaves a normal density of the changes with precision T = D − Bᵀ A⁻¹ B and
linear term g. With a drift of s they have

    precision  T + I / s²,    mean  m = (T + I / s²)⁻¹ g,    likelihood of s  exp(g · m / 2) / √|I + s² T|,

and the starts follow the changes by −A⁻¹ B. With a drift of 0 nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array, diags_array, eye_array

from arena.ratings.choices import Choices, Floats, derivatives

NEGLIGIBLE = 1e-9
"""Probability below which a drift is ignored."""


class CurrentStrengths(NamedTuple):
    """Strengths at the last game of each version, in units of the logarithm."""

    values: Floats
    covariance: Floats
    drift: float
    """Root mean square of the drift, given the games."""


def differences(
    former: Sequence[int | None], changing: Mapping[int, float] | None = None
) -> tuple[csr_array, csr_array]:
    """Return the differences on which the prior of ratings is defined, as two matrices.

    The difference of a first version is its start; that of a later version is its start minus the current strength of
    the previous one. The first matrix (versions × versions) applies to the starts, the second (versions × changes) to
    the changes.
    """
    changing = changing or {}
    later = [(place, before) for place, before in enumerate(former) if before is not None]
    column = {place: number for number, place in enumerate(changing)}
    inherited = {(place, column[before]): -changing[before] for place, before in later if before in column}
    starts = eye_array(len(former), format="csr") - _sparse(dict.fromkeys(later, 1.0), len(former), len(former))
    return starts, _sparse(inherited, len(former), len(changing))


def now(
    choices: Sequence[Choices],
    strengths: Floats,
    ties: Floats,
    covariance: Floats,
    former: Sequence[int | None],
    deviations: Floats,
    changing: Mapping[int, float],
    drifts: Mapping[float, float],
) -> CurrentStrengths:
    """Return the current ratings, which are the first of the strengths.

    - `choices` refer to the changes after the strengths.
    - `strengths`, `ties` and the `covariance` of both are the result of the fit of constant strengths.
    - `former` has the index of each version's previous version.
    - `deviations` are the prior standard deviations of the differences (see `differences`).
    - `changing` has the versions that may change, in the order of the changes, with n / N of each.
    - `drifts` maps each possible drift to its prior probability.
    """
    bots, first, last = len(former), len(strengths), len(strengths) + len(changing)
    gradient, curvature = derivatives(choices, np.concatenate([strengths, np.zeros(len(changing))]), ties)
    of_fit = np.delete(np.arange(len(gradient)), slice(first, last))
    starts, inherited = differences(former, changing)
    weighted = inherited.T @ diags_array(deviations**-2)
    across = curvature[of_fit, first:last]
    across[:bots] += (weighted @ starts).T.toarray()
    followed = covariance @ across
    precision = curvature[first:last, first:last] + (weighted @ inherited).toarray() - across.T @ followed
    linear = gradient[first:last] - weighted @ (starts @ strengths[:bots])
    del curvature, across
    of_each = [_changes(precision, linear, drift) for drift in drifts]
    heights = np.array([height + log(drifts[drift]) for drift, (_, height) in zip(drifts, of_each, strict=True)])
    weights = np.exp(heights - heights.max())
    weights /= weights.sum()
    mean = weights @ np.array([own for own, _ in of_each])
    spread = np.zeros_like(precision)
    for drift, weight, (own, _) in zip(drifts, weights, of_each, strict=True):
        if weight > NEGLIGIBLE:
            spread += weight * (_covariance(precision, drift) + np.outer(own - mean, own - mean))
    effect = -followed[:bots]
    effect[list(changing), range(len(changing))] += list(changing.values())
    return CurrentStrengths(
        strengths[:bots] + effect @ mean,
        covariance[:bots, :bots] + effect @ spread @ effect.T,
        float(np.sqrt(weights @ np.square(list(drifts)))),
    )


def _changes(precision: Floats, linear: Floats, drift: float) -> tuple[Floats, float]:
    """Return the mean of the changes for this drift, and the log-likelihood of the drift."""
    if not drift:
        return np.zeros(len(linear)), 0.0
    root = cho_factor(precision + np.eye(len(linear)) / drift**2, lower=True, overwrite_a=True)
    mean = cho_solve(root, linear)
    return mean, float(linear @ mean) / 2 - float(np.log(drift * np.diag(root[0])).sum())


def _covariance(precision: Floats, drift: float) -> Floats:
    """Return the covariance of the changes for this drift."""
    if not drift:
        return np.zeros_like(precision)
    factor, _ = cho_factor(precision + np.eye(len(precision)) / drift**2, lower=True, overwrite_a=True)
    inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
    covariance: Floats = np.tril(inverse) + np.tril(inverse, -1).T
    return covariance


def _sparse(values: Mapping[tuple[int, int], float], rows: int, columns: int) -> csr_array:
    row, column = np.array(list(values), np.int64).reshape(-1, 2).T
    return csr_array((np.array(list(values.values()), float), (row, column)), shape=(rows, columns))
