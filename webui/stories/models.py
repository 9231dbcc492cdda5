"""The table of stories: what happened in finished matches, as values for lists and as chances to win."""

from __future__ import annotations

import json
import zlib

from django.db import models
from django.db.models import Q

from arena.story import (
    DecidedBy,
    Evaluation,
    Loss,
    Point,
    TurningPoint,
    parse_losses,
    parse_points,
    points_document,
)
from webui.matches.models import Match

# Packing of a story's chances, turning points and losses, as JSON in zlib: at most 3 KB for each match.


def pack_story(evaluation: Evaluation) -> bytes:
    """Return the chances, turning points and losses as bytes. The values of a story are columns."""
    document = points_document(evaluation.points, evaluation.turning_points, evaluation.losses)
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)


def unpack_story(packed: bytes) -> tuple[tuple[Point, ...], tuple[TurningPoint, ...]]:
    """Return the chances and turning points that were packed."""
    return parse_points(json.loads(zlib.decompress(packed)))


def unpack_losses(packed: bytes) -> tuple[Loss, ...]:
    """Return the losses that were packed. Stories of the first evaluator have none."""
    return parse_losses(json.loads(zlib.decompress(packed)))


_DECIDED_BY = [str(kind) for kind in DecidedBy]
_NAMED = Q(decided_by__in=["DJINN", "TILE", "SOURCE"])
"""Condition of the stories whose `decided_what` is a name."""


class Story(models.Model):
    """The story of a match (`arena.story`), made once after its end.

    A better evaluator replaces it. `Match.story_version` says which matches have no story yet.
    """

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="story")
    version = models.PositiveSmallIntegerField()
    """Version of the evaluator that made it."""
    day = models.DateField()
    """Day on which the match ended, in UTC. An index finds the best matches of a day."""
    excitement = models.FloatField()
    """Excitement, 0 to 1."""
    lead_changes = models.PositiveSmallIntegerField()
    margin = models.PositiveSmallIntegerField()
    """VP by which the winner is ahead of the next seat that did not forfeit. 0 if several seats share the win."""
    winners = models.JSONField()
    """Seats that won, from 1."""
    decided_by = models.CharField(max_length=8)
    """Kind of thing that alone made up the margin, a `DecidedBy`."""
    decided_what = models.CharField(max_length=20, blank=True, default="")
    """Id of that Djinn, name of that tile, or that source of points. Empty for other kinds."""
    packed = models.BinaryField()
    """Chances to win, their noise, turning points, and losses (`webui/stories/models.py`)."""

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
