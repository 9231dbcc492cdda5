"""The declaration of the subject of open data."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.urls import reverse

from webui.core.subjects import READ, Check, Subject
from webui.matches.conditions import is_hidden
from webui.matches.models import Match
from webui.open_data.models import DataFile, DataKind, HeldMatch

# The doctor's checks of open data. They read only the rows, because the files may be on another machine.


def open_data(since: datetime | None = None) -> Iterator[tuple[str, str]]:
    """Check that every day has its file with all its matches, and that no file has a hidden match.

    With `since`, check only the days from that time on.
    """
    published = DataFile.objects.filter(kind=DataKind.REPLAYS, published_at__isnull=False).order_by("date")
    if since is not None:
        published = published.filter(date__gte=since.astimezone(UTC).date())
    days = list(published.values_list("name", "date", "rows"))
    for (_, before, _), (name, day, _) in pairwise(days):
        if day != before + timedelta(days=1):
            yield name, f"files are missing between {before} and this one"
    for match_id in HeldMatch.objects.filter(is_hidden("match__"), file__isnull=False).values_list(
        "match_id", flat=True
    ):
        yield match_id, "it is in a file although its result is hidden"
    if not days:
        return
    first, end = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in (days[0][1], days[-1][1]))
    in_time = Match.objects.filter(finished_at__gte=first, finished_at__lt=end + timedelta(days=1), held_back=None)
    by_day = in_time.filter(record__isnull=False).annotate(day=TruncDate("finished_at", tzinfo=UTC)).order_by()
    due = dict(by_day.values_list("day").annotate(count=Count("pk")))
    held = HeldMatch.objects.filter(file__in=[name for name, _, _ in days])
    late = dict(held.order_by().values_list("file").annotate(count=Count("pk")))
    for name, day, rows in days:
        if rows != due.get(day, 0) + late.get(name, 0):
            yield name, f"it has {rows} matches, the tables have {due.get(day, 0)} and {late.get(name, 0)} late ones"


SUBJECT: Final = Subject(
    site_rights={DataFile: READ},
    pages=lambda: [reverse("data")],
    checks=(Check("open_data", open_data),),
)
