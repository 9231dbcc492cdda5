"""Table of the versions that are kept from rated matches."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.bots.models import BotVersion
from webui.matches.models import Match


class Exclusion(models.Model):
    """A version that plays no rated matches, because it is new or forfeited one after the other, until it has played
    an unrated match without a fault (`webui.pairing.examinations`)."""

    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="exclusions")
    matches = models.JSONField()
    """The ids of the matches that it forfeited, the latest first; none: it is new."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """When the examination was asked for that has not ended yet: by its owner, or because it is new."""
    examination = models.OneToOneField(
        Match, null=True, blank=True, on_delete=models.SET_NULL, related_name="examination"
    )
    """The latest one."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version"], condition=Q(ended_at=None), name="exclusion_once_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.at}"
