"""Ratings for pairing: what each finish did to them, and where they stand. What is published is in `published.py`."""

from django.db import models
from django.db.models import F, Q, Value

from webui.ladder.models.bots import BotVersion
from webui.ladder.models.ladders import Ladder
from webui.ladder.models.matches import Match

TREND = 30
"""The trend that a ladder shows covers this many fits."""


class RatingEntry(models.Model):
    """What one rated finish did to the rating of one bot version. Append-only; the sum of a ladder's past."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    """The match's place in the ladder's order of finishes."""
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rating_entries")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="rating_entries")
    placement = models.PositiveSmallIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        ordering = ["ladder", "number", "seat"]
        verbose_name_plural = "rating entries"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "number", "seat"], name="entry_once_a_seat"),
            models.UniqueConstraint(fields=["match", "seat"], name="entry_once_a_match"),
            models.CheckConstraint(condition=Q(number__gte=1), name="entry_number_from_one"),
            models.CheckConstraint(condition=Q(sigma__gt=0, sigma_before__gt=0), name="entry_sigma_positive"),
        ]
        indexes = [models.Index(fields=["ladder", "version", "-number"], name="entry_of_version")]


class Standing(models.Model):
    """Where a bot version stands on a ladder now: its last rating entry, kept ready for the page and the matchmaker."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="standings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="standings")
    mu = models.FloatField()
    sigma = models.FloatField()
    games = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    """The finish that it follows from."""
    wins = models.PositiveIntegerField(db_default=0)
    """In how many of the games it came first, alone or with others."""
    seats = models.JSONField(default=list, db_default=Value([], models.JSONField()))
    """How many games it played in each seat, seat 1 first, since the arena counts them here; empty before."""
    trend = models.JSONField(default=list, db_default=Value([], models.JSONField()))
    """No longer used; it goes with the next release."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version"], name="standing_once_a_version"),
            models.CheckConstraint(condition=Q(games__gte=1), name="standing_has_played"),
        ]
        indexes = [models.Index(F("ladder"), F("mu").desc(), name="standing_by_mu")]
