"""Values of ratings and standings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.referee import Clock
from webui.bots.values import VersionRef
from webui.ladders.values import LadderRef


@dataclass(frozen=True)
class Rated:
    """A published rating: its points, their interval, and its rank in the front view."""

    points: int
    low: int
    high: int
    games: int
    """Number of games that it is based on."""
    forfeits: int
    """Number of those games in which the version forfeited."""
    rank: int | None = None
    """Rank in the front view. If the version is not in it, this and the following fields are empty."""
    best: int | None = None
    worst: int | None = None
    """Worst rank of the rank interval, whose best rank is `best`."""
    better: float | None = None
    """Probability of being better than the next bot. None for the last one."""
    is_settled: bool = False
    """Whether its strength is distinguishable from that of both neighbours."""
    games_needed: int | None = None
    """Estimated number of games until it is distinguishable from the next bot. None if too many, or if it is last."""


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
    """Published rating. None until the first fit after it has played."""
    games: int
    wins: int
    """Number of games in which it came first, alone or tied."""

    @property
    def is_in_front(self) -> bool:
        """Whether the front view shows it."""
        return self.rated is None or self.rated.rank is not None

    @property
    def win_share(self) -> int:
        """Share of its games that it won, in percent."""
        return round(100 * self.wins / self.games)


@dataclass(frozen=True)
class LadderPage:
    """All versions of a ladder, best first. Versions without a rating come last."""

    ladder: LadderRef
    rows: list[LadderRow]
    matches: int
    fitted: int
    """Number of matches that the published ratings cover."""
    fitted_at: datetime | None


@dataclass(frozen=True)
class OverallPage:
    """The joint ratings over all ladders of a clock: all versions, best first. Games and wins are sums over ladders."""

    clock: Clock
    rows: list[LadderRow]
    ladders: int
    fitted: int
    fitted_at: datetime
    tau: float
    """Standard deviation, in points, of a bot's strength between ladders."""
    correlation: float
    """Correlation between the ratings of two ladders."""


@dataclass(frozen=True)
class RatedPoint:
    """A published rating of a version."""

    version: str
    games: int
    """Number of games that it is based on."""
    points: int
    low: int
    """Lower bound of the 95 % interval of the points."""
    high: int


@dataclass(frozen=True)
class BotStanding:
    """The standing of one version of a bot on one ladder."""

    version: VersionRef
    ladder: LadderRef
    rated: Rated | None
    games: int
    wins: int


@dataclass(frozen=True)
class LadderParameters:
    """Parameters fitted with the ratings of one ladder."""

    places: list[list[float]]
    """Number of players, place in the first bidding, and the worth of the place."""
    ties: list[float]
    spread: float
    """Expected spread of the bots' points."""
    drift: float
    """Expected change of a bot's points."""


@dataclass(frozen=True)
class JointParameters:
    """Parameters of the joint fit of all ladders of one clock."""

    tau: float
    """Spread of a version's strengths over the ladders, in points."""
    correlation: float
    finished: Mapping[str, int]
    """Number of finishes covered of each ladder, by slug."""
