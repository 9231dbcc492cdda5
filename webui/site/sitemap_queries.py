"""Addresses for the sitemaps, in pages of bounded cost: each page is one range of an index."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Max

from webui.bots.models import Bot
from webui.events.models import EventRow
from webui.ladders.models import Ladder
from webui.matches.hidden import is_hidden
from webui.matches.models import Match

PAGE = 5000
"""Number of addresses on a page."""
EVENTS = 1000


def sitemap_pages() -> Iterator[tuple[str, int]]:
    """Yield the pages of bots, and of the rated matches of each ladder.

    A page is a name (`bots` or the ladder's) and a number from 1. Unrated matches are left out: only rated ones are
    numbered without gaps.
    """
    last = Bot.objects.aggregate(last=Max("pk"))["last"] or 0
    yield from (("bots", number) for number in range(1, -(-last // PAGE) + 1))
    for slug, finished in Ladder.objects.order_by("pk").values_list("slug", "finished"):
        yield from ((slug, number) for number in range(1, -(-finished // PAGE) + 1))


def sitemap_matches(ladder: str, number: int) -> list[tuple[str, datetime | None]]:
    """Return the matches of one page of a ladder with the times when they ended, in the order of these times."""
    rows = Match.objects.filter(
        ~is_hidden(),
        ladder__slug=ladder,
        ladder_number__gt=PAGE * (number - 1),
        ladder_number__lte=PAGE * number,
    )
    return list(rows.order_by("ladder_number").values_list("id", "finished_at"))


def sitemap_bots(number: int) -> list[str]:
    """Return the names in addresses of the bots of one page."""
    rows = Bot.objects.filter(pk__gt=PAGE * (number - 1), pk__lte=PAGE * number)
    return list(rows.order_by("pk").values_list("slug", flat=True))


def sitemap_events() -> list[str]:
    """Return the names in addresses of the latest public events."""
    rows = EventRow.objects.exclude(state="draft").order_by("-created_at", "-pk")
    return list(rows.values_list("slug", flat=True)[:EVENTS])
