"""Tables of statistics: sums over matches that were counted once each, records, and the progress of the count.

No row can be told apart into its matches again. A match that is deleted stays in the sums, and its records go with it.
"""

from django.db import models
from django.db.models import F, Q

from webui.bots.models import Bot
from webui.matches.models import Match


class CountProgress(models.Model):
    """The last match that was counted, in the order in which matches ended: a single row."""

    counted = models.PositiveBigIntegerField(default=0)
    """Number of matches looked at. Each step changes it by compare-and-set."""
    last_at = models.DateTimeField(null=True)
    last_id = models.CharField(max_length=32, blank=True, default="")

    class Meta:
        verbose_name_plural = "progress of the count"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="count_progress_once")]

    def __str__(self) -> str:
        return f"{self.counted}"


class HeldCount(models.Model):
    """A match whose result was hidden when its turn came. It is counted after its reveal, and the row deleted."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="held_count")

    def __str__(self) -> str:
        return self.match_id


class FigureKind(models.TextChoices):
    """The kind of thing that a figure is about."""

    PLACE = "PLACE"
    """A place in the first bidding: `key` is `1` to `5`."""
    DJINN = "DJINN"
    """A Djinn: `key` is its id, and a seat has 0 or 1 of it."""
    TILE = "TILE"
    """A kind of tile: `key` is its name, and a seat owns some number of these tiles."""
    WINNING = "WINNING"
    """Winning scores of a range of ten: `key` is its lowest score."""


class GameFigure(models.Model):
    """Sums over the seats of the counted games of one ruleset, from which means and their intervals follow.

    x is the number of the thing that a seat has at the end, and y its score.
    """

    game = models.CharField(max_length=40)
    """Name of the game (`ladders.games.game_key`)."""
    kind = models.CharField(max_length=8, choices=FigureKind)
    key = models.CharField(max_length=20)
    seats = models.PositiveBigIntegerField()
    won = models.FloatField()
    """Sum of wins. A win that n seats share is 1/n for each."""
    held = models.BigIntegerField()
    """Sum of x."""
    held_squares = models.BigIntegerField()
    total = models.BigIntegerField()
    """Sum of y."""
    squares = models.BigIntegerField()
    product = models.BigIntegerField()
    """Sum of x times y."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "kind", "key"], name="figure_once"),
            models.CheckConstraint(condition=Q(kind__in=FigureKind.values), name="figure_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.kind} {self.key}"


class BotPair(models.Model):
    """All games of two bots together. The bot with the lower id is the first one."""

    first = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="+", db_index=False)
    games = models.PositiveIntegerField()
    above = models.PositiveIntegerField()
    """Number of games in which the first bot placed above the second."""
    level = models.PositiveIntegerField()
    """Number of games in which both had the same place."""
    # The best of their games. No index finds the pairs of a match: nothing asks for them.
    closest = models.PositiveSmallIntegerField(null=True)
    """Smallest difference between their scores."""
    closest_match = models.ForeignKey(Match, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    highest = models.SmallIntegerField(null=True)
    """Highest score of one of the two."""
    highest_match = models.ForeignKey(Match, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    comeback = models.PositiveSmallIntegerField(null=True)
    """Lowest chance, in thousandths, from which one of the two still won (`webui.stories`)."""
    comeback_match = models.ForeignKey(Match, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="bot_pair_once"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="bot_pair_in_order"),
            models.CheckConstraint(condition=Q(games__gte=F("above") + F("level")), name="bot_pair_adds_up"),
        ]
        indexes = [
            models.Index(fields=["first", "-games"], name="bot_pair_by_first"),
            models.Index(fields=["second", "-games"], name="bot_pair_by_second"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"


class Meeting(models.Model):
    """The games of a pair with one ruleset, in which each of the two had one place in the first bidding."""

    pair = models.ForeignKey(BotPair, on_delete=models.CASCADE, related_name="meetings", db_index=False)
    game = models.CharField(max_length=40)
    """Name of the game (`ladders.games.game_key`)."""
    first_place = models.PositiveSmallIntegerField()
    second_place = models.PositiveSmallIntegerField()
    games = models.PositiveIntegerField()
    above = models.PositiveIntegerField()
    """Number of games in which the first bot placed above the second."""
    level = models.PositiveIntegerField()
    first_won = models.PositiveIntegerField()
    """Number of games that the first bot won, alone or shared."""
    second_won = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pair", "game", "first_place", "second_place"], name="meeting_once"),
            models.CheckConstraint(condition=Q(games__gte=F("above") + F("level")), name="meeting_adds_up"),
        ]

    def __str__(self) -> str:
        return f"{self.pair_id} {self.game} {self.first_place} {self.second_place}"


class RecordKind(models.TextChoices):
    """The kind of a record of the arena."""

    HIGHEST = "HIGHEST"
    """Highest score of a seat."""
    LOWEST_WIN = "LOWEST_WIN"
    """Lowest score that won."""
    CLOSEST = "CLOSEST"
    """Smallest difference between the first and the last score of a match."""
    LARGEST = "LARGEST"
    """Largest difference between the first and the second score of a match."""
    COMEBACK = "COMEBACK"
    """Lowest chance, in thousandths, from which a seat still won (`webui.stories`)."""
    LEADS = "LEADS"
    """Most changes of the lead."""
    LONGEST = "LONGEST"
    """Most decisions in a match."""
    DJINNS = "DJINNS"
    """Most Djinns of a seat at the end."""
    STREAK = "STREAK"
    """Most games that a bot won in a row, with any number of players."""


LOWER_IS_BETTER = frozenset({RecordKind.LOWEST_WIN, RecordKind.CLOSEST, RecordKind.COMEBACK})


class ArenaRecord(models.Model):
    """The best value of one kind in matches with one number of players. The first match that reached it keeps it."""

    kind = models.CharField(max_length=12, choices=RecordKind)
    players = models.PositiveSmallIntegerField()
    """Number of players. 0 for a record over games with any number of players."""
    value = models.IntegerField()
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+", db_index=False)
    bot = models.ForeignKey(Bot, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    """Bot that holds it. None for a record of the whole match."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "players"], name="arena_record_once"),
            models.CheckConstraint(condition=Q(kind__in=RecordKind.values), name="arena_record_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.players}: {self.value}"


class WinStreak(models.Model):
    """The number of games that a bot has won in a row until now, in the order in which they were counted."""

    bot = models.OneToOneField(Bot, primary_key=True, on_delete=models.CASCADE, related_name="win_streak")
    length = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.bot_id}: {self.length}"
