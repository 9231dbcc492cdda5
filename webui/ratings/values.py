"""Values of ratings and standings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webui.bots.values import VersionRef
from webui.ladders.values import LadderRef


@dataclass(frozen=True)
class Rated:
    """A rating as published: a number of points, its interval, and its place among the bots of the front view."""

    points: int
    low: int
    high: int
    games: int
    """That it follows from."""
    forfeits: int
    """Of these, the games in which it gave up its seat."""
    rank: int | None = None
    """None: it is not in the front view, and has none of what follows."""
    best: int | None = None
    worst: int | None = None
    """The rank interval."""
    better: float | None = None
    """Probability of being better than the next; the last one has none."""
    is_settled: bool = False
    """It is told apart from both neighbours."""
    games_needed: int | None = None
    """About so many more games to tell it apart from the next; None: too many, or nobody is next."""


@dataclass(frozen=True)
class LadderSummary:
    """A ladder in a list of ladders."""

    ladder: LadderRef
    matches: int
    versions: int


@dataclass(frozen=True)
class LadderRow:
    """One line of a ladder."""

    version: VersionRef
    rated: Rated | None
    """None before the first fit in which it has played."""
    games: int
    wins: int
    """Games in which it came first, alone or with others."""

    @property
    def is_in_front(self) -> bool:
        """Whether the front view shows it."""
        return self.rated is None or self.rated.rank is not None

    @property
    def win_share(self) -> int:
        """Percent of its games that it won."""
        return round(100 * self.wins / self.games)


@dataclass(frozen=True)
class LadderPage:
    """All versions of a ladder, best first, those that are not rated yet last."""

    ladder: LadderRef
    rows: list[LadderRow]
    matches: int
    fitted: int
    """Matches that the published ratings cover."""
    fitted_at: datetime | None


@dataclass(frozen=True)
class OverallPage:
    """One strength over all ladders of a clock: all versions, best first. Their games and wins are of all ladders."""

    clock: Mapping[str, Any]
    rows: list[LadderRow]
    ladders: int
    fitted: int
    fitted_at: datetime
    tau: float
    """Points: what a bot gains or loses on a ladder, as a standard deviation."""
    correlation: float
    """Of the ratings of two ladders."""


@dataclass(frozen=True)
class RatingPoint:
    """One step of a version's history on a ladder: a published rating."""

    games: int
    version: str
    points: int
    low: int
    high: int


@dataclass(frozen=True)
class BotStanding:
    """Where one version of a bot stands on one ladder."""

    version: VersionRef
    ladder: LadderRef
    rated: Rated | None
    games: int
    wins: int
