"""Tables of comparisons: the two versions and the terms, the results so far, and the matches."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import BotVersion
from webui.ladders.models import RulesetField
from webui.matches.models import Match


class ComparisonState(models.TextChoices):
    """State of a comparison. It is RUNNING at first, and each other state is final."""

    RUNNING = "RUNNING"
    YES = "YES"
    """The new version is better."""
    NO = "NO"
    OPEN = "OPEN"
    """The versions were not distinguished by all the games."""
    STOPPED = "STOPPED"
    """Its owner or staff stopped it."""
    IDLE = "IDLE"
    """A version was offline for too long."""
    FAILED = "FAILED"
    """A game has no result after several attempts."""


class Comparison(models.Model):
    """A test whether one version is better than another. Changes of `length` and `state` are made by
    compare-and-set."""

    id = models.CharField(primary_key=True, max_length=32)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="comparisons")
    new = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    old = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    ruleset = RulesetField()
    margin = models.FloatField()
    """Margin of the test, in points."""
    most = models.PositiveIntegerField()
    """Maximum number of blocks."""
    scores = models.JSONField(default=list)
    """Half points of the new version in each complete block, in the order of the blocks."""
    length = models.PositiveIntegerField(default=0)
    """Length of `scores`."""
    state = models.CharField(max_length=8, choices=ComparisonState, default=ComparisonState.RUNNING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    moved_at = models.DateTimeField(db_default=Now(), editable=False)
    """Time at which a block was last completed, or a match last scheduled."""
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
    """A match of a comparison. A game whose matches were aborted or void has several; the last one counts."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="matches")
    block = models.PositiveIntegerField()
    game = models.PositiveSmallIntegerField()
    """Number of the game in its block. Blocks and games are numbered from 0."""
    tries = models.PositiveSmallIntegerField()
    """Number of the match among those of this game, from 1."""
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="comparison_match")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "block", "game", "tries"], name="comparison_match_once"),
        ]

    def __str__(self) -> str:
        return f"{self.comparison_id} {self.block}.{self.game}"
