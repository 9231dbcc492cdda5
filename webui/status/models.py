"""Tables of the arena's status: its processes, the overhead of its decisions, its history, and the doctor's runs."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class ProcessKind(models.TextChoices):
    """The arena's own processes."""

    SITE = "site"
    GATEWAY = "gateway"
    REFEREE = "referee"
    UPKEEP = "upkeep"


class RunningProcess(models.Model):
    """A process, which renews its row every few seconds. It deletes the row when it shuts down cleanly."""

    name = models.CharField(primary_key=True, max_length=64)
    """Random name, which no earlier process has had."""
    kind = models.CharField(max_length=8, choices=ProcessKind)
    seen_at = models.DateTimeField(db_default=Now())
    """Time of its last announcement, by the database's clock."""
    started_at = models.DateTimeField(db_default=Now(), editable=False)
    """Time of its first announcement."""
    version = models.CharField(max_length=80)
    """Versions of the arena and its rules."""
    is_starved = models.BooleanField(default=False, db_default=False)
    """Whether it got too little of its machine's processor before its last announcement."""

    class Meta:
        verbose_name_plural = "running processes"
        constraints = [models.CheckConstraint(condition=Q(kind__in=ProcessKind.values), name="process_kind_known")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class OverheadSample(models.Model):
    """The overhead that a referee added to the decisions of a minute, as a histogram."""

    at = models.DateTimeField(db_default=Now(), db_index=True)
    counts = models.JSONField()
    """Number of decisions in each class of `webui.status.values.BOUNDS_S`, and one more for the longer ones."""

    def __str__(self) -> str:
        return f"{self.at}"


class StatusHour(models.Model):
    """An hour of the arena's history. One worker, whichever is first, observes the arena in each minute."""

    hour = models.DateTimeField(primary_key=True)
    last_minute = models.SmallIntegerField(default=-1)
    """Last minute that was observed."""
    looks = models.PositiveSmallIntegerField(default=0)
    degraded = models.PositiveSmallIntegerField(default=0)
    """Number of observations in which a part was short of a process, but none was down."""
    down = models.PositiveSmallIntegerField(default=0)
    """Number of observations in which a part was down."""
    parts = models.JSONField(default=dict)
    """Number of observations in which each part was degraded or down, by its name."""

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
    """The result of a nightly run of the doctor (`webui.staff.doctor`)."""

    at = models.DateTimeField(db_default=Now(), editable=False)
    """Time when it ended."""
    looked_at = models.JSONField()
    """Number of subjects examined, by check."""
    found = models.PositiveIntegerField()
    """Number of findings."""
    findings = models.JSONField()
    """The first findings, each with `check`, `subject` and `message`."""
    skipped = models.PositiveIntegerField()
    """Number of records that only a process with another version of the rules can prove."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.at}: {self.found}"
