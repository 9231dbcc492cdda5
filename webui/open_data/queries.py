"""Queries for the published files of open data."""

from dataclasses import dataclass
from datetime import date, datetime

from webui.open_data.models import DataFile


@dataclass(frozen=True)
class DataLine:
    """A published file."""

    name: str
    kind: str
    """`replays` of a day; `matches` or `decisions` of a month."""
    date: date
    """The day (UTC), or the first day of the month."""
    size: int
    """Size in bytes."""
    sha256: str
    rows: int
    """Number of matches in a day's file, or of rows in a Parquet file."""
    published_at: datetime


def data_files(name: str | None = None) -> list[DataLine]:
    """Return all published files, latest day or month first. With `name`, return only the file of that name."""
    rows = DataFile.objects.filter(published_at__isnull=False).order_by("-date", "kind")
    if name is not None:
        rows = rows.filter(name=name)
    columns = ("name", "kind", "date", "size", "sha256", "rows", "published_at")
    return [DataLine(**row) for row in rows.values(*columns)]
