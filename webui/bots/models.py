"""Tables of bots, their versions, and the tokens with which they sign in."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import Token, User


class BotState(models.TextChoices):
    """Whether the matchmaker uses a bot: PAUSED ⇄ ACTIVE by its owner, LOCKED by staff."""

    ACTIVE = "ACTIVE"
    """Plays whenever it is online."""
    PAUSED = "PAUSED"
    """Stays connected and known, and is given no new matches."""
    LOCKED = "LOCKED"
    """As PAUSED, by staff, who alone end it."""


class Bot(models.Model):
    """A program that plays, known by one name over all its versions."""

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="bots")
    name = models.CharField(max_length=40)
    slug = models.SlugField(max_length=40, unique=True)
    """The name in addresses; two names that differ in case or punctuation alone are one name."""
    look = models.CharField(max_length=400, unique=True, editable=False)
    """Skeleton of the name (`names.look`), as for users."""
    description = models.TextField(max_length=500, blank=True)
    state = models.CharField(max_length=8, choices=BotState, default=BotState.ACTIVE)
    retired_at = models.DateTimeField(null=True, blank=True)
    """Its owner has done with it: it is not active, and lists leave it out. None: it has not retired."""
    is_house = models.BooleanField(default=False)
    """A bot of the arena itself: two of them may meet at one table."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="bot_name_once"),
            models.CheckConstraint(condition=Q(state__in=BotState.values), name="bot_state_known"),
            models.CheckConstraint(condition=~Q(slug=""), name="bot_has_slug"),
            models.CheckConstraint(
                condition=Q(retired_at=None) | ~Q(state=BotState.ACTIVE), name="bot_retired_is_inactive"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class BotVersion(models.Model):
    """One version of a bot. Its name is for ever: ratings belong to it, so a changed program is another version."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    name = models.CharField(max_length=40)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    note = models.TextField(max_length=500, null=True, blank=True)
    """What its author says of it, to everybody; None: nothing."""
    is_ready = models.BooleanField(default=False, db_default=False)
    """It was released, and has not said hello yet."""
    retired_at = models.DateTimeField(null=True, blank=True)
    """It plays no more matches, and lists leave it out. None: it has not retired."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "name"], name="version_once_a_bot"),
            models.CheckConstraint(condition=~Q(name=""), name="version_has_name"),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; of a version that exists actions change the note and the state alone."""
        if not self._state.adding:
            raise TypeError("a bot version is immutable: register another one")
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.bot} {self.name}"


class BotToken(Token):
    """What a bot shows when it dials in; its scope is `play`."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="tokens")
