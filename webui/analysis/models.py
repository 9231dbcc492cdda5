"""Table of positions that a house player plays to the end."""

from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

GAMES: Final = 50
"""Number of games from each position."""


class PositionState(models.TextChoices):
    """The state of the games of a position: OPEN → DONE or FAILED."""

    OPEN = "OPEN"
    """Games are still to be played."""
    DONE = "DONE"
    """All games were played, or as many as the limit of processor time allows."""
    FAILED = "FAILED"
    """No game could be played, by a fault of the arena."""


class PositionGames(models.Model):
    """Games in which one house player plays all seats of a position to the end. All visitors share them for a day."""

    key = models.CharField(max_length=40, unique=True)
    """Digest of the position and the house player, which is also in the address."""
    position = models.TextField()
    """Document of the position, as JSON."""
    asker = models.CharField(max_length=40)
    """Address that asked first, hashed. Positions of one asker are played one at a time."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    # The job: see the rules in jobs.py
    state = models.CharField(max_length=8, choices=PositionState, default=PositionState.OPEN)
    held_until = models.DateTimeField(null=True, blank=True)
    """Until when a worker has claimed it. None if no worker plays it."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Number of claims since the last game that ended by a fault, or by the silence of a worker."""
    games = models.PositiveSmallIntegerField(default=0)
    """Number of games in `results`."""
    processor_ms = models.PositiveIntegerField(default=0)
    """Processor time of all games, in milliseconds."""
    results = models.JSONField(default=list)
    """Points and ranks of all seats in each game: `[[[70, 52], [1, 2]], …]`."""

    class Meta:
        verbose_name_plural = "position games"
        constraints = [
            models.CheckConstraint(condition=Q(state__in=PositionState.values), name="position_state_known"),
            models.CheckConstraint(
                condition=(Q(state="OPEN") & Q(ended_at=None))
                | (~Q(state="OPEN") & Q(ended_at__isnull=False) & Q(held_until=None)),
                name="position_ends_once",
            ),
            models.CheckConstraint(condition=Q(games__lte=GAMES), name="position_has_no_more_games"),
            models.CheckConstraint(condition=~Q(state="DONE") | Q(games__gt=0), name="position_done_has_games"),
            models.UniqueConstraint(
                fields=["asker"], condition=Q(held_until__isnull=False), name="position_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state="OPEN"), name="position_open"),
            models.Index(fields=["asker", "created_at"], name="position_of_asker"),
            models.Index(fields=["created_at"], name="position_created"),
        ]

    def __str__(self) -> str:
        return self.key
