"""Fairness: the reports, one a day, made of the matches that ended on it; and who helped whom, for staff."""

from django.db import models

from webui.matches.models import Match


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
    pairs = models.JSONField(null=True)
    """For staff: which bots helped which in the month until then, once the day is closed and its tables are measured
    (`webui.fairness.helping`)."""

    class Meta:
        ordering = ["-date"]

    def __str__(self) -> str:
        return str(self.date)


class HelpMeasure(models.Model):
    """How the turns of one match leaned to rivals (`arena.fairness.kingmaking`)."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="help_measure")
    finished_at = models.DateTimeField(db_index=True)
    """That of the match."""
    helps = models.JSONField()
    """A list of `Help`."""

    class Meta:
        ordering = ["-finished_at"]

    def __str__(self) -> str:
        return self.match_id
