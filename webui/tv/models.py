"""Table of the matches on TV: past, current and next."""

from django.db import models
from django.db.models import F, Q

from webui.matches.models import Match


class FeaturedMatch(models.Model):
    """A match that is shown for a time. The rows are the schedule, so all viewers see the same match at the same time.

    Only the end may be written later than the rest: while the match is running, it is not known.
    """

    number = models.PositiveIntegerField(primary_key=True)
    """Number of the show: 1, 2, 3 …. Processes that choose simultaneously choose the same number, and only the first
    one succeeds."""
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="featured")
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    """Time at which the next show begins. None: the match is still running."""
    was_live = models.BooleanField()
    """Whether the match was running when it was chosen."""

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("begins_at")) | Q(ends_at=None), name="featured_for_a_time"
            ),
            models.CheckConstraint(condition=Q(ends_at__isnull=False) | Q(was_live=True), name="featured_open_if_live"),
            models.UniqueConstraint(fields=["was_live"], condition=Q(ends_at=None), name="featured_open_once"),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.match_id}"
