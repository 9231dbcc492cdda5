"""Charts as SVG for rating histories, likelihoods and scores, and the axis for rating intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.ratings.sequential import Trial
from webui.ratings.values import Rated, RatedPoint

STEPS = (25, 50, 100, 200, 250, 500, 1000)
MOST_TICKS = 6


@dataclass(frozen=True)
class Interval:
    """The position of a rating's interval on the axis, in percent of the axis's length."""

    left: float
    width: float
    middle: float


@dataclass(frozen=True)
class RatingAxis:
    """The axis for the ratings of one list, from `low` to `high`, with round numbers as ticks."""

    low: int
    high: int
    ticks: list[tuple[int, float]]

    @classmethod
    def of(cls, rated: Sequence[Rated]) -> RatingAxis:
        """Return an axis that covers all intervals, with a small margin on both sides."""
        low = min((rating.low for rating in rated), default=1000)
        high = max((rating.high for rating in rated), default=2000)
        margin = max(10, (high - low) // 20)
        low, high = low - margin, high + margin
        step = next((step for step in STEPS if (high - low) / step <= MOST_TICKS), STEPS[-1])
        numbers = range(-(-low // step) * step, high + 1, step)
        axis = cls(low, high, [])
        return cls(low, high, [(number, axis.percent(number)) for number in numbers])

    def percent(self, points: float) -> float:
        """Return the position of a number of points on the axis, in percent of its length."""
        return round(100 * (points - self.low) / (self.high - self.low), 2)

    def interval(self, rated: Rated) -> Interval:
        """Return the interval of a rating on this axis."""
        left = self.percent(rated.low)
        return Interval(left, round(self.percent(rated.high) - left, 2), self.percent(rated.points))


WIDTH, HEIGHT = 820, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 28, 30
MOST_LINES = 5
FEWEST_POINTS = 2


@dataclass(frozen=True)
class RatingChart:
    """Rating over games: a line, and the band of its interval."""

    width: int
    height: int
    left: int
    right: int
    line: str
    band: str
    end: tuple[float, float]
    levels: list[tuple[int, float]]
    games: list[tuple[int, float]]
    versions: list[VersionFlag]
    first: int
    last: int


@dataclass(frozen=True)
class VersionFlag:
    """The position at which a version's games begin. The label is empty if there is no space for it."""

    x: float
    label: str
    width: int


def _line(points: Sequence[RatedPoint], x: Callable[[int], float], y: Callable[[float], float]) -> str:
    """Return the path data of a rating history, with a separate line for each version."""
    return "".join(
        f"{'M' if game == 1 or points[game - 2].version != point.version else 'L'}{x(game)} {y(point.points)}"
        for game, point in enumerate(points, 1)
    )


LETTER = 7
LONGEST_FLAG = 12


def _flags(points: Sequence[RatedPoint], x: Callable[[int], float]) -> list[VersionFlag]:
    flags: list[VersionFlag] = []
    free_from = 0.0
    for game, point in enumerate(points, 1):
        if game > 1 and points[game - 2].version == point.version:
            continue
        name = point.version if len(point.version) <= LONGEST_FLAG else point.version[: LONGEST_FLAG - 1] + "…"
        width = LETTER * len(name) + 14
        is_free = free_from <= x(game) <= WIDTH - RIGHT - width
        flags.append(VersionFlag(x(game), name if is_free else "", width))
        if is_free:
            free_from = x(game) + width + 4
    return flags


def sparkline(trend: Sequence[int], width: int = 76, height: int = 22) -> tuple[str, float, float] | None:
    """Return the path data of a short line through these numbers, and its end point. Return None for fewer than two."""
    if len(trend) < FEWEST_POINTS:
        return None
    low, high = min(trend), max(trend)
    span = max(high - low, 20)
    middle = (high + low) / 2
    spots = [
        (
            round(2 + (width - 6) * at / (len(trend) - 1), 1),
            round(height / 2 - (height - 6) * (each - middle) / span, 1),
        )
        for at, each in enumerate(trend)
    ]
    return "M" + "L".join(f"{x} {y}" for x, y in spots), *spots[-1]


def rating_chart(points: Sequence[RatedPoint]) -> RatingChart | None:
    """Return the chart of a bot's history on a ladder. Return None for fewer than two points."""
    if len(points) < FEWEST_POINTS:
        return None
    low, high = min(point.low for point in points), max(point.high for point in points)
    step = next((step for step in STEPS if (high - low) / step <= MOST_LINES), STEPS[-1])
    low, high = low // step * step, (high // step + 1) * step

    def x(game: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (game - 1) / (len(points) - 1), 1)

    def y(rating: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - rating) / (high - low), 1)

    games = list(enumerate(points, 1))
    over = "L".join(f"{x(game)} {y(point.high)}" for game, point in games)
    under = "L".join(f"{x(game)} {y(point.low)}" for game, point in reversed(games))
    stride = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 100_000) if len(points) / step <= 8)
    return RatingChart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        line=_line(points, x, y),
        band=f"M{over}L{under}z",
        end=(x(len(points)), y(points[-1].points)),
        levels=[(level, y(level)) for level in range(low, high + 1, step)],
        games=[(game, x(game)) for game in range(stride, len(points) + 1, stride)],
        versions=_flags(points, x),
        first=points[0].points,
        last=points[-1].points,
    )


MOST_SPOTS = 400


@dataclass(frozen=True)
class LikelihoodChart:
    """The log-likelihood ratio of a comparison over its games, between its bounds."""

    width: int
    height: int
    left: int
    right: int
    line: str
    end: tuple[float, float]
    yes: float
    no: float
    zero: float
    games: list[tuple[int, float]]


def likelihood_chart(trial: Trial) -> LikelihoodChart | None:
    """Return the chart of the test so far. Return None for fewer than two blocks."""
    if trial.blocks < FEWEST_POINTS:
        return None
    low, high = min(trial.hypotheses.lower, *trial.curve), max(trial.hypotheses.upper, *trial.curve)

    def x(block: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * block / trial.blocks, 1)

    def y(ratio: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - ratio) / (high - low), 1)

    every = -(-trial.blocks // MOST_SPOTS)
    spots = [block for block in range(1, trial.blocks + 1) if block % every == 0 or block == trial.blocks]
    marks = sorted({trial.blocks * part // 4 for part in range(1, 5)} - {0})
    return LikelihoodChart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        line=f"M{x(0)} {y(0)}" + "".join(f"L{x(block)} {y(trial.curve[block - 1])}" for block in spots),
        end=(x(trial.blocks), y(trial.llr)),
        yes=y(trial.hypotheses.upper),
        no=y(trial.hypotheses.lower),
        zero=y(0),
        games=[(block * trial.hypotheses.players, x(block)) for block in marks],
    )


SCORE_WIDTH, SCORE_HEIGHT = 640, 262
SCORE_LEFT, SCORE_RIGHT, SCORE_TOP, SCORE_BOTTOM = 34, 122, 12, 24
LABEL_GAP = 16
LONGEST_NAME = 13


@dataclass(frozen=True)
class ScoreLine:
    """The line of one seat over the match, with the label at its end."""

    seat: int
    line: str
    label: str
    label_y: float
    now: float


@dataclass(frozen=True)
class ScoreChart:
    """The score of each seat at each ply, as if the match had ended there."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    lines: list[ScoreLine]
    levels: list[tuple[int, float]]
    rounds: list[tuple[int, float]]
    playhead: float
    to_come: float
    """Distance from the playhead to the end."""
    label_x: int


Totals = Sequence[Sequence[int]]
"""The score of each seat at each ply."""


def score_chart(
    totals: Totals, rounds: Sequence[tuple[int, float]], names: Sequence[str], ply: int, *, is_percent: bool = False
) -> ScoreChart | None:
    """Return the chart of the scores of a whole match, with the playhead at a ply.

    `is_percent`: whether `totals` are chances to win in percent instead of scores.
    Return None before there are two plies.
    """
    if len(totals) < FEWEST_POINTS:
        return None
    plies = range(len(totals))
    low, high = min(map(min, totals)), max(map(max, totals))
    step = next((step for step in STEPS if (high - low) / step <= MOST_LINES), STEPS[-1])
    low, high = low // step * step, -(-(high + 1) // step) * step
    if is_percent:
        low, high, step = 0, 100, 25
    right, bottom = SCORE_WIDTH - SCORE_RIGHT, SCORE_HEIGHT - SCORE_BOTTOM

    def x(at: float) -> float:
        return round(SCORE_LEFT + (right - SCORE_LEFT) * at / (len(plies) - 1), 1)

    def y(total: float) -> float:
        return round(SCORE_TOP + (bottom - SCORE_TOP) * (high - total) / (high - low), 1)

    lines = []
    above = SCORE_TOP - LABEL_GAP / 2
    for index in sorted(range(len(names)), key=lambda index: -totals[-1][index]):
        # Draw a step at each change of the score, and a level line between two changes.
        data = f"M{x(0)} {y(totals[0][index])}"
        for each in plies[1:]:
            if totals[each][index] != totals[each - 1][index]:
                data += f"H{x(each)}V{y(totals[each][index])}"
        above = max(above + LABEL_GAP, y(totals[-1][index]) + 4)
        name = names[index] if len(names[index]) <= LONGEST_NAME else names[index][: LONGEST_NAME - 1] + "…"
        label = f"{totals[-1][index]}{' %' if is_percent else ''} {name}"
        lines.append(ScoreLine(index + 1, f"{data}H{x(plies[-1])}", label, above, y(totals[ply][index])))
    return ScoreChart(
        width=SCORE_WIDTH,
        height=SCORE_HEIGHT,
        left=SCORE_LEFT,
        right=right,
        bottom=bottom,
        lines=lines,
        levels=[(level, y(level)) for level in range(low, high + 1, step)],
        rounds=[(number, x(percent * (len(totals) - 1) / 100)) for number, percent in rounds],
        playhead=x(ply),
        to_come=round(right - x(ply), 1),
        label_x=right + 8,
    )
