"""Tables of challenges: unrated matches that owners request, and the challenges that a bot accepts."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.challenges.values import MOST_AT_ONCE
from webui.ladders.models import ClockField, RulesetField
from webui.matches.models import MAX_SEATS, Match


class Accepts(models.TextChoices):
    """Owners whose challenges a bot accepts, besides its own owner."""

    NEVER = "NEVER"
    FRIENDS = "FRIENDS"
    """The accounts that its owner has named."""
    ALL = "ALL"


class ChallengeTerms(models.Model):
    """The challenges that a bot accepts, as set by its owner. Without a row, a bot accepts nobody's challenges, and a
    bot of the house accepts everybody's."""

    bot = models.OneToOneField(Bot, primary_key=True, on_delete=models.CASCADE, related_name="challenge_terms")
    accepts = models.CharField(max_length=8, choices=Accepts, default=Accepts.NEVER)
    at_once = models.PositiveSmallIntegerField(default=1)
    """Maximum number of others' challenges that it plays at the same time."""
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
    """State of a challenge. It is WAITING at first, and each other state is final."""

    WAITING = "WAITING"
    """It waits until its bots are online, each with a free place."""
    MATCHED = "MATCHED"
    """It has a match, which has the result."""
    EXPIRED = "EXPIRED"
    WITHDRAWN = "WITHDRAWN"
    """Its owner withdrew it."""
    REFUSED = "REFUSED"
    """A bot does not accept it any more, or may not play."""


class Challenge(models.Model):
    """A match that an owner requests. Changes of `state` are made by compare-and-set."""

    id = models.CharField(primary_key=True, max_length=32)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="challenges")
    ruleset = RulesetField()
    clock = ClockField(null=True, blank=True)
    """Clock of its match. None: the usual one."""
    state = models.CharField(max_length=10, choices=ChallengeState, default=ChallengeState.WAITING)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    """Time at which it got a match, or ended without one."""

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
    """Version that must play. None: the newest one that is online."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["challenge", "seat"], name="challenge_seat_once"),
            models.CheckConstraint(condition=Q(seat__gte=1, seat__lte=MAX_SEATS), name="challenge_seat_exists"),
        ]

    def __str__(self) -> str:
        return f"{self.challenge_id} seat {self.seat}"


class ChallengeMatch(models.Model):
    """A match of a challenge. If the arena could not finish a match, there are several; the last one counts."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="matches")
    tries = models.PositiveSmallIntegerField(default=1)
    """Number of the match among those of the challenge, from 1."""
    match = models.OneToOneField(Match, on_delete=models.CASCADE, related_name="challenge_match")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["challenge", "tries"], name="challenge_match_once"),
        ]

    def __str__(self) -> str:
        return f"{self.challenge_id}.{self.tries}"
