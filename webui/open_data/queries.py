"""The published files of open data."""

from dataclasses import dataclass
from datetime import date, datetime

from webui.open_data.models import DataFile


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


def data_files(name: str | None = None) -> list[DataLine]:
    """Every file that is published, the latest day or month first; or the one of this name, if it is."""
    rows = DataFile.objects.filter(published_at__isnull=False).order_by("-date", "kind")
    if name is not None:
        rows = rows.filter(name=name)
    columns = ("name", "kind", "date", "size", "sha256", "rows", "published_at")
    return [DataLine(**row) for row in rows.values(*columns)]
