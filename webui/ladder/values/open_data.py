"""Open data as pages show it."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class DataLine:
    """A file that is published."""

    name: str
    kind: str
    """`replays` of a day; `matches` or `decisions` of a month."""
    date: date
    """The day (UTC), or the first one of the month."""
    size: int
    """Bytes."""
    sha256: str
    rows: int
    """Matches of a day; rows of a Parquet file."""
    published_at: datetime
