"""The declaration of the subject of ratings."""

from typing import Final

from django.urls import reverse

from webui.bots.hooks import versions_changed
from webui.core.subjects import READ, Check, Subject
from webui.matches.hooks import match_finished, ratings_now
from webui.ratings.checks import entries
from webui.ratings.folding import fit_soon, published_now, rate_finished
from webui.ratings.models import Fit, PublishedRating, RatingEntry, Standing
from webui.ratings.queries import ladders


def _pages() -> list[str]:
    pages = [reverse("ladder", args=[summary.ladder.slug]) for summary in ladders()]
    return [reverse("ladders"), reverse("overall"), *pages]


SUBJECT: Final = Subject(
    site_rights={
        **dict.fromkeys((PublishedRating, RatingEntry, Standing), READ),
        Fit: {**READ, "UPDATE": ("made_at",)},  # a fit becomes due when a bot retires and leaves the front view
    },
    pages=_pages,
    checks=(Check("entries", entries),),
    receives=(
        match_finished.received_by(rate_finished),
        ratings_now.received_by(published_now),
        versions_changed.received_by(fit_soon),
    ),
)
