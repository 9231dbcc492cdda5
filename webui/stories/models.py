"""What is told of a match that has finished: its values for lists, and how its chances went."""

from django.db import models
from django.db.models import Q

from arena.story import DecidedBy
from webui.matches.models import Match

_DECIDED_BY = [str(kind) for kind in DecidedBy]
_NAMED = Q(decided_by__in=["DJINN", "TILE", "SOURCE"])
"""Those of which `decided_what` says the name."""


class Story(models.Model):
    """The story of a match (`arena.story`), made once after its end. A better evaluator replaces it; which matches have
    none yet says `Match.story_version`."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="story")
    version = models.PositiveSmallIntegerField()
    """Of the evaluator that made it."""
    day = models.DateField()
    """On which the match ended, in UTC: the best matches of a day are found by index."""
    excitement = models.FloatField()
    """0 to 1."""
    lead_changes = models.PositiveSmallIntegerField()
    margin = models.PositiveSmallIntegerField()
    """VP of the winner above the next seat that did not forfeit; 0 where several share the win."""
    winners = models.JSONField()
    """The seats that won, from 1."""
    decided_by = models.CharField(max_length=8)
    """A `DecidedBy`: what alone made up the margin."""
    decided_what = models.CharField(max_length=20, blank=True, default="")
    """The id of that Djinn, the name of that tile, that source of points."""
    packed = models.BinaryField()
    """Chances, their noise and turning points (`webui/stories/packing.py`)."""

    class Meta:
        verbose_name_plural = "stories"
        constraints = [
            models.CheckConstraint(condition=Q(excitement__gte=0, excitement__lte=1), name="story_excitement_in_range"),
            models.CheckConstraint(condition=Q(decided_by__in=_DECIDED_BY), name="story_decided_by_known"),
            models.CheckConstraint(
                condition=(_NAMED & ~Q(decided_what="")) | (~_NAMED & Q(decided_what="")),
                name="story_decided_by_something",
            ),
        ]
        indexes = [
            models.Index(fields=["day", "-excitement"], name="story_best_of_day"),
            models.Index(fields=["version", "day"], name="story_by_version"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}"
