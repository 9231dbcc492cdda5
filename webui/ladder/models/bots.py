"""Users, their bots, and the versions of those."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.ladder.names import look


class User(AbstractUser):
    """A person who signs in; as the owner of bots, an `owner`."""

    look = models.CharField(max_length=400, unique=True, editable=False)
    """Skeleton of the name (`names.look`): two users never have names that a reader takes for each other."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user and the look of the name. The library of sign-in creates users, too."""
        self.look = look(self.username)
        if (fields := kwargs.get("update_fields")) is not None and "username" in fields:
            kwargs["update_fields"] = {*fields, "look"}
        super().save(*args, **kwargs)


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


class Exclusion(models.Model):
    """A version that plays no rated matches, because it is new or forfeited one after the other, until it has played
    an unrated match without a fault (`webui.ladder.actions.examinations`)."""

    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="exclusions")
    matches = models.JSONField()
    """The ids of the matches that it forfeited, the latest first; none: it is new."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """When the examination was asked for that has not ended yet: by its owner, or because it is new."""
    examination = models.OneToOneField(
        "Match", null=True, blank=True, on_delete=models.SET_NULL, related_name="examination"
    )
    """The latest one."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version"], condition=Q(ended_at=None), name="exclusion_once_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.at}"
