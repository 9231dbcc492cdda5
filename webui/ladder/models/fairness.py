"""Fairness reports: one a day, made of the matches that ended on it."""

from django.db import models


class FairnessReport(models.Model):
    """What the matches that ended on one day (UTC) say, and the month until then. Folded in steps: whoever moves
    `folded` by compare-and-set has written one."""

    date = models.DateField(primary_key=True)
    folded = models.PositiveIntegerField(default=0)
    """How many of the day's matches are in it."""
    last_at = models.DateTimeField(null=True, blank=True)
    last_id = models.CharField(max_length=32, blank=True, default="")
    """When the last of those ended, and its id: the next one comes after it in this order."""
    is_closed = models.BooleanField(default=False)
    """The day is over, and all its matches are in it."""
    tallies = models.JSONField()
    """The day's counts (`arena.fairness`)."""
    document = models.JSONField()
    """What is published."""
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-date"]

    def __str__(self) -> str:
        return str(self.date)
