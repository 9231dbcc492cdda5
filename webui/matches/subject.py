"""The declaration of the subject of matches."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Final

from django.urls import reverse

from webui.core.subjects import READ, Check, Sitemap, Subject
from webui.ladders.models import Ladder
from webui.matches import checks
from webui.matches.conditions import is_hidden
from webui.matches.models import (
    LogRow,
    Match,
    MatchFailure,
    MatchRecord,
    OfferEntry,
    OfferHead,
    PackedLog,
    Participant,
    SeatRow,
    SigningKey,
    SpectatorRow,
)


def _sitemaps() -> Iterator[Sitemap]:
    """Yield a sitemap for each ladder. Only rated matches are numbered without gaps."""
    for slug, finished in Ladder.objects.order_by("pk").values_list("slug", "finished"):
        yield Sitemap(slug, finished, partial(_match_pages, slug))


def _match_pages(ladder: str, first: int, last: int) -> Iterator[tuple[str, datetime | None]]:
    matches = Match.objects.filter(~is_hidden(), ladder__slug=ladder, ladder_number__range=(first, last))
    for match_id, finished_at in matches.order_by("ladder_number").values_list("id", "finished_at"):
        yield reverse("match", args=[match_id]), finished_at


SUBJECT: Final = Subject(
    gateway_rights={Match: {"SELECT": ("id", "state", "finished_at")}, Participant: READ},
    site_rights=dict.fromkeys(
        (
            LogRow,
            Match,
            MatchFailure,
            MatchRecord,
            OfferEntry,
            OfferHead,
            PackedLog,
            Participant,
            SeatRow,
            SigningKey,
            SpectatorRow,
        ),
        READ,
    ),
    pages=lambda: [reverse("matches")],
    sitemaps=_sitemaps,
    checks=(
        Check("logs", checks.logs),
        Check("secrets", checks.secrets),
        Check("results", checks.results),
        Check("offers", checks.offers),
        Check("leases", lambda since: checks.leases()),
        Check("spectators", lambda since: checks.spectators()),
    ),
)
