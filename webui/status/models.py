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
    started_at = models.DateTimeField(null=True, blank=True)
    """When it said so first; None: it is of a version that did not tell."""
    version = models.CharField(max_length=80, blank=True, db_default="")
    """Of the arena and its rules; empty as above."""

    class Meta:
        verbose_name_plural = "running processes"
        constraints = [models.CheckConstraint(condition=Q(kind__in=ProcessKind.values), name="process_kind_known")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class OverheadSample(models.Model):
    """What a referee added to decisions within a minute: how many took at most how long."""

    at = models.DateTimeField(db_default=Now(), db_index=True)
    counts = models.JSONField()
    """Decisions, by the bounds of `webui.status.values.BOUNDS_S` and one more for what took longer."""

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


class DoctorRun(models.Model):
    """What a nightly run of the doctor found (`webui.staff.doctor`)."""

    at = models.DateTimeField(db_default=Now(), editable=False)
    """When it was over."""
    looked_at = models.JSONField()
    """Subjects by check."""
    found = models.PositiveIntegerField()
    """How many findings there were."""
    findings = models.JSONField()
    """The first of them: `check`, `subject`, `message`."""
    skipped = models.PositiveIntegerField()
    """Records that only a process with other rules can prove."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.at}: {self.found}"
