"""Events: their facts, who has entered, and which matches are played for them.

A row of `EventRow` says who may append facts (its length) and repeats what lists show; everything else follows from the
facts, through `arena.events`.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from arena.events import EventState
from webui.accounts.models import User
from webui.bots.models import Bot
from webui.matches.models import Match

_STATES = [(str(state), str(state)) for state in EventState]


class EventRow(models.Model):
    """An event. The facts are appended by whoever moves `length` by compare-and-set."""

    slug = models.SlugField(max_length=60, unique=True)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="events")
    """The organiser."""
    helpers = models.ManyToManyField(User, related_name="helps_with", blank=True)
    """Co-organisers: they may do what the organiser may, except hand the event over."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    length = models.PositiveIntegerField(default=0)
    """Number of facts."""

    # What follows from the facts, for lists and for the advancer
    name = models.CharField(max_length=80)
    state = models.CharField(max_length=12, choices=_STATES, default=str(EventState.DRAFT))
    format = models.CharField(max_length=20)
    players = models.PositiveSmallIntegerField()
    entrants = models.PositiveIntegerField(default=0)
    """Those who are in it."""
    rounds = models.PositiveIntegerField(default=0)
    hidden = models.BooleanField(default=False)
    """Results of rounds after `revealed` are shown to organisers alone."""
    revealed = models.PositiveIntegerField(default=0)

    # What is asked of the advancer, which alone knows seeds
    asked = models.CharField(max_length=10, blank=True, default="")
    """`publish`, `cancel` or nothing."""
    asked_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    asked_why = models.CharField(max_length=500, blank=True, default="")
    advanced_at = models.DateTimeField(null=True, blank=True)
    """When the advancer last looked; absences are not counted over a time in which it did not."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=[state for state, _ in _STATES]), name="event_state_known"),
            models.CheckConstraint(condition=Q(asked__in=["", "publish", "cancel"]), name="event_asked_known"),
            models.CheckConstraint(condition=~Q(slug=""), name="event_has_slug"),
        ]
        indexes = [models.Index(fields=["state", "-created_at"], name="event_newest_by_state")]

    def __str__(self) -> str:
        return self.name


class EventSecret(models.Model):
    """The seed of an event before its end. A table of its own, so that no page can show it by accident."""

    event = models.OneToOneField(EventRow, primary_key=True, on_delete=models.CASCADE, related_name="secret")
    seed = models.CharField(max_length=64)


class FactRow(models.Model):
    """A fact of an event. Written once, never changed."""

    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="facts")
    number = models.PositiveIntegerField()
    """From 0, without a gap."""
    kind = models.CharField(max_length=16)
    data = models.JSONField()
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """None: the arena itself, or the operator at the command line."""
    why = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["event", "number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="fact_number_once_an_event")]

    def __str__(self) -> str:
        return f"{self.event_id} {self.number} {self.kind}"


class EventBot(models.Model):
    """A bot in an event."""

    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="bots")
    number = models.PositiveIntegerField()
    """The entrant's."""
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    is_in = models.BooleanField(default=True)
    """False once it has left or was disqualified."""
    away_since = models.DateTimeField(null=True, blank=True)
    """Since when a table waits for it, and it is not there."""
    is_awaited = models.BooleanField(default=False)
    """A game of the event waits until it has a free place: the ladder gives it no new matches meanwhile."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="entrant_number_once_an_event"),
            models.UniqueConstraint(fields=["event", "bot"], condition=Q(is_in=True), name="entrant_once_an_event"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.number}"


class EventMatch(models.Model):
    """A match of an event. A game whose matches were aborted or void has several, of which the last one counts."""

    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="matches")
    round = models.PositiveIntegerField()
    table = models.PositiveIntegerField()
    game = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField()
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="event_match")
    absent = models.JSONField(default=list)
    """Entrants for whom a bot of the house sits in."""
    tries = models.PositiveSmallIntegerField(default=1)
    """Which match of this game's attempt it is, from 1."""
    is_counted = models.BooleanField(default=False)
    """Its result is a fact."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "round", "table", "game", "attempt", "tries"], name="event_match_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.round}.{self.table}.{self.game}"
