"""Tables of open data: the published files, and the matches that are published later than their day."""

from django.db import models
from django.db.models import Q

from webui.matches.models import Match


class DataKind(models.TextChoices):
    """The kind of content of a file."""

    REPLAYS = "replays"
    """The matches of a day whose results are public, as JSON Lines."""
    MATCHES = "matches"
    """One row for each seat of each match of a month, as Parquet."""
    DECISIONS = "decisions"
    """One row for each decision of a month, as Parquet."""


_IS_PUBLISHED = Q(published_at__isnull=False, size__isnull=False, rows__isnull=False) & ~Q(sha256="")
_IS_NOT = Q(published_at=None, size=None, rows=None, sha256="")


class DataFile(models.Model):
    """A file that is published or being made. A published file never changes."""

    name = models.CharField(primary_key=True, max_length=60)
    kind = models.CharField(max_length=12, choices=DataKind)
    date = models.DateField()
    """The day (UTC), or the first day of the month."""
    size = models.BigIntegerField(null=True)
    """Size in bytes."""
    sha256 = models.CharField(max_length=64, blank=True, default="")
    rows = models.BigIntegerField(null=True)
    """Number of matches in a day's file, or of rows in a Parquet file."""
    published_at = models.DateTimeField(null=True)

    # The claim of the worker that makes the file, or makes it again because it was lost.
    owner = models.CharField(max_length=32, blank=True, default="")
    lease_expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-date", "kind"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "date"], name="data_file_once_a_time"),
            models.CheckConstraint(condition=_IS_PUBLISHED | _IS_NOT, name="data_file_published_whole"),
            models.CheckConstraint(
                condition=Q(owner="", lease_expires_at=None) | (~Q(owner="") & Q(lease_expires_at__isnull=False)),
                name="data_file_owned_for_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class HeldMatch(models.Model):
    """A match that was hidden when the file of its day was made. The first file after its reveal contains it."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="held_back")
    file = models.ForeignKey(DataFile, null=True, on_delete=models.PROTECT, related_name="late_matches")
    """File that contains it. None until there is one."""

    def __str__(self) -> str:
        return self.match_id
