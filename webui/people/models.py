"""Tables of people at tables."""

from secrets import token_hex

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import BotVersion
from webui.matches.models import Match


class Person(models.Model):
    """A visitor who has played. The version, and its bot, stand for the person in matches.

    An account sits down as its first person. It has more if it has played as a guest meanwhile.
    """

    version = models.OneToOneField(BotVersion, primary_key=True, on_delete=models.PROTECT, related_name="person")
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="people")
    """The account. None for a guest."""
    guest = models.CharField(max_length=64, null=True, blank=True, unique=True)
    """Hash of the secret in a guest's browser. None if there is an account, or if it was erased."""
    seen_at = models.DateTimeField(db_default=Now())
    """Time when the person's browser last asked for something at a table, to within half a minute."""
    left = models.CharField(max_length=32, blank=True, default="")
    """The last match in which the person has given up or forfeited before its end."""
    rated_seat = models.BigIntegerField(null=True, blank=True)
    """Id of the newest seat of a finished match that the rating knows. None if the rating is to be computed anew."""
    nonce_key = models.CharField(max_length=64, default=token_hex)
    """Secret in hex, from which the person's nonces follow, whichever gateway speaks for the person."""
    held_by = models.CharField(max_length=64, blank=True, default="")
    """Gateway that speaks for the person. Empty if none does."""
    held_until = models.DateTimeField(null=True, blank=True)
    """Time from which another gateway may take the person."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(user=None) | Q(guest=None), name="person_guest_or_user"),
        ]
        indexes = [models.Index(fields=["seen_at"], name="person_seen_at")]

    def __str__(self) -> str:
        return f"person {self.pk}"


class PersonRating(models.Model):
    """The rating of a person against bots of the house. An account has one, which belongs to its first person."""

    person = models.OneToOneField(Person, primary_key=True, on_delete=models.CASCADE, related_name="rating")
    points = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    """Upper end of the 95 % interval, which begins at `low`."""
    games = models.PositiveIntegerField()
    """Number of games that it is based on."""

    class Meta:
        indexes = [models.Index(fields=["-points"], name="person_rating_best")]

    def __str__(self) -> str:
        return f"person {self.pk}: {self.points:.0f}"


class PersonAnswer(models.Model):
    """A decision that a person has made. It is never changed, and deleted some time after the match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="person_answers", db_index=False)
    index = models.PositiveIntegerField()
    """Index of the decision among the events of the game."""
    seat = models.PositiveSmallIntegerField()
    action = models.CharField(max_length=100)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "index"], name="person_answer_once")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.index}: {self.action}"
