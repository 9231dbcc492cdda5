"""Rating intervals on one common axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from webui.ladder.values import Rated

STEPS = (25, 50, 100, 200, 250, 500, 1000)
MOST_TICKS = 6


@dataclass(frozen=True)
class Interval:
    """Where a rating lies on the axis, in percent of its length."""

    left: float
    width: float
    middle: float


@dataclass(frozen=True)
class RatingAxis:
    """From where to where the ratings of one list reach, with round numbers to read them by."""

    low: int
    high: int
    ticks: list[tuple[int, float]]

    @classmethod
    def of(cls, rated: Sequence[Rated]) -> "RatingAxis":
        """An axis that holds all intervals, with a little room on both sides."""
        low = min((rating.low for rating in rated), default=1000)
        high = max((rating.high for rating in rated), default=2000)
        room = max(10, (high - low) // 20)
        low, high = low - room, high + room
        step = next((step for step in STEPS if (high - low) / step <= MOST_TICKS), STEPS[-1])
        numbers = range(-(-low // step) * step, high + 1, step)
        axis = cls(low, high, [])
        return cls(low, high, [(number, axis.percent(number)) for number in numbers])

    def percent(self, points: float) -> float:
        """The position of a number of points on the axis, in percent of its length."""
        return round(100 * (points - self.low) / (self.high - self.low), 2)

    def interval(self, rated: Rated) -> Interval:
        """The interval of a rating on this axis."""
        left = self.percent(rated.low)
        return Interval(left, round(self.percent(rated.high) - left, 2), self.percent(rated.points))
