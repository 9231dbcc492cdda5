"""Table of the turns of jobs that any process may do."""

from django.db import models


class Turn(models.Model):
    """When a job is due that any process may do: a periodic task, or a sweep (`webui.core.turns`)."""

    name = models.CharField(max_length=40, primary_key=True)
    number = models.PositiveBigIntegerField(default=0)
    """Number of turns that were taken. If several processes see the same number, only one of them takes the turn."""
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
