"""Tables of ratings: entries, standings for pairing, and the published fits."""

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Now

from webui.bots.models import BotVersion
from webui.ladders.models import Ladder
from webui.matches.models import Match

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


class Fit(models.Model):
    """The latest fit of a list. The row says what is due; see `webui.ratings.fitting`."""

    ladder = models.OneToOneField(Ladder, null=True, blank=True, on_delete=models.PROTECT, related_name="fit")
    """None: of all ladders of one clock."""
    clock = models.CharField(max_length=200, null=True, blank=True, unique=True)
    """That clock as canonical JSON."""
    finished = models.PositiveIntegerField(default=0)
    """How many finishes it covers."""
    made_at = models.DateTimeField(db_default=Now())
    terms = models.JSONField(default=dict)
    """What was fitted beside the ratings: of a ladder the place terms and ties, of all together what they share."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ladder__isnull=False, clock__isnull=True) | Q(ladder__isnull=True, clock__isnull=False),
                name="fit_of_one_list",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ladder or self.clock} after {self.finished}"


class PublishedRating(models.Model):
    """The rating of a version by a fit. Of each version the latest is current; a former one is kept as its history if
    the version has played since. All numbers but the counts are points."""

    fit = models.ForeignKey(Fit, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="published")
    is_current = models.BooleanField()
    finished = models.PositiveIntegerField()
    """How many finishes the fit covered."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    points = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    """The 95 % interval."""
    games = models.PositiveIntegerField()
    forfeits = models.PositiveIntegerField()
    """Of the games, those in which it gave up its seat."""
    trend = models.JSONField()
    """Points, as shown, of its latest fits with further games: at most `TREND`, oldest first, this one last."""

    # Among the bots of the front view: of each the newest version that has played, unless it has long been idle.
    rank = models.PositiveIntegerField(null=True, blank=True)
    """None: it is not one of them, and has none of what follows."""
    best_rank = models.PositiveIntegerField(null=True, blank=True)
    worst_rank = models.PositiveIntegerField(null=True, blank=True)
    better = models.FloatField(null=True, blank=True)
    """Probability of being better than the next; the last one has none."""
    is_settled = models.BooleanField(default=False)
    """It is told apart from both neighbours."""
    games_needed = models.PositiveIntegerField(null=True, blank=True)
    """About so many more to tell it apart from the next; None: too many, or there is no next one."""

    class Meta:
        ordering = ["fit", "-points", "version"]
        constraints = [
            models.UniqueConstraint(fields=["fit", "version"], condition=Q(is_current=True), name="published_current"),
            models.UniqueConstraint(fields=["fit", "version", "finished"], name="published_once_a_fit"),
            models.CheckConstraint(condition=Q(games__gte=1, forfeits__lte=models.F("games")), name="published_games"),
            models.CheckConstraint(
                condition=Q(rank__isnull=True, best_rank__isnull=True, worst_rank__isnull=True)
                | Q(rank__gte=models.F("best_rank"), rank__lte=models.F("worst_rank")),
                name="published_rank_in_its_interval",
            ),
        ]
        indexes = [models.Index(fields=["version"], name="published_now", condition=Q(is_current=True))]

    def __str__(self) -> str:
        return f"{self.version} {self.points:.0f}"
