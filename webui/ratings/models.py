"""Tables of ratings: entries, standings for pairing, and the published fits."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from msgspec import convert

from webui.bots.models import BotVersion
from webui.ladders.models import Ladder
from webui.matches.models import Match
from webui.ratings.values import JointParameters, LadderParameters

TREND = 30
"""Number of fits that the trend on a ladder page covers."""


class RatingEntry(models.Model):
    """The effect of one rated finish on the rating of one bot version. Append-only: the complete past of a ladder."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField()
    """Position of the match in the ladder's order of finishes."""
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
    """The current standing of a bot version on a ladder: its last rating entry, for the pages and the matchmaker."""

    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="standings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="standings")
    mu = models.FloatField()
    sigma = models.FloatField()
    games = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    """Number of the finish that produced it."""
    wins = models.PositiveIntegerField()
    """Number of games in which it came first, alone or tied."""
    seats = models.JSONField()
    """Number of games in each seat, seat 1 first."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ladder", "version"], name="standing_once_a_version"),
            models.CheckConstraint(condition=Q(games__gte=1), name="standing_has_played"),
        ]
        indexes = [models.Index(F("ladder"), F("mu").desc(), name="standing_by_mu")]


class Fit(models.Model):
    """The latest fit of a list. The row determines when the next fit is due (`webui.ratings.fitting`)."""

    ladder = models.OneToOneField(Ladder, null=True, blank=True, on_delete=models.PROTECT, related_name="fit")
    """Ladder that was fitted. None for the joint fit of all ladders of one clock."""
    clock = models.CharField(max_length=200, null=True, blank=True, unique=True)
    """Clock of a joint fit as canonical JSON."""
    finished = models.PositiveIntegerField(default=0)
    """Number of finishes that it covers."""
    made_at = models.DateTimeField(db_default=Now())
    terms = models.JSONField(default=dict)
    """Parameters fitted with the ratings: `LadderParameters`, or `JointParameters` of a joint fit."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ladder__isnull=False, clock__isnull=True) | Q(ladder__isnull=True, clock__isnull=False),
                name="fit_of_one_list",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ladder or self.clock} after {self.finished}"

    @property
    def ladder_parameters(self) -> LadderParameters:
        """Parameters of the fit of one ladder."""
        return convert(self.terms, LadderParameters)

    @property
    def joint_parameters(self) -> JointParameters:
        """Parameters of a joint fit."""
        return convert(self.terms, JointParameters)


class PublishedRating(models.Model):
    """The rating of a version by a fit. All numbers except counts are points.

    The latest row of a version is the current one. An earlier row is kept as history if the version has played since.
    """

    fit = models.ForeignKey(Fit, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="published")
    is_current = models.BooleanField()
    finished = models.PositiveIntegerField()
    """Number of finishes that the fit covered."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    points = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    """Upper bound of the 95 % interval, whose lower bound is `low`."""
    games = models.PositiveIntegerField()
    forfeits = models.PositiveIntegerField()
    """Number of those games in which it forfeited."""
    trend = models.JSONField()
    """Displayed points of its latest fits with new games, oldest first, this one last. At most `TREND` values."""

    # The fields from here on describe its position in the front view.
    rank = models.PositiveIntegerField(null=True, blank=True)
    """Rank in the front view. If the version is not in it, this and the following fields are empty."""
    best_rank = models.PositiveIntegerField(null=True, blank=True)
    worst_rank = models.PositiveIntegerField(null=True, blank=True)
    better = models.FloatField(null=True, blank=True)
    """Probability of being better than the next bot. None for the last one."""
    is_settled = models.BooleanField(default=False)
    """Whether its strength is distinguishable from that of both neighbours."""
    games_needed = models.PositiveIntegerField(null=True, blank=True)
    """Estimated number of games until it is distinguishable from the next bot. None if too many, or if it is last."""

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
