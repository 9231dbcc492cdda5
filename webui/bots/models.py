"""Tables of bots, their versions, and the tokens with which they sign in."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import Token, User


class BotState(models.TextChoices):
    """The state of a bot, which says whether the matchmaker uses it.

    Its owner switches between PAUSED and ACTIVE. Staff set LOCKED.
    """

    ACTIVE = "ACTIVE"
    """Playing whenever it is online."""
    PAUSED = "PAUSED"
    """Connected and known, but given no new matches."""
    LOCKED = "LOCKED"
    """Paused by staff. Only they can end it."""


class Bot(models.Model):
    """A program that plays, under one name for all its versions."""

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="bots")
    name = models.CharField(max_length=40)
    slug = models.SlugField(max_length=40, unique=True)
    """Name in addresses. Names that differ only in case or punctuation have the same one."""
    skeleton = models.CharField(max_length=400, unique=True, editable=False, db_column="look")
    """Skeleton of the name (`names.skeleton_of`), as for users."""
    description = models.TextField(max_length=500, blank=True)
    state = models.CharField(max_length=8, choices=BotState, default=BotState.ACTIVE)
    retired_at = models.DateTimeField(null=True, blank=True)
    """Time when its owner retired it. It is then inactive, and lists leave it out. None if it has not retired."""
    is_house = models.BooleanField(default=False)
    """Whether it is a bot of the arena itself. Two of these may meet at one table."""
    is_hosted = models.BooleanField(default=False, db_default=False)
    """Whether the arena runs it: one of its hosted versions (`webui.hosting`) plays its new matches."""
    is_person = models.BooleanField(default=False, db_default=False)
    """Whether it is no program but a person, who answers in the browser (`webui.people`). It is in no list of bots."""
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
    """One version of a bot.

    Its name never changes. Ratings belong to the version, so a changed program must be another version.
    """

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    name = models.CharField(max_length=40)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    note = models.TextField(max_length=500, null=True, blank=True)
    """Public note of its author. None if there is none."""
    is_ready = models.BooleanField(default=False, db_default=False)
    """Whether it was released and has not said hello yet."""
    is_hosted = models.BooleanField(default=False, db_default=False)
    """Whether runners play it (`webui.hosting`). House versions may also dial in; others then cannot."""
    retired_at = models.DateTimeField(null=True, blank=True)
    """Time when it retired. It then plays no more matches, and lists leave it out. None if it has not retired."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "name"], name="version_once_a_bot"),
            models.CheckConstraint(condition=~Q(name=""), name="version_has_name"),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the version. Actions change only the note and the state of an existing version."""
        if not self._state.adding:
            raise TypeError("a bot version is immutable: register another one")
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.bot} {self.name}"


class BotToken(Token):
    """A token with which a bot connects. Its scope is `play`."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="tokens")
