"""A sequential test on deal blocks that stops by itself: is version A better than version B?

A block is n games of n seats on one deal. A and B sit at one table with n - 2 others, and the seats rotate by one from
game to game. A game counts 1, ½ or 0 for A if A is placed above, level with or below B. A block's score is the mean,
one of the 2 n + 1 values 0, 1/2n, …, 1. The expected score s corresponds to 400 · log10(s / (1 - s)) points: 400
points are odds of 10 to 1.

The test is Wald's sequential probability ratio test (A. Wald, Sequential tests of statistical hypotheses, 1945). H0
says that A is better by 0 points, H1 that A is better by `margin` points. The test is generalised to scores of unknown
variance (GSPRT; M. Van den Bergh, A practical introduction to the GSPRT, notes on the chess framework Fishtest). It
uses the likelihoods of a normal distribution at their maxima under each hypothesis. After N blocks of mean m and
variance v the log-likelihood ratio is

    LLR = N / 2 · log((v + (m - s0)²) / (v + (m - s1)²)).

For v, `PRIOR` blocks are added to the N blocks, with the variance that independent games would have. Without them, a
few equal blocks would end a test. The answer is yes if LLR ≥ log((1 - β) / α), and no if LLR ≤ log(β / (1 - α)). If
neither has happened after `most` blocks, the answer is open. The rate of yes for a version that is no better is at
most α. The rate of no for a version that is better by `margin` is at most β. The file docs/ratings.md has both as
measured.

The estimate takes the stopping rule into account. The LLR is modelled as a Brownian motion with its drift. Outcomes
are ordered: yes after few blocks, yes after many, open, no after many, no after few. This is the stagewise ordering
(D. Siegmund, Sequential Analysis, 1985). Let F(d) be the probability of the observed outcome or a better one if A is
better by d points. The 95 % interval goes from F = .025 to F = .975, and the estimate is the point where F = ½.
Crossing probabilities are computed by reflections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import erfc, exp, inf, log, log10, pi, sqrt
from typing import Any, Final, NamedTuple

MARGIN: Final = 20.0
ERROR: Final = 0.05
PRIOR: Final = 2
"""Number of blocks."""
WIDEST: Final = 1200.0
"""Maximum absolute value of an estimate, in points."""
_TAIL: Final = 0.025
_QUANTILE: Final = 1.96
"""Standard errors on each side of a 95 % interval."""
_HALVINGS: Final = 40


class Answer(StrEnum):
    """Answer to the question whether A is better than B.

    >>> Answer.YES == "yes"
    True
    """

    YES = "yes"
    NO = "no"
    OPEN = "not told apart"
    """Undecided after all blocks."""


class Estimate(NamedTuple):
    """Number of points by which A is better, with the 95 % interval.

    >>> Estimate(points=12.0, low=2.0, high=22.0).half_width
    10.0
    """

    points: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def expected_score(points: float) -> float:
    """Return the expected score of a bot that is better by this many points.

    >>> round(expected_score(400), 3)
    0.909
    """
    return float(1 / (1 + 10 ** (-points / 400)))


def _points_of(score: float) -> float:
    """Return the points that lead to this expected score, at most `WIDEST` of them."""
    most = expected_score(WIDEST)
    score = min(max(score, 1 - most), most)
    return 400 * log10(score / (1 - score))


def halves_of_game(placements: Sequence[int], one: int, other: int) -> int:
    """Return the half points (2, 1 or 0) of seat `one` against seat `other`; seats count from 1.

    `placements` are by seat, with 1 for the best.

    >>> halves_of_game((3, 1, 1), one=2, other=1), halves_of_game((3, 1, 1), one=2, other=3)
    (2, 1)
    """
    own, theirs = placements[one - 1], placements[other - 1]
    return 2 * (own < theirs) + (own == theirs)


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of a test whether A is better by `margin` points, at tables of `players` seats.

    `alpha` and `beta` are the error rates. Raise `ValueError` for values that cannot be tested.

    >>> round(Hypotheses(players=4, margin=20).upper, 2)
    2.94
    """

    players: int
    margin: float = MARGIN
    most: int = 5000
    """Maximum number of blocks."""
    alpha: float = ERROR
    beta: float = ERROR

    def __post_init__(self) -> None:
        if not (self.players >= 2 and self.margin > 0 and self.most >= 1):
            raise ValueError(f"a test needs players ≥ 2, margin > 0 and most ≥ 1, not {self}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"error rates must lie between 0 and ½, not {self.alpha} and {self.beta}")

    @property
    def lower(self) -> float:
        """LLR at which the answer is no."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """LLR at which the answer is yes."""
        return log((1 - self.beta) / self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """Expected scores under H0 and H1."""
        return 0.5, expected_score(self.margin)

    def variance(self, blocks: Any, total: Any, squares: Any) -> Any:
        """Return the variance of a block's score, from the sums of scores and of their squares. Arrays are allowed."""
        spread = squares - total * total / blocks
        return (spread + PRIOR / (4 * self.players)) / (blocks + PRIOR)

    def likelihoods(self, blocks: Any, total: Any, squares: Any) -> Any:
        """Return the ratio whose logarithm, times half the number of blocks, is the LLR."""
        s0, s1 = self.scores
        mean, variance = total / blocks, self.variance(blocks, total, squares)
        return (variance + (mean - s0) ** 2) / (variance + (mean - s1) ** 2)


@dataclass(slots=True)
class Trial:
    """A test, block by block. Blocks after the answer change nothing.

    >>> trial = Trial(Hypotheses(players=2))
    >>> while trial.add(3) is None:
    ...     pass
    >>> str(trial.answer), trial.blocks
    ('yes', 28)
    """

    hypotheses: Hypotheses
    counts: list[int] = field(default_factory=list)
    """Number of blocks with 0, 1, … half points: 2 n + 1 numbers."""
    curve: list[float] = field(default_factory=list)
    """LLR after each block."""
    answer: Answer | None = None
    """The answer; None while more blocks are needed."""

    def __post_init__(self) -> None:
        self.counts = [0] * (2 * self.hypotheses.players + 1)

    @property
    def blocks(self) -> int:
        """Number of blocks so far."""
        return len(self.curve)

    @property
    def games(self) -> int:
        """Number of games in these blocks."""
        return self.blocks * self.hypotheses.players

    @property
    def llr(self) -> float:
        """LLR after the latest block."""
        return self.curve[-1] if self.curve else 0.0

    def _sums(self) -> tuple[int, float, float]:
        most = 2 * self.hypotheses.players
        total = sum(count * halves for halves, count in enumerate(self.counts)) / most
        squares = sum(count * halves**2 for halves, count in enumerate(self.counts)) / most**2
        return self.blocks, total, squares

    def add(self, halves: int) -> Answer | None:
        """Add the next block, with the number of half points for A.

        Return the answer, or None if more blocks are needed.
        """
        if self.answer is not None:
            return self.answer
        self.counts[halves] += 1
        self.curve.append(0.0)
        self.curve[-1] = self.blocks / 2 * log(self.hypotheses.likelihoods(*self._sums()))
        if self.llr >= self.hypotheses.upper:
            self.answer = Answer.YES
        elif self.llr <= self.hypotheses.lower:
            self.answer = Answer.NO
        elif self.blocks >= self.hypotheses.most:
            self.answer = Answer.OPEN
        return self.answer

    def running_estimate(self) -> Estimate | None:
        """Return how much better A has been so far, whatever the stopping rule; None before the first block.

        `estimate` regards a test without an answer as one that found none, which belittles a clear lead.
        """
        if not self.blocks:
            return None
        blocks, total, squares = self._sums()
        mean, error = total / blocks, sqrt(self.hypotheses.variance(blocks, total, squares) / blocks)
        return Estimate(*map(_points_of, (mean, mean - _QUANTILE * error, mean + _QUANTILE * error)))

    def estimate(self) -> Estimate | None:
        """Return how much better A is, given how the test ended; None before the first block."""
        if not self.blocks:
            return None
        seen = Seen.of(self.hypotheses, self.answer, *self._sums())
        return Estimate(seen.solve(0.5), seen.solve(_TAIL), seen.solve(1 - _TAIL))


class Seen(NamedTuple):
    """An outcome as a Brownian motion. It starts at 0, with variance 1 and drift `drift(points)` per unit of time."""

    hypotheses: Hypotheses
    answer: Answer | None
    blocks: int
    time: float
    place: float

    @classmethod
    def of(cls, hypotheses: Hypotheses, answer: Answer | None, blocks: int, total: float, squares: float) -> Seen:
        """Build the outcome from the sums of scores and of their squares."""
        s0, s1 = hypotheses.scores
        variance = hypotheses.variance(blocks, total, squares)
        place = (s1 - s0) * (total - blocks * (s0 + s1) / 2) / variance
        return cls(hypotheses, answer, blocks, blocks * (s1 - s0) ** 2 / variance, place)

    def drift(self, points: float) -> float:
        """Return the drift per unit of time if A is better by this many points."""
        s0, s1 = self.hypotheses.scores
        return (expected_score(points) - (s0 + s1) / 2) / (s1 - s0)

    def probability(self, points: float) -> float:
        """Return the probability of this outcome, or one more in favour of A, if A is better by this many points."""
        drift, upper, lower = self.drift(points), self.hypotheses.upper, -self.hypotheses.lower
        if self.answer is Answer.YES:
            return crossing(self.time, max(self.place, upper / 2), lower, drift)
        if self.answer is Answer.NO:
            return 1 - crossing(self.time, max(-self.place, lower / 2), upper, -drift)
        place = min(max(self.place, -lower), upper)
        return crossing(self.time, upper, lower, drift) + staying(self.time, place, upper, lower, drift)

    def solve(self, probability: float) -> float:
        """Return the number of points at which the outcome has this probability."""
        low, high = -WIDEST, WIDEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.probability(middle) < probability else (low, middle)
        return (low + high) / 2


def crossing(time: float, upper: float, lower: float, drift: float) -> float:
    """Return the probability that a Brownian motion reaches `upper` by this time, without reaching -`lower` first."""
    probability = 0.0
    for k in _images(time, upper + lower, drift):
        place = upper + 2 * k * (upper + lower)
        far, root = abs(place), sqrt(time)
        first = _times(drift * (upper - far), (drift * time - far) / root)
        second = _times(drift * (upper + far), (-drift * time - far) / root)
        probability += (first + second) * (1 if place > 0 else -1)
    return min(max(probability, 0.0), 1.0)


def staying(time: float, place: float, upper: float, lower: float, drift: float) -> float:
    """Return the probability that the motion reaches neither by this time, and is then between `place` and `upper`."""
    width, root, probability = upper + lower, sqrt(time), 0.0
    for k in _images(time, width, drift):
        for start, sign in ((2 * k * width, 1), (2 * upper + 2 * k * width, -1)):
            weight, shift = drift * start, start + drift * time
            ends = (upper - shift) / root, (place - shift) / root
            if ends[1] > 0:  # both in the upper tail: count from above, where the numbers are small
                ends = -ends[1], -ends[0]
            probability += sign * (_times(weight, ends[0]) - _times(weight, ends[1]))
    return min(max(probability, 0.0), 1.0)


def _images(time: float, width: float, drift: float) -> range:
    """Return the indices of the reflections that matter."""
    most = 2 + int((abs(drift) * time + 9 * sqrt(time)) / (2 * width))
    return range(-most, most + 1)


def _times(weight: float, z: float) -> float:
    """Return exp(weight) · Φ(z), also if one factor is very large and the other very small."""
    if z > -30:
        tail = erfc(-z / sqrt(2)) / 2
        logarithm = log(tail) if tail > 0 else -inf
    else:
        logarithm = -z * z / 2 - log(-z * sqrt(2 * pi))
    return exp(min(weight + logarithm, 700))
