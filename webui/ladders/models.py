"""Ladders: which matches are rated together, and which of them are played."""

from django.db import models
from django.db.models import Q


class Ladder(models.Model):
    """One list of ratings: matches of one ruleset under one clock, in the order in which they finished."""

    slug = models.SlugField(max_length=80, unique=True)
    ruleset = models.JSONField()
    """The ruleset's document: players and expansions."""
    clock = models.JSONField()
    """The clock's document."""
    key = models.CharField(max_length=200, unique=True)
    """Ruleset and clock as canonical JSON: what makes two ladders one."""
    finished = models.PositiveIntegerField(default=0)
    """How many rated matches have finished; the next finish takes this + 1. Only moved by compare-and-set."""
    delay = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Decisions that spectators of a running match see late; all at its end."
    )

    def __str__(self) -> str:
        return self.slug


MOST_SHARE = 100
"""The largest share of one game."""


class LadderTerms(models.Model):
    """How the matchmaker plays a game, as staff have set it. A game without a row is played as `SHARES` says."""

    game = models.CharField(primary_key=True, max_length=40)
    """Its ruleset (`ladders.game_key`)."""
    is_open = models.BooleanField()
    """Whether new rated matches are made."""
    share = models.PositiveSmallIntegerField()
    """Of the matches in flight, beside the shares of the other games."""
    clock = models.JSONField()
    """Of new matches, a document. With another clock they count for another ladder."""
    revision = models.PositiveIntegerField()
    """How often it was changed: moved by compare-and-set."""

    class Meta:
        verbose_name_plural = "terms of ladders"
        constraints = [
            models.CheckConstraint(condition=Q(share__gte=1, share__lte=MOST_SHARE), name="ladder_share_in_range"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="ladder_revision_from_one"),
        ]

    def __str__(self) -> str:
        return self.game
