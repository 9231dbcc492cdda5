"""Tables of events: their facts, their entrants, and the matches played for them.

A row of `EventRow` decides who may append facts, through its length. It also repeats what lists show. Everything else
is computed from the facts by `arena.events`.
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
    """An event. Facts are appended by whoever updates `length` by compare-and-set."""

    slug = models.SlugField(max_length=60, unique=True)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="events")
    """The organiser."""
    helpers = models.ManyToManyField(User, related_name="helps_with", blank=True)
    """Co-organisers. They have all rights of the organiser, except to hand the event over."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    length = models.PositiveIntegerField(default=0)
    """Number of facts."""

    # Derived from the facts, for lists and for the advancer
    name = models.CharField(max_length=80)
    state = models.CharField(max_length=12, choices=_STATES, default=str(EventState.DRAFT))
    format = models.CharField(max_length=20)
    players = models.PositiveSmallIntegerField()
    entrants = models.PositiveIntegerField(default=0)
    """Number of entrants who are in the event."""
    rounds = models.PositiveIntegerField(default=0)
    hidden = models.BooleanField(default=False)
    """Whether results of rounds after `revealed` are shown only to organisers."""
    revealed = models.PositiveIntegerField(default=0)

    # Requests to the advancer, which alone knows seeds
    asked = models.CharField(max_length=10, blank=True, default="")
    """Pending request: `publish`, `cancel` or nothing."""
    asked_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    asked_why = models.CharField(max_length=500, blank=True, default="")
    advanced_at = models.DateTimeField(null=True, blank=True)
    """Time of the advancer's last step. Absences are not counted over a period without steps."""

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
    """The seed of an event before its end. It has its own table, so that no page can show it by accident."""

    event = models.OneToOneField(EventRow, primary_key=True, on_delete=models.CASCADE, related_name="secret")
    seed = models.CharField(max_length=64)


class FactRow(models.Model):
    """A fact of an event. It is written once and never changed."""

    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="facts")
    number = models.PositiveIntegerField()
    """Number of the fact in its event, from 0, without gaps."""
    kind = models.CharField(max_length=16)
    data = models.JSONField()
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """User who caused the fact. None: the arena itself, or the operator at the command line."""
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
    """Number of the entrant."""
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="entries")
    is_in = models.BooleanField(default=True)
    """False once the bot has left or was disqualified."""
    away_since = models.DateTimeField(null=True, blank=True)
    """Time since which a table waits for the bot while it is not online."""
    is_awaited = models.BooleanField(default=False)
    """Whether a game of the event waits for a free place of the bot. The ladder gives it no new matches in the
    meantime."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="entrant_number_once_an_event"),
            models.UniqueConstraint(fields=["event", "bot"], condition=Q(is_in=True), name="entrant_once_an_event"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.number}"


class EventMatch(models.Model):
    """A match of an event. A game whose matches were aborted or void has several; the last one counts."""

    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="matches")
    round = models.PositiveIntegerField()
    table = models.PositiveIntegerField()
    game = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField()
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="event_match")
    absent = models.JSONField(default=list)
    """Entrants who are replaced by a bot of the house."""
    tries = models.PositiveSmallIntegerField(default=1)
    """Number of the match among those of this attempt at the game, from 1."""
    is_counted = models.BooleanField(default=False)
    """Whether its result is a fact."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "round", "table", "game", "attempt", "tries"], name="event_match_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.round}.{self.table}.{self.game}"
