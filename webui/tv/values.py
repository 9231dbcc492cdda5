"""Values of TV."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from webui.matches.values import MatchLine

EPILOGUE = timedelta(seconds=15)
"""Time for which the end of a match is shown."""


@dataclass(frozen=True)
class Programme:
    """A match that is shown for a time."""

    number: int
    line: MatchLine
    begins_at: datetime
    ends_at: datetime | None
    """Time at which the next show begins. None while the match is running."""
    was_live: bool
    """Whether the match was running when it was chosen."""

    @property
    def shown_until(self) -> datetime | None:
        """Time at which the last decision is shown. None while the match is running."""
        return self.ends_at and self.ends_at - EPILOGUE


@dataclass(frozen=True)
class Channel:
    """The current programme and the next ones."""

    at: datetime
    now: Programme | None
    """Current show. None: nothing has been chosen yet, or the last show has ended."""
    next: Programme | None
    """Next show, chosen shortly before it begins."""
    later: list[MatchLine]
    """Matches that follow, in this order, unless a match starts running."""
