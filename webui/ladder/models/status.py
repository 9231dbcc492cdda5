"""How the arena itself is: which of its processes run, what its decisions cost, and how it was."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class ProcessKind(models.TextChoices):
    """The processes of ours that an arena needs. Beat has no way to the database: upkeep, which it wakes, shows it."""

    SITE = "site"
    GATEWAY = "gateway"
    REFEREE = "referee"
    UPKEEP = "upkeep"


class RunningProcess(models.Model):
    """A process, as it says itself every few seconds; one that goes down in good order takes its row away."""

    name = models.CharField(primary_key=True, max_length=64)
    """Random: that of no earlier process."""
    kind = models.CharField(max_length=8, choices=ProcessKind)
    seen_at = models.DateTimeField(db_default=Now())
    """By the database's clock."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(kind__in=ProcessKind.values), name="process_kind_known")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class OverheadSample(models.Model):
    """What a referee added to decisions within a minute: how many took at most how long."""

    at = models.DateTimeField(db_default=Now(), db_index=True)
    counts = models.JSONField()
    """Decisions, by the bounds of `webui.ladder.values.status.BOUNDS_S` and one more for what took longer."""

    def __str__(self) -> str:
        return f"{self.at}"


class StatusHour(models.Model):
    """An hour of the arena, of which each minute is looked at once, by whichever worker is first."""

    hour = models.DateTimeField(primary_key=True)
    last_minute = models.SmallIntegerField(default=-1)
    """The last minute that was looked at."""
    looks = models.PositiveSmallIntegerField(default=0)
    degraded = models.PositiveSmallIntegerField(default=0)
    """Looks at which a part was short of a process, and everything went on."""
    down = models.PositiveSmallIntegerField(default=0)
    """Looks at which a part was away."""
    parts = models.JSONField(default=dict)
    """Looks at which a part was degraded or down, by its name."""

    class Meta:
        ordering = ["-hour"]
        constraints = [
            models.CheckConstraint(
                condition=Q(looks__gte=models.F("degraded") + models.F("down"), looks__lte=60, last_minute__lte=59),
                name="status_hour_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hour}"
