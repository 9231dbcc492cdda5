"""Ladders: which matches are rated together."""

from django.db import models


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
