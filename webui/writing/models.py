"""Table of trials: one game each of a source that somebody wrote in the page."""

from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.hosting.models import Runner


class TrialState(models.TextChoices):
    """The state of a trial: QUEUED → PLAYING → DONE or FAILED. A trial whose runner was lost is QUEUED again."""

    QUEUED = "QUEUED"
    """Waiting for a runner."""
    PLAYING = "PLAYING"
    """A runner plays it."""
    DONE = "DONE"
    """It was played, or its bot could not begin."""
    FAILED = "FAILED"
    """No runner could finish it, by no fault of the bot."""


OPEN: Final = (TrialState.QUEUED, TrialState.PLAYING)
_IS_OPEN = Q(state__in=[str(state) for state in OPEN])
_IS_LEASED = Q(leased_by__isnull=False, lease_expires_at__isnull=False)
_IS_FREE = Q(leased_by__isnull=True, lease_expires_at__isnull=True)


class Trial(models.Model):
    """One game of a source of one Python file against a house player. It is rated nowhere, and kept for a day."""

    key = models.CharField(max_length=32, unique=True)
    """Random name in its address. Whoever knows it sees the trial."""
    author = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="trials")
    """User who asked for it. None for a guest."""
    asker = models.CharField(max_length=40)
    """Account or address that asked for it, hashed. Trials of one asker are played one at a time."""
    source = models.TextField()
    opponent = models.CharField(max_length=40)
    """Name of the house player."""
    seed = models.CharField(max_length=64)
    """Seed of the server's share of the chance, in hex."""
    is_examination = models.BooleanField(default=False)
    """Whether the bot is examined as a submission, and plays no game."""
    lesson = models.PositiveSmallIntegerField(default=0)
    """Number of the lesson whose check it is. 0 for a game of one's own."""
    turn = models.PositiveIntegerField()
    """Number of trials that its asker had asked for within the hour before. Runners take the lowest turn first."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    # The job: see the rules in jobs.py
    state = models.CharField(max_length=8, choices=TrialState, default=TrialState.QUEUED)
    epoch = models.PositiveIntegerField(default=0)
    """Number of claims so far. Every write of a runner names it, so that writes of former holders change nothing."""
    leased_by = models.ForeignKey(Runner, null=True, blank=True, on_delete=models.PROTECT, related_name="trials")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    claim_key = models.CharField(max_length=40, blank=True, default="")
    """Key of the call that made the latest claim. The same call, sent again, gets that claim."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Number of claims that ended by a fault of the arena."""
    decisions = models.PositiveIntegerField(default=0)
    """Number of decisions that the game has reached."""

    # Its end (`arena.hosting.messages.TrialOutcome`)
    replay = models.TextField(blank=True, default="")
    """Replay document of the game as JSON. Empty if the game did not begin."""
    outcome = models.TextField(blank=True, default="")
    """The rest of the outcome as JSON."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=TrialState.values), name="trial_state_known"),
            models.CheckConstraint(
                condition=(_IS_OPEN & Q(ended_at=None)) | (~_IS_OPEN & Q(ended_at__isnull=False)),
                name="trial_ends_once",
            ),
            models.CheckConstraint(
                condition=(_IS_LEASED & Q(state="PLAYING")) | (_IS_FREE & ~Q(state="PLAYING")),
                name="trial_leased_while_played",
            ),
            models.CheckConstraint(
                condition=Q(state="DONE") & ~Q(outcome="") | ~Q(state="DONE") & Q(outcome=""),
                name="trial_outcome_if_done",
            ),
            models.UniqueConstraint(fields=["asker"], condition=Q(state="PLAYING"), name="trial_one_at_a_time"),
        ]
        indexes = [
            models.Index(fields=["turn", "id"], condition=Q(state="QUEUED"), name="trial_queue"),
            models.Index(fields=["asker", "created_at"], name="trial_of_asker"),
            models.Index(fields=["created_at"], name="trial_created"),
        ]

    def __str__(self) -> str:
        return self.key


class PassedLesson(models.Model):
    """A lesson that a user has passed."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passed_lessons")
    lesson = models.PositiveSmallIntegerField()
    passed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "lesson"], name="lesson_passed_once")]

    def __str__(self) -> str:
        return f"lesson {self.lesson} of user {self.user_id}"
