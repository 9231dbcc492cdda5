"""Comparisons of two versions: what is tested, what has come of it, and which matches are played for it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import BotVersion
from webui.matches.models import Match


class ComparisonState(models.TextChoices):
    """Where a comparison is: RUNNING until it has one of the others, for good."""

    RUNNING = "RUNNING"
    YES = "YES"
    """The new version is better."""
    NO = "NO"
    OPEN = "OPEN"
    """Not told apart after all games."""
    STOPPED = "STOPPED"
    """By its owner."""
    IDLE = "IDLE"
    """A version was not there for too long."""
    FAILED = "FAILED"
    """A game has no result, however often it is played."""


class Comparison(models.Model):
    """Is one version better than another? Who moves `length` or `state` by compare-and-set has moved it on."""

    id = models.CharField(primary_key=True, max_length=32)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="comparisons")
    new = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    old = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    ruleset = models.JSONField()
    margin = models.FloatField()
    """Points."""
    most = models.PositiveIntegerField()
    """Blocks."""
    scores = models.JSONField(default=list)
    """Half points of the new version in each block that is complete, in the order of the blocks."""
    length = models.PositiveIntegerField(default=0)
    """How many these are."""
    state = models.CharField(max_length=8, choices=ComparisonState, default=ComparisonState.RUNNING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    moved_at = models.DateTimeField(db_default=Now(), editable=False)
    """When a block was last complete, or a match scheduled."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ComparisonState.values), name="comparison_state_known"),
            models.CheckConstraint(
                condition=Q(state="RUNNING", ended_at=None) | (~Q(state="RUNNING") & Q(ended_at__isnull=False)),
                name="comparison_end_known",
            ),
            models.CheckConstraint(condition=~Q(new=models.F("old")), name="comparison_of_two"),
        ]
        indexes = [
            models.Index(fields=["state", "moved_at"], name="comparison_by_state"),
            models.Index(fields=["owner", "-created_at"], name="comparison_of_owner"),
        ]

    def __str__(self) -> str:
        return self.id


class ComparisonMatch(models.Model):
    """A match of a comparison. A game whose matches were aborted or void has several, of which the last one counts."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="matches")
    block = models.PositiveIntegerField()
    game = models.PositiveSmallIntegerField()
    """Both from 0."""
    tries = models.PositiveSmallIntegerField()
    """Which match of this game it is, from 1."""
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="comparison_match")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "block", "game", "tries"], name="comparison_match_once"),
        ]

    def __str__(self) -> str:
        return f"{self.comparison_id} {self.block}.{self.game}"
