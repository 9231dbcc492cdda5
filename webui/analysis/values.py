"""Values of positions that a house player plays to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from arena.fairness.figures import ShareInterval, Z, wilson


@dataclass(frozen=True)
class PlayedSeat:
    """What a seat got in all games from a position."""

    points: float
    """Mean of the final points."""
    points_error: float
    """Half of the 95 % interval of that mean. 0 after a single game."""
    wins: ShareInterval
    """Share of the wins with its 95 % interval. A shared win counts in equal parts."""

    @property
    def percent(self) -> tuple[int, int, int]:
        """Return the share of the wins and the ends of its interval, in percent."""
        share, low, high = (round(100 * value) for value in self.wins)
        return share, low, high


@dataclass(frozen=True)
class PositionResult:
    """How far the games of a position are, and what came of them."""

    key: str
    position: str
    """Document of the position, as JSON."""
    state: str
    games: int
    most: int
    """Number of games that are to be played."""
    before: int
    """Number of positions that would be played before this one now."""
    is_held: bool
    """Whether a worker plays it now."""
    seats: list[PlayedSeat]
    """What each seat got, seat 1 first. Empty before the first game has ended."""

    @property
    def is_open(self) -> bool:
        """Return whether games are still to be played."""
        return self.state == "OPEN"


@dataclass(frozen=True)
class PositionMark:
    """A summary of what the page of a position's games shows."""

    mark: str
    is_settled: bool


def seat_results(results: Sequence[Sequence[Sequence[int]]]) -> list[PlayedSeat]:
    """Return what each seat got. `results`: the points and the ranks of all seats, for each game."""
    if not results:
        return []
    seats = []
    for seat in range(len(results[0][0])):
        points = [scores[seat] for scores, _ranks in results]
        won = sum(1 / list(ranks).count(1) for _scores, ranks in results if ranks[seat] == 1)
        error = Z * stdev(points) / sqrt(len(points)) if len(points) > 1 else 0.0
        seats.append(PlayedSeat(fmean(points), error, wilson(won, len(points))))
    return seats
