"""Tables of ladders, and of the terms under which the matchmaker plays their games."""

from typing import Any

from django.db import models
from django.db.models import Q

from arena.referee import Clock
from arena.rules import Ruleset, parse_ruleset
from webui.ladders.values import MOST_SHARE


class DocumentField(models.JSONField):
    """Base class of fields for a value that is stored as its document.

    A lookup such as `ruleset__players` selects by a key of the document.
    """

    def parse(self, document: Any) -> Any:
        """Return the value of a document."""
        raise NotImplementedError

    def from_db_value(self, *args: Any) -> Any:
        """Return the value of a row, or that of a key."""
        value = super().from_db_value(*args)
        return self.parse(value) if isinstance(value, dict) else value

    def get_prep_value(self, value: Any) -> Any:
        """Return the document of a value."""
        return value.document() if hasattr(value, "document") else super().get_prep_value(value)

    def deconstruct(self) -> Any:
        """Describe the column to migrations: they see plain JSON."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class RulesetField(DocumentField):
    """The ruleset of a game."""

    _pyi_private_set_type: Ruleset
    _pyi_private_get_type: Ruleset

    def parse(self, document: Any) -> Ruleset:
        """Return the ruleset of a document."""
        return parse_ruleset(document)


class ClockField(DocumentField):
    """The clock of a game."""

    _pyi_private_set_type: Clock
    _pyi_private_get_type: Clock

    def parse(self, document: Any) -> Clock:
        """Return the clock of a document."""
        return Clock.parse(document)


class Ladder(models.Model):
    """A list of ratings: matches of one ruleset under one clock, in the order in which they finished."""

    slug = models.SlugField(max_length=80, unique=True)
    ruleset = RulesetField()
    clock = ClockField()
    key = models.CharField(max_length=200, unique=True)
    """Ruleset and clock as canonical JSON, which identify a ladder."""
    finished = models.PositiveIntegerField(default=0)
    """Number of rated matches that have finished. The next one gets this + 1. It changes only by compare-and-set."""
    delay = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Decisions that spectators of a running match see late; all at its end."
    )

    def __str__(self) -> str:
        return self.slug


class LadderTerms(models.Model):
    """The terms that staff have set for a game. A game without a row has its default share (`SHARES`) and clock."""

    game = models.CharField(primary_key=True, max_length=40)
    """Name of the game (`games.game_key`)."""
    is_open = models.BooleanField()
    """Whether new rated matches are made."""
    share = models.PositiveSmallIntegerField()
    """Share of the running matches, relative to the shares of the other games."""
    clock = ClockField()
    """Clock of new matches. Matches with another clock count for another ladder."""
    revision = models.PositiveIntegerField()
    """Number of changes so far. It changes only by compare-and-set."""

    class Meta:
        verbose_name_plural = "terms of ladders"
        constraints = [
            models.CheckConstraint(condition=Q(share__gte=1, share__lte=MOST_SHARE), name="ladder_share_in_range"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="ladder_revision_from_one"),
        ]

    def __str__(self) -> str:
        return self.game
