"""Table of the versions that are excluded from rated matches."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.bots.models import BotVersion
from webui.matches.models import Match


class Exclusion(models.Model):
    """A version that may not play rated matches, because it is new or forfeited several matches in a row.

    The exclusion ends when the version plays an unrated match without a fault (`webui.pairing.examinations`).
    """

    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="exclusions")
    matches = models.JSONField()
    """Ids of the matches that it forfeited, latest first. Empty for a new version."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """Time at which the pending examination was requested, by the owner or automatically for a new version."""
    examination = models.OneToOneField(
        Match, null=True, blank=True, on_delete=models.SET_NULL, related_name="examination"
    )
    """Match of the latest examination."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version"], condition=Q(ended_at=None), name="exclusion_once_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.at}"
