"""The figures of a report, and shares with Wilson's interval.

Wilson published it in 1927, *Journal of the American Statistical Association* 22. Shares, chances and p-values are
numbers from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

Z = 1.96
"""Standard errors on each side of a 95 % interval."""
FLAGGED = 0.01
"""P-value up to which a pair of bots is flagged."""


class ShareInterval(NamedTuple):
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


def wilson(won: float, number: float) -> ShareInterval:
    """Return the share `won / number` with its interval. `won` may be fractional, for wins that are shared."""
    share = won / number
    middle = (share + Z * Z / (2 * number)) / (1 + Z * Z / number)
    half = Z / (1 + Z * Z / number) * sqrt(share * (1 - share) / number + Z * Z / (4 * number * number))
    return ShareInterval(share, max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True, slots=True)
class ShareLine:
    """A seat, or a place in the first bidding: its share of the wins, and its mean score."""

    share: float
    low: float
    high: float
    """End of the share's 95 % interval, which begins at `low`."""
    score: float
    score_error: float | None
    """Half the interval of the mean score; None for fewer than two games."""


@dataclass(frozen=True, slots=True)
class ShareTable:
    """All seats, or all places in the first bidding, of games with the same number of players."""

    games: int
    p: float | None
    """P-value of equal shares of wins; None if there are too few games for the test."""
    lines: tuple[ShareLine, ...]


@dataclass(frozen=True, slots=True)
class UnevenBot:
    """A bot whose seats are too uneven for chance."""

    players: int
    bot: str
    """Name and version."""
    counts: tuple[int, ...]
    """Number of games in each seat."""
    p: float
    """Corrected p-value."""


@dataclass(frozen=True, slots=True)
class SeatTest:
    """Test of whether each bot had all seats equally often."""

    tested: int
    uneven: int
    named: tuple[UnevenBot, ...]
    """The most uneven bots."""


@dataclass(frozen=True, slots=True)
class FarBot:
    """A bot whose round trip was long in every answer that it was credited for."""

    bot: str
    """Name and version."""
    answers: int


@dataclass(frozen=True, slots=True)
class Favourites:
    """Games with one favourite: the mean chance given to it, and the share of games that it won."""

    games: int
    given: float
    won: float
    error: float
    """1.96 standard errors, as the chances imply."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of the ratings: all favourites, and those of each tenth of chance."""

    all: Favourites
    tenths: tuple[Favourites, ...]


@dataclass(frozen=True, slots=True)
class FairnessFigures:
    """Counts of matches (`tallies`), and the figures that follow from them. Tables are by number of players."""

    games: int
    decisions: int
    charged: int
    proved: int
    unchecked: int
    hidden: int
    ended: Mapping[str, int]
    aborted: Mapping[str, int]
    void: Mapping[str, int]
    faults: Mapping[str, int]
    forfeits: Mapping[str, int]
    failures: Mapping[str, str]
    overcharges: Mapping[str, str]
    seats: Mapping[str, ShareTable]
    places: Mapping[str, ShareTable]
    turns: SeatTest
    far: tuple[FarBot, ...]
    """Bots whose credited round trip never fell below 200 ms."""
    calibration: Mapping[str, Calibration]


@dataclass(frozen=True, slots=True)
class DayReport:
    """The report on the matches of one day, and on the month up to it."""

    format: str
    date: str
    closed: bool
    """Whether the day is over and all its matches are counted."""
    made_at: str
    day: FairnessFigures
    days: int
    """Number of days of the month."""
    month: FairnessFigures


class Pair(NamedTuple):
    """Result for one bot towards another, over the games in which they met."""

    helper: str
    helped: str
    games: int
    mean: float
    """Mean lean, less the same bot's lean towards its other rivals."""
    effect: float
    """Mean in standard deviations of a game."""
    t: float
    p: float
    """One-sided p-value, corrected for the number of pairs."""

    @property
    def is_flagged(self) -> bool:
        """Whether the pair should be examined by a person."""
        return self.p <= FLAGGED


class KingmakingResult(NamedTuple):
    """Result for all pairs that met often enough."""

    pairs: list[Pair]
    """Pairs with the smallest p-value first."""
    scale: float | None
    """Factor by which p-values were widened (`kingmaking.null_scale`)."""
    games: int
    """Number of games examined."""

    def document(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        shown = [{**pair._asdict(), "flagged": pair.is_flagged} for pair in self.pairs]
        return {"games": self.games, "null_scale": self.scale, "pairs": shown}

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> KingmakingResult:
        """Return the result of a JSON object."""
        pairs = [Pair(*(pair[name] for name in Pair._fields)) for pair in document["pairs"]]
        return cls(pairs, document["null_scale"], document["games"])
