"""Open data: which files are published."""

from webui.ladder.models import DataFile
from webui.ladder.values import DataLine


def data_files(name: str | None = None) -> list[DataLine]:
    """Every file that is published, the latest day or month first; or the one of this name, if it is."""
    rows = DataFile.objects.filter(published_at__isnull=False).order_by("-date", "kind")
    if name is not None:
        rows = rows.filter(name=name)
    columns = ("name", "kind", "date", "size", "sha256", "rows", "published_at")
    return [DataLine(**row) for row in rows.values(*columns)]
