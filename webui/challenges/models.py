"""Challenges: unrated matches that owners ask for, and whose challenges a bot accepts."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.challenges.values import MOST_AT_ONCE
from webui.matches.models import MAX_SEATS, Match


class Accepts(models.TextChoices):
    """Whose challenges a bot accepts, beside those of its owner."""

    NEVER = "NEVER"
    FRIENDS = "FRIENDS"
    """Of the accounts that its owner has named."""
    ALL = "ALL"


class ChallengeTerms(models.Model):
    """What a bot's owner has set. A bot without a row accepts nobody's challenges; one of the house everybody's."""

    bot = models.OneToOneField(Bot, primary_key=True, on_delete=models.CASCADE, related_name="challenge_terms")
    accepts = models.CharField(max_length=8, choices=Accepts, default=Accepts.NEVER)
    at_once = models.PositiveSmallIntegerField(default=1)
    """Matches by challenges of others that it plays at the same time, at most."""
    friends = models.ManyToManyField(User, related_name="+", blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(accepts__in=Accepts.values), name="challenge_accepts_known"),
            models.CheckConstraint(
                condition=Q(at_once__gte=1, at_once__lte=MOST_AT_ONCE), name="challenge_at_once_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot_id} {self.accepts}"


class ChallengeState(models.TextChoices):
    """Where a challenge is: WAITING until it has one of the others, for good."""

    WAITING = "WAITING"
    """For its bots to be online, each with a free place."""
    MATCHED = "MATCHED"
    """It has a match; what came of it is the match's."""
    EXPIRED = "EXPIRED"
    WITHDRAWN = "WITHDRAWN"
    """By its owner."""
    REFUSED = "REFUSED"
    """A bot does not accept it any more, or may not play."""


class Challenge(models.Model):
    """A match that an owner asks for. Who moves `state` by compare-and-set has moved it on."""

    id = models.CharField(primary_key=True, max_length=32)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="challenges")
    ruleset = models.JSONField()
    state = models.CharField(max_length=10, choices=ChallengeState, default=ChallengeState.WAITING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    """When it got a match, or ended without one."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ChallengeState.values), name="challenge_state_known"),
            models.CheckConstraint(
                condition=Q(state="WAITING", ended_at=None) | (~Q(state="WAITING") & Q(ended_at__isnull=False)),
                name="challenge_end_known",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="challenge_waiting", condition=Q(state="WAITING")),
            models.Index(fields=["owner", "-created_at"], name="challenge_of_owner"),
        ]

    def __str__(self) -> str:
        return self.id


class ChallengeSeat(models.Model):
    """A bot at a seat of a challenge."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="+")
    version = models.ForeignKey(BotVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    """None: the newest one that is online."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["challenge", "seat"], name="challenge_seat_once"),
            models.CheckConstraint(condition=Q(seat__gte=1, seat__lte=MAX_SEATS), name="challenge_seat_exists"),
        ]

    def __str__(self) -> str:
        return f"{self.challenge_id} seat {self.seat}"


class ChallengeMatch(models.Model):
    """The match of a challenge. One that the arena could not finish has several, of which the last one counts."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="matches")
    tries = models.PositiveSmallIntegerField(default=1)
    """Which match it is, from 1."""
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="challenge_match")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["challenge", "tries"], name="challenge_match_once"),
        ]

    def __str__(self) -> str:
        return f"{self.challenge_id}.{self.tries}"
