"""The addresses that search engines are told of, in pages of bounded cost: each is a range of an index."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Max

from webui.bots.models import Bot
from webui.events.models import EventRow
from webui.ladders.models import Ladder
from webui.matches.hidden import is_hidden
from webui.matches.models import Match

PAGE = 5000
"""Addresses of a page."""
EVENTS = 1000


def sitemap_pages() -> Iterator[tuple[str, int]]:
    """The pages of bots, and of the rated matches of each ladder: a name (`bots`, or that of the ladder), and a number
    from 1. Rated matches alone are told: they have numbers without a gap."""
    last = Bot.objects.aggregate(last=Max("pk"))["last"] or 0
    yield from (("bots", number) for number in range(1, -(-last // PAGE) + 1))
    for slug, finished in Ladder.objects.order_by("pk").values_list("slug", "finished"):
        yield from ((slug, number) for number in range(1, -(-finished // PAGE) + 1))


def sitemap_matches(ladder: str, number: int) -> list[tuple[str, datetime | None]]:
    """The matches of one page of a ladder with the times of their ends, in the order of their ends."""
    rows = Match.objects.filter(
        ~is_hidden(),
        ladder__slug=ladder,
        ladder_number__gt=PAGE * (number - 1),
        ladder_number__lte=PAGE * number,
    )
    return list(rows.order_by("ladder_number").values_list("id", "finished_at"))


def sitemap_bots(number: int) -> list[str]:
    """The names in addresses of the bots of one page."""
    rows = Bot.objects.filter(pk__gt=PAGE * (number - 1), pk__lte=PAGE * number)
    return list(rows.order_by("pk").values_list("slug", flat=True))


def sitemap_events() -> list[str]:
    """The names in addresses of the latest events that everybody sees."""
    rows = EventRow.objects.exclude(state="draft").order_by("-created_at", "-pk")
    return list(rows.values_list("slug", flat=True)[:EVENTS])
