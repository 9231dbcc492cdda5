"""Is version A better than version B? A sequential test on deal blocks, which stops by itself.

A block is n games of n seats on one deal: A and B at one table with n - 2 others, the seats turned by one from game to
game. A game counts 1, ½ or 0 for A as it is placed above, beside or below B; a block's score is the mean, one of the
2 n + 1 values 0, 1/2n, …, 1. Points are 400 · log10(s / (1 - s)) of the expected score s: 400 points are 10 to 1.

The test is Wald's sequential probability ratio test (A. Wald, Sequential tests of statistical hypotheses, 1945) of H0,
A is better by 0 points, against H1, A is better by `margin` points, generalised to scores of unknown variance (GSPRT;
M. Van den Bergh, A practical introduction to the GSPRT, notes on the chess framework Fishtest): with the likelihoods of
a normal distribution at their maxima under each hypothesis, the log-likelihood ratio after N blocks of mean m and
variance v is

    LLR = N / 2 · log((v + (m - s0)²) / (v + (m - s1)²)).

v is that of N blocks and `PRIOR` blocks more of the variance that independent games would have: few equal blocks do not
end a test. LLR ≥ log((1 - β) / α) is the answer yes, LLR ≤ log(β / (1 - α)) no; after `most` blocks without either the
two are not told apart. α bounds how often a version that is no better gets a yes, β how often one that is better by
`margin` gets a no; docs/ratings.md has both as they were measured.

The estimate allows for the stopping. The LLR is taken as a Brownian motion with its drift, and outcomes are ordered:
yes after few blocks, yes after many, no answer, no after many, no after few (stagewise ordering; D. Siegmund,
Sequential Analysis, 1985). With F(d) the probability, if A were better by d points, of what was seen or more, the 95 %
interval goes from F = .025 to F = .975, and the estimate is where F = ½. Crossing probabilities are by reflections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import erfc, exp, inf, log, pi, sqrt
from typing import Any, Final, NamedTuple

MARGIN: Final = 20.0
ERROR: Final = 0.05
PRIOR: Final = 2
"""Blocks."""
WIDEST: Final = 1200.0
"""Points: no estimate is further from 0."""
_TAIL: Final = 0.025
_HALVINGS: Final = 40


class Answer(StrEnum):
    """Whether A is better than B."""

    YES = "yes"
    NO = "no"
    OPEN = "not told apart"
    """After all blocks."""


class Estimate(NamedTuple):
    """How many points A is better, with the ends of the 95 % interval."""

    points: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval."""
        return (self.high - self.low) / 2


def expected_score(points: float) -> float:
    """Of who is better by so many points."""
    return float(1 / (1 + 10 ** (-points / 400)))


def halves_of_game(placements: Sequence[int], one: int, other: int) -> int:
    """2, 1 or 0 half points of a game for the seat `one` against `other`, both from 1; places by seat, 1 is best."""
    own, theirs = placements[one - 1], placements[other - 1]
    return 2 * (own < theirs) + (own == theirs)


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested: whether A is better, with `players` at the table."""

    players: int
    margin: float = MARGIN
    most: int = 5000
    """Blocks."""
    alpha: float = ERROR
    beta: float = ERROR

    def __post_init__(self) -> None:
        if not (self.players >= 2 and self.margin > 0 and self.most >= 1):
            raise ValueError(f"nothing can be tested by {self}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"error rates lie between 0 and ½, not {self.alpha} and {self.beta}")

    @property
    def lower(self) -> float:
        """The LLR of the answer no."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR of the answer yes."""
        return log((1 - self.beta) / self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """The expected scores of H0 and H1."""
        return 0.5, expected_score(self.margin)

    def variance(self, blocks: Any, total: Any, squares: Any) -> Any:
        """Of a block's score, from the sums of scores and their squares: numbers, or arrays of them."""
        spread = squares - total * total / blocks
        return (spread + PRIOR / (4 * self.players)) / (blocks + PRIOR)

    def likelihoods(self, blocks: Any, total: Any, squares: Any) -> Any:
        """Whose logarithm, times half the number of blocks, is the LLR."""
        s0, s1 = self.scores
        mean, variance = total / blocks, self.variance(blocks, total, squares)
        return (variance + (mean - s0) ** 2) / (variance + (mean - s1) ** 2)


@dataclass(slots=True)
class Trial:
    """The test block by block. What comes after the answer changes nothing."""

    hypotheses: Hypotheses
    counts: list[int] = field(default_factory=list)
    """How many blocks had 0, 1, … half points: 2 n + 1 numbers."""
    curve: list[float] = field(default_factory=list)
    """The LLR after each block."""
    answer: Answer | None = None
    """None: more blocks are needed."""

    def __post_init__(self) -> None:
        self.counts = [0] * (2 * self.hypotheses.players + 1)

    @property
    def blocks(self) -> int:
        """How many there were."""
        return len(self.curve)

    @property
    def games(self) -> int:
        """Of these blocks."""
        return self.blocks * self.hypotheses.players

    @property
    def llr(self) -> float:
        """Now."""
        return self.curve[-1] if self.curve else 0.0

    def _sums(self) -> tuple[int, float, float]:
        most = 2 * self.hypotheses.players
        total = sum(count * halves for halves, count in enumerate(self.counts)) / most
        squares = sum(count * halves**2 for halves, count in enumerate(self.counts)) / most**2
        return self.blocks, total, squares

    def add(self, halves: int) -> Answer | None:
        """Take in the next block, of so many half points for A."""
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

    def estimate(self) -> Estimate | None:
        """How much better A is; None before the first block."""
        if not self.blocks:
            return None
        seen = Seen.of(self.hypotheses, self.answer, *self._sums())
        return Estimate(seen.solve(0.5), seen.solve(_TAIL), seen.solve(1 - _TAIL))


class Seen(NamedTuple):
    """An outcome as a Brownian motion of variance 1 a unit of time and drift `drift(points)`, which starts at 0."""

    hypotheses: Hypotheses
    answer: Answer | None
    blocks: int
    time: float
    place: float

    @classmethod
    def of(cls, hypotheses: Hypotheses, answer: Answer | None, blocks: int, total: float, squares: float) -> Seen:
        """From the sums of scores and their squares."""
        s0, s1 = hypotheses.scores
        variance = hypotheses.variance(blocks, total, squares)
        place = (s1 - s0) * (total - blocks * (s0 + s1) / 2) / variance
        return cls(hypotheses, answer, blocks, blocks * (s1 - s0) ** 2 / variance, place)

    def drift(self, points: float) -> float:
        """A unit of time, if A is better by so many points."""
        s0, s1 = self.hypotheses.scores
        return (expected_score(points) - (s0 + s1) / 2) / (s1 - s0)

    def probability(self, points: float) -> float:
        """Of what was seen or more in favour of A, if A is better by so many points."""
        drift, upper, lower = self.drift(points), self.hypotheses.upper, -self.hypotheses.lower
        if self.answer is Answer.YES:
            return crossing(self.time, max(self.place, upper / 2), lower, drift)
        if self.answer is Answer.NO:
            return 1 - crossing(self.time, max(-self.place, lower / 2), upper, -drift)
        place = min(max(self.place, -lower), upper)
        return crossing(self.time, upper, lower, drift) + staying(self.time, place, upper, lower, drift)

    def solve(self, probability: float) -> float:
        """The points for which what was seen has this probability."""
        low, high = -WIDEST, WIDEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.probability(middle) < probability else (low, middle)
        return (low + high) / 2


def crossing(time: float, upper: float, lower: float, drift: float) -> float:
    """The probability that a Brownian motion reaches `upper` by this time, and before that not -`lower`."""
    found = 0.0
    for k in _images(time, upper + lower, drift):
        place = upper + 2 * k * (upper + lower)
        far, root = abs(place), sqrt(time)
        first = _times(drift * (upper - far), (drift * time - far) / root)
        second = _times(drift * (upper + far), (-drift * time - far) / root)
        found += (first + second) * (1 if place > 0 else -1)
    return min(max(found, 0.0), 1.0)


def staying(time: float, place: float, upper: float, lower: float, drift: float) -> float:
    """The probability that it reaches neither by this time, and is then between `place` and `upper`."""
    width, root, found = upper + lower, sqrt(time), 0.0
    for k in _images(time, width, drift):
        for start, sign in ((2 * k * width, 1), (2 * upper + 2 * k * width, -1)):
            weight, shift = drift * start, start + drift * time
            ends = (upper - shift) / root, (place - shift) / root
            if ends[1] > 0:  # both in the upper tail: from above, where the numbers are small
                ends = -ends[1], -ends[0]
            found += sign * (_times(weight, ends[0]) - _times(weight, ends[1]))
    return min(max(found, 0.0), 1.0)


def _images(time: float, width: float, drift: float) -> range:
    """Reflections that matter."""
    most = 2 + int((abs(drift) * time + 9 * sqrt(time)) / (2 * width))
    return range(-most, most + 1)


def _times(weight: float, z: float) -> float:
    """exp(weight) · Φ(z), also where the one is very large and the other very small."""
    if z > -30:
        tail = erfc(-z / sqrt(2)) / 2
        logarithm = log(tail) if tail > 0 else -inf
    else:
        logarithm = -z * z / 2 - log(-z * sqrt(2 * pi))
    return exp(min(weight + logarithm, 700))
