"""Tables of matches: rows, seats, secrets, logs, records, the public log of offers, and what spectators see."""

from typing import Any, NoReturn

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.bots.models import BotVersion
from webui.ladders.models import Ladder

MAX_SEATS = 5


class MatchState(models.TextChoices):
    """Where a match is in its life: SCHEDULED ⇄ RUNNING, RUNNING → FINISHED | ABORTED | VOID, SCHEDULED → VOID."""

    SCHEDULED = "SCHEDULED"
    """Waits for a worker; nobody owns it. It may have a log already, which its next owner continues."""
    RUNNING = "RUNNING"
    """A worker owns it until its lease expires."""
    FINISHED = "FINISHED"
    """Played to a result that was verified against the rules."""
    ABORTED = "ABORTED"
    """Never began: a bot declined it or did not answer the offer."""
    VOID = "VOID"
    """Ended without a result: every seat forfeited, or the arena could not go on with it."""


class LogForm(models.TextChoices):
    """Where the log of a match is."""

    ROWS = "ROWS"
    """In `LogRow`."""
    PACKED = "PACKED"
    """In `PackedLog`: the match has ended, and its record was proved."""
    KEPT = "KEPT"
    """In `LogRow`, and it stays there: its record could not be proved, or its log is not whole. The doctor says why."""


ENDED = (MatchState.FINISHED, MatchState.ABORTED, MatchState.VOID)
_HAS_ENDED = Q(state__in=[str(state) for state in ENDED])
_IS_OWNED = ~Q(owner="") & Q(lease_expires_at__isnull=False)
_IS_FREE = Q(owner="", lease_expires_at__isnull=True)


class Match(models.Model):
    """One game between bots. The row says who may write its log; the log says all the rest."""

    id = models.CharField(primary_key=True, max_length=32)
    state = models.CharField(max_length=12, choices=MatchState, default=MatchState.SCHEDULED)

    # What is agreed before it begins
    rules = models.CharField(max_length=40)
    """The version of the rules it is played by."""
    ruleset = models.JSONField()
    clock = models.JSONField()
    policy = models.JSONField()
    commitment = models.CharField(max_length=64)
    """Hash of the server's secret, published before any bot gives its nonce."""
    rated = models.BooleanField()
    ladder = models.ForeignKey(Ladder, null=True, blank=True, on_delete=models.PROTECT, related_name="matches")
    """The ladder that it counts for; none for an unrated match."""
    replaces = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by")
    """The match that the arena could not finish and that is played again here, from a new seed."""

    # Who may write: see "Ownership" in actions
    owner = models.CharField(max_length=64, blank=True, default="")
    """A fresh id for each run of the task that plays it; empty while nobody does."""
    epoch = models.PositiveIntegerField(default=0)
    """How many owners it has had. Every write names it, so that a former owner's writes miss."""
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    """By the database's clock."""
    length = models.PositiveIntegerField(default=0)
    """Number of log entries."""
    attempts = models.PositiveIntegerField(default=0)
    """Owners who took it since the log last grew and did not hand it back."""

    # Times
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    waits_since = models.DateTimeField(db_default=Now(), editable=False)
    """Since when it waits for a worker, while SCHEDULED."""
    rung_at = models.DateTimeField(null=True, blank=True)
    """When the workers were last told of it again."""
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    # How it ended
    ladder_number = models.PositiveIntegerField(null=True, blank=True)
    """Its place in the ladder's order of finishes: 1, 2, 3 … without a gap."""
    verdict = models.JSONField(null=True, blank=True)
    """How it ended for the arena."""
    reason = models.CharField(max_length=200, blank=True, default="")
    """Why it was aborted or voided."""
    server_seed = models.CharField(max_length=64, blank=True, default="")
    """Revealed when it has ended; empty before."""
    log_form = models.CharField(max_length=8, choices=LogForm, default=LogForm.ROWS, db_default=LogForm.ROWS)
    """Where its log is."""
    story_version = models.PositiveSmallIntegerField(null=True, blank=True)
    """The version of the evaluator that made its story, or found that none can be made; None: not yet."""

    class Meta:
        verbose_name_plural = "matches"
        constraints = [
            models.CheckConstraint(condition=Q(state__in=MatchState.values), name="match_state_known"),
            models.CheckConstraint(
                condition=(Q(state="RUNNING") & _IS_OWNED) | (~Q(state="RUNNING") & _IS_FREE),
                name="match_owned_when_running",
            ),
            models.CheckConstraint(
                condition=(_HAS_ENDED & Q(finished_at__isnull=False))
                | (~_HAS_ENDED & Q(finished_at__isnull=True, verdict__isnull=True, server_seed="")),
                name="match_seed_and_verdict_at_end",
            ),
            models.CheckConstraint(
                condition=Q(rated=True, ladder__isnull=False) | Q(rated=False, ladder__isnull=True),
                name="match_rated_on_ladder",
            ),
            models.CheckConstraint(
                condition=Q(state="FINISHED", rated=True, ladder_number__isnull=False)
                | (~Q(state="FINISHED", rated=True) & Q(ladder_number__isnull=True)),
                name="match_number_when_rated_finish",
            ),
            models.UniqueConstraint(fields=["ladder", "ladder_number"], name="match_number_once_a_ladder"),
        ]
        indexes = [
            # None names `lease_expires_at`, `length` or `attempts`, which change with every decision: where nothing
            # that is indexed changes, PostgreSQL changes a row in its place, and no index.
            models.Index(fields=["state", "waits_since"], name="match_by_wait"),
            models.Index(fields=["-finished_at"], name="match_by_finish"),
            models.Index(fields=["state", "finished_at", "id"], name="match_by_state_and_finish"),
            models.Index(fields=["-created_at", "-id"], name="match_newest"),
            models.Index(fields=["state", "-created_at", "-id"], name="match_newest_by_state"),
            models.Index(fields=["ladder", "-created_at", "-id"], name="match_newest_by_ladder"),
            # What is rare is not looked for among all others.
            models.Index(
                fields=["ladder", "-created_at", "-id"],
                name="match_void_by_ladder",
                condition=Q(state__in=["VOID", "ABORTED"]),
            ),
            models.Index(fields=["-created_at", "-id"], name="match_unrated", condition=Q(rated=False)),
            models.Index(
                fields=["finished_at"],
                name="match_log_to_pack",
                condition=Q(log_form="ROWS", finished_at__isnull=False),
            ),
            models.Index(
                fields=["rules", "-finished_at"],
                name="match_without_story",
                condition=Q(state="FINISHED", story_version__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.id


class MatchSecret(models.Model):
    """What nobody may see before the match has ended. A table of its own, so that no page can show it by accident."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="secret")
    server_seed = models.CharField(max_length=64)
    deal = models.CharField(max_length=64, blank=True, default="")
    """Seed of the set-up where several matches share one; else empty."""


class Participant(models.Model):
    """A bot version at a seat of a match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="participants")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="participations")
    placement = models.PositiveSmallIntegerField(null=True, blank=True)
    """1 is best, for the arena: seats that forfeited stand below all others."""
    rank = models.PositiveSmallIntegerField(null=True, blank=True)
    """1 is best, by the game's scores."""
    score = models.IntegerField(null=True, blank=True)
    first_bid = models.PositiveSmallIntegerField(null=True, blank=True)
    """Its place in the first bidding, from 1 (with two players that of its first marker); None: the match has no
    result, or ended before this was written down."""
    rating = models.SmallIntegerField(null=True, blank=True)
    """The points that the version had on the match's ladder when the match was made, as published; None: none, or
    nobody wrote that down yet."""
    rating_low = models.SmallIntegerField(null=True, blank=True)
    rating_high = models.SmallIntegerField(null=True, blank=True)
    """The 95 % interval."""
    forfeited_at = models.PositiveIntegerField(null=True, blank=True)
    """Index at which the seat forfeited."""
    forfeit_reason = models.CharField(max_length=40, blank=True, default="")
    has_declined = models.BooleanField(default=False)
    """The match was aborted because this seat declined it or did not answer the offer."""

    class Meta:
        ordering = ["match", "seat"]
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="participant_once_a_seat"),
            models.UniqueConstraint(fields=["match", "version"], name="participant_once_a_match"),
            models.CheckConstraint(condition=Q(seat__gte=1, seat__lte=MAX_SEATS), name="participant_seat_exists"),
            models.CheckConstraint(
                condition=Q(placement__isnull=True) | Q(placement__gte=1, placement__lte=MAX_SEATS),
                name="participant_placement_exists",
            ),
        ]
        indexes = [
            models.Index(fields=["version", "-id"], name="participant_newest"),
            models.Index(fields=["version"], name="participant_declined", condition=Q(has_declined=True)),
            models.Index(fields=["-id"], name="participant_forfeited", condition=~Q(forfeit_reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.seat}"


class LogRow(models.Model):
    """One entry of a match's log. Written once, never changed; deleted when the log is packed."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="log", db_index=False)
    number = models.PositiveIntegerField()
    """From 0, without a gap, over all kinds."""
    epoch = models.PositiveIntegerField()
    """Which owner wrote it."""
    kind = models.CharField(max_length=16)
    seat = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    data = models.JSONField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="log_number_once_a_match"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.number} {self.kind} {self.text}"


class PackedLog(models.Model):
    """The whole log of a match that has ended and was proved, instead of its rows (`packed_logs.py`)."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="packed_log")
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.match_id}"


class SpectatorRow(models.Model):
    """A step of a running match as spectators may see it: all that the site can read of it. Deleted when it ends."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="spectator_rows", db_index=False)
    ply = models.PositiveIntegerField()
    """0: the set-up; else how many decisions there were, with this one."""
    index = models.PositiveIntegerField()
    """Of the decision, among the events of the game."""
    seat = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    chance = models.JSONField()
    """The texts of what was drawn after it."""
    view = models.BinaryField()
    """After all that: the message `GameView` of seat 0."""
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["match", "ply"]
        constraints = [models.UniqueConstraint(fields=["match", "ply"], name="spectator_ply_once_a_match")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.ply} {self.text}"


class SigningKey(models.Model):
    """A public key whose private half has signed records. Never deleted: what it signed is checked with it for ever."""

    id = models.CharField(primary_key=True, max_length=16)
    """Its name (`arena.host.signing.key_id`)."""
    public_key = models.CharField(max_length=64, unique=True)
    """Ed25519, in hex."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    """When it was first used."""

    def __str__(self) -> str:
        return self.id


class MatchRecord(models.Model):
    """The published replay of a match that has ended: the document of notation.md, signed, as JSON in gzip."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="record")
    packed = models.BinaryField()
    """Empty if it is in the store."""
    sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    """Of what is in the store (`record_store.py`), in hex; empty: it is here."""


class OfferQuerySet(models.QuerySet["OfferEntry"]):
    """Entries are added and read."""

    def update(self, **fields: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")

    def delete(self) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")


class OfferEntry(models.Model):
    """A match as it was offered, signed. Append-only: triggers of the database refuse every change."""

    number = models.PositiveIntegerField(primary_key=True)
    """From 1, without a gap."""
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="offer")
    document = models.TextField()
    """Canonical JSON (`arena.referee.offers`): the bytes that are signed, and whose hash the next entry names."""
    key = models.CharField(max_length=16)
    """The name of the key."""
    signature = models.CharField(max_length=128)
    """Ed25519, in hex."""

    objects = OfferQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "offer entries"
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="offer_number_from_1")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; an entry that exists is never changed."""
        if not self._state.adding:
            raise TypeError("the log of offers is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")

    def __str__(self) -> str:
        return f"{self.number} {self.match_id}"


class OfferHead(models.Model):
    """Where the log of offers ends: the one row that whoever appends to it locks."""

    length = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64)
    """The hash of the last document."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="offer_head_once")]

    def __str__(self) -> str:
        return f"{self.length} {self.digest}"
