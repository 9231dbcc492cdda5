"""Ladders, and where versions stand on them."""

from dataclasses import dataclass

from webui.ladder.values.refs import LadderRef, VersionRef


@dataclass(frozen=True)
class Rated:
    """A rating as shown: a number, its interval, and whether it is still a guess."""

    mu: float
    sigma: float
    points: int
    low: int
    high: int
    is_provisional: bool
    games: int


@dataclass(frozen=True)
class LadderSummary:
    """A ladder in a list of ladders."""

    ladder: LadderRef
    matches: int
    versions: int


@dataclass(frozen=True)
class LadderRow:
    """One line of a ladder."""

    place: int
    version: VersionRef
    rated: Rated
    wins: int
    """Games in which it came first, alone or with others."""


@dataclass(frozen=True)
class LadderPage:
    """A ladder, best first. Provisional versions stand in the order of their points like all others."""

    ladder: LadderRef
    rows: list[LadderRow]
    matches: int


@dataclass(frozen=True)
class RatingPoint:
    """One step of a version's history on a ladder."""

    number: int
    match_id: str
    placement: int
    version: str
    points: int
    low: int
    high: int


@dataclass(frozen=True)
class BotStanding:
    """Where one version of a bot stands on one ladder."""

    version: VersionRef
    ladder: LadderRef
    rated: Rated
    wins: int


@dataclass(frozen=True)
class Rank:
    """A place among the versions of a ladder that are no longer provisional, with the places the intervals allow."""

    rank: int
    best: int
    worst: int
