"""Tables of fairness: a report a day on the matches that ended that day, and, for staff, which bots helped which."""

from django.db import models

from webui.matches.models import Match


class FairnessReport(models.Model):
    """The report on the matches that ended on one day (UTC), and on the month up to that day.

    It is folded in steps. Each step is written by compare-and-set on `folded`.
    """

    date = models.DateField(primary_key=True)
    folded = models.PositiveIntegerField(default=0)
    """Number of the day's matches that are folded."""
    last_at = models.DateTimeField(null=True, blank=True)
    last_id = models.CharField(max_length=32, blank=True, default="")
    """End time (`last_at`) and id of the last match folded. The next match follows it in this order."""
    is_closed = models.BooleanField(default=False)
    """Whether the day is over and all its matches are folded."""
    tallies = models.JSONField()
    """The day's counts (`arena.fairness`)."""
    document = models.JSONField()
    """The published document."""
    made_at = models.DateTimeField()
    pairs = models.JSONField(null=True)
    """For staff: which bots helped which in the month up to that day (`webui.fairness.helping`).

    None until the day is closed and its tables are measured.
    """

    class Meta:
        ordering = ["-date"]

    def __str__(self) -> str:
        return str(self.date)


class HelpMeasure(models.Model):
    """Measure of how much the turns of one match helped rivals (`arena.fairness.kingmaking`)."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="help_measure")
    finished_at = models.DateTimeField(db_index=True)
    """Copy of the match's `finished_at`."""
    helps = models.JSONField()
    """A list of `Help`."""

    class Meta:
        ordering = ["-finished_at"]

    def __str__(self) -> str:
        return self.match_id
