"""What is shown on TV."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from webui.matches.values import MatchLine

EPILOGUE = timedelta(seconds=15)
"""The end of a match is shown for so long."""


@dataclass(frozen=True)
class Programme:
    """A match that is shown for a time."""

    number: int
    line: MatchLine
    begins_at: datetime
    ends_at: datetime | None
    """When the next one begins; None: not known while the match runs."""
    was_live: bool
    """It ran when it was chosen."""

    @property
    def shown_until(self) -> datetime | None:
        """When the last decision is shown; None: not known while the match runs."""
        return self.ends_at and self.ends_at - EPILOGUE


@dataclass(frozen=True)
class Channel:
    """What is on at a time, and what comes."""

    at: datetime
    now: Programme | None
    """None: nothing has been chosen yet, or what was is over."""
    next: Programme | None
    """What was chosen to come next, shortly before it begins."""
    later: list[MatchLine]
    """What comes then, in this order, unless a match runs."""
