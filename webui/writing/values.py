"""Values of trials."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from arena.hosting.messages import TrialOutcome


@dataclass(frozen=True, kw_only=True)
class TrialValue:
    """A trial, as its page shows it."""

    key: str
    source: str
    opponent: str
    is_examination: bool
    """Whether the bot is examined as a submission, and plays no game."""
    lesson: int
    """Number of the lesson whose check it is. 0 for a game of one's own."""
    state: str
    created_at: datetime
    ended_at: datetime | None
    decisions: int
    """Number of decisions that the game has reached."""
    before: int
    """Number of trials that wait and would be played before this one now."""
    failures: int
    """Number of claims that ended by a fault of the arena."""
    outcome: TrialOutcome | None
    """None until it is done."""

    @property
    def is_open(self) -> bool:
        """Return whether it is being played, or waits for that."""
        return self.ended_at is None


@dataclass(frozen=True)
class TrialMark:
    """A summary of what the page of a trial shows."""

    mark: str
    """Text that changes whenever the page changes."""
    is_settled: bool
    """Whether the trial has ended, so that the page does not change by itself any more."""
