"""Which match is shown on TV, and when: what has been shown, what is on, and what comes next."""

from django.db import models
from django.db.models import F, Q

from webui.matches.models import Match


class FeaturedMatch(models.Model):
    """A match that is shown for a time. The rows are the schedule: whoever reads them at a time sees the same match.

    Only the end is written later than the rest, where the match was running: it follows from when that ended.
    """

    number = models.PositiveIntegerField(primary_key=True)
    """1, 2, 3 …: two processes that choose the next one at a time choose the same number, and one of them is first."""
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="featured")
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    """When the next one begins. None: the match runs still."""
    was_live = models.BooleanField()
    """It ran when it was chosen."""

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
