"""Values of comparisons, their sequential test, and their hooks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.ratings.sequential import Hypotheses, Trial
from arena.rules import Ruleset
from webui.bots.values import VersionRef
from webui.comparisons.models import Comparison
from webui.core.subjects import Hook


def trial_of(row: Comparison) -> Trial:
    """Return the test after the complete blocks."""
    trial = Trial(Hypotheses(row.ruleset.players, row.margin, row.most))
    for halves in row.scores:
        trial.add(halves)
    return trial


comparison_ended: Final = Hook[[Comparison], None]()
"""A comparison has ended. Called in the transaction that ends it."""


@dataclass(frozen=True)
class ComparisonLine:
    """A comparison in a list."""

    id: str
    new: VersionRef
    old: VersionRef
    ruleset: Ruleset
    state: str
    created_at: datetime
    ended_at: datetime | None
    games: int
    """Number of games that count so far."""


@dataclass(frozen=True)
class ComparisonGame:
    """A match of a comparison."""

    block: int
    game: int
    match: str
    state: str
    halves: int | None
    """Half points of the new version, 0 to 2. None: the match has no result."""


@dataclass(frozen=True)
class ComparisonPage:
    """A comparison with its newest matches."""

    line: ComparisonLine
    owner_id: int
    trial: Trial
    """State of the sequential test."""
    games: tuple[ComparisonGame, ...]
