"""Open data: the files that are published, and which matches come later than those of their day."""

from django.db import models
from django.db.models import Q

from webui.matches.models import Match


class DataKind(models.TextChoices):
    """What is in a file."""

    REPLAYS = "replays"
    """Of a day: the matches whose results became public, as JSON Lines."""
    MATCHES = "matches"
    """Of a month: a row for each seat of a match, as Parquet."""
    DECISIONS = "decisions"
    """Of a month: a row for each decision, as Parquet."""


_IS_PUBLISHED = Q(published_at__isnull=False, size__isnull=False, rows__isnull=False) & ~Q(sha256="")
_IS_NOT = Q(published_at=None, size=None, rows=None, sha256="")


class DataFile(models.Model):
    """A file: published, or one that a worker makes. Once it is published it does not change."""

    name = models.CharField(primary_key=True, max_length=60)
    kind = models.CharField(max_length=12, choices=DataKind)
    date = models.DateField()
    """The day (UTC), or the first one of the month."""
    size = models.BigIntegerField(null=True)
    """Bytes."""
    sha256 = models.CharField(max_length=64, blank=True, default="")
    rows = models.BigIntegerField(null=True)
    """Matches of a day; rows of a Parquet file."""
    published_at = models.DateTimeField(null=True)

    # Who makes it, or makes it again because it is lost
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
    """A match that was hidden when the file of its day was made: the next file after it is revealed has it."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="held_back")
    file = models.ForeignKey(DataFile, null=True, on_delete=models.PROTECT, related_name="late_matches")
    """None: it is in none yet."""

    def __str__(self) -> str:
        return self.match_id
