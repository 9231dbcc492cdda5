"""Tables of matches: rows, seats, secrets, logs, records, the public log of offers, and what spectators see."""

from typing import Any, NoReturn

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from arena.referee import Policy
from webui.bots.models import BotVersion
from webui.ladders.models import ClockField, DocumentField, Ladder, RulesetField

MAX_SEATS = 5


class MatchState(models.TextChoices):
    """The state of a match: SCHEDULED ⇄ RUNNING, RUNNING → FINISHED | ABORTED | VOID, SCHEDULED → VOID."""

    SCHEDULED = "SCHEDULED"
    """Waiting for a worker, and owned by nobody. It may already have a log, which the next owner continues."""
    RUNNING = "RUNNING"
    """Owned by a worker until its lease expires."""
    FINISHED = "FINISHED"
    """Played to a result that was verified against the rules."""
    ABORTED = "ABORTED"
    """Never begun: a bot declined the offer or did not answer it."""
    VOID = "VOID"
    """Ended without a result: every seat forfeited, or the arena could not continue the match."""


class LogForm(models.TextChoices):
    """The form in which the log of a match is stored."""

    ROWS = "ROWS"
    """In `LogRow`."""
    PACKED = "PACKED"
    """In `PackedLog`. The match has ended, and its record was verified."""
    KEPT = "KEPT"
    """In `LogRow` permanently: the record could not be verified, or the log has gaps. The doctor reports the reason."""


ENDED = (MatchState.FINISHED, MatchState.ABORTED, MatchState.VOID)
_HAS_ENDED = Q(state__in=[str(state) for state in ENDED])
_IS_OWNED = ~Q(owner="") & Q(lease_expires_at__isnull=False)
_IS_FREE = Q(owner="", lease_expires_at__isnull=True)


class PolicyField(DocumentField):
    """The policy of a match."""

    _pyi_private_set_type: Policy
    _pyi_private_get_type: Policy

    def parse(self, document: Any) -> Policy:
        """Return the policy of a document."""
        return Policy.parse(document)


class Match(models.Model):
    """One game between bots. The row says who may write its log; the log contains the game."""

    id = models.CharField(primary_key=True, max_length=32)
    state = models.CharField(max_length=12, choices=MatchState, default=MatchState.SCHEDULED)

    # Terms agreed before the match begins
    rules = models.CharField(max_length=40)
    """Version of the rules by which it is played."""
    ruleset = RulesetField()
    clock = ClockField()
    policy = PolicyField()
    commitment = models.CharField(max_length=64)
    """Hash of the server's secret, published before any bot sends its nonce."""
    rated = models.BooleanField()
    ladder = models.ForeignKey(Ladder, null=True, blank=True, on_delete=models.PROTECT, related_name="matches")
    """Ladder that the match counts for. None for an unrated match."""
    replaces = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replaced_by")
    """Match that the arena could not finish, and that this one repeats with a new seed."""

    # Ownership: see the rules in ownership.py
    owner = models.CharField(max_length=64, blank=True, default="")
    """Id of the run of the task that plays the match. Each run has a new id. Empty if nobody plays it."""
    epoch = models.PositiveIntegerField(default=0)
    """Number of owners so far. Every write names it, so that writes of former owners change nothing."""
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    """End of the lease, by the database's clock."""
    length = models.PositiveIntegerField(default=0)
    """Number of log entries."""

    # Times
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    waits_since = models.DateTimeField(db_default=Now(), editable=False)
    """Time since which it waits for a worker, while SCHEDULED."""
    rung_at = models.DateTimeField(null=True, blank=True)
    """Time when its task was last sent again."""
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    # The ending
    ladder_number = models.PositiveIntegerField(null=True, blank=True)
    """Position in the ladder's order of finishes: 1, 2, 3 … without a gap."""
    verdict = models.JSONField(null=True, blank=True)
    """Outcome for the arena."""
    reason = models.CharField(max_length=200, blank=True, default="")
    """Reason why it was aborted or voided."""
    server_seed = models.CharField(max_length=64, blank=True, default="")
    """Seed, revealed when the match has ended. Empty until then."""
    log_form = models.CharField(max_length=8, choices=LogForm, default=LogForm.ROWS, db_default=LogForm.ROWS)
    """Form in which its log is stored."""
    story_version = models.PositiveSmallIntegerField(null=True, blank=True)
    """Version of the evaluator that made its story, or found that none can be made. None until then."""

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
            # No index contains `lease_expires_at` or `length`, which change with every decision. An update that
            # changes no indexed column lets PostgreSQL leave all indexes alone.
            models.Index(fields=["state", "waits_since"], name="match_by_wait"),
            models.Index(fields=["-finished_at"], name="match_by_finish"),
            models.Index(fields=["state", "finished_at", "id"], name="match_by_state_and_finish"),
            models.Index(fields=["-created_at", "-id"], name="match_newest"),
            models.Index(fields=["state", "-created_at", "-id"], name="match_newest_by_state"),
            models.Index(fields=["ladder", "-created_at", "-id"], name="match_newest_by_ladder"),
            # Partial indexes find rare matches without a scan of all others.
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
    """Values that nobody may see before the match has ended.

    They are in a separate table, so that no page can show them by accident.
    """

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="secret")
    server_seed = models.CharField(max_length=64)
    deal = models.CharField(max_length=64, blank=True, default="")
    """Seed of the set-up, if several matches share one. Empty otherwise."""


class Participant(models.Model):
    """A bot version at a seat of a match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="participants")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="participations")
    placement = models.PositiveSmallIntegerField(null=True, blank=True)
    """Place for the arena, from 1 (best). Seats that forfeited are placed below all others."""
    rank = models.PositiveSmallIntegerField(null=True, blank=True)
    """Rank by the game's scores, from 1 (best)."""
    score = models.IntegerField(null=True, blank=True)
    first_bid = models.PositiveSmallIntegerField(null=True, blank=True)
    """Place in the first bidding, from 1. With two players it is the place of the seat's first marker. None if the
    match has no result.
    """
    rating = models.SmallIntegerField(null=True, blank=True)
    """Published points of the version on the match's ladder when the match was made. None if it had no rating.
    """
    rating_low = models.SmallIntegerField(null=True, blank=True)
    rating_high = models.SmallIntegerField(null=True, blank=True)
    """Upper end of the 95 % interval, which begins at `rating_low`."""
    forfeited_at = models.PositiveIntegerField(null=True, blank=True)
    """Index of the event at which the seat forfeited."""
    forfeit_reason = models.CharField(max_length=40, blank=True, default="")
    has_declined = models.BooleanField(default=False)
    """Whether the match was aborted because this seat declined the offer or did not answer it."""
    was_absent = models.BooleanField(default=False, db_default=False)
    """Whether the match was aborted because the offer could not reach this seat: its bot was gone, leaving or full."""

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
            models.Index(fields=["version"], name="participant_absent", condition=Q(was_absent=True)),
            models.Index(fields=["-id"], name="participant_forfeited", condition=~Q(forfeit_reason="")),
        ]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.seat}"


class LogRow(models.Model):
    """One entry of a match's log. It is never changed, and is deleted when the log is packed."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="log", db_index=False)
    number = models.PositiveIntegerField()
    """Position in the log, from 0, without a gap over all kinds."""
    epoch = models.PositiveIntegerField()
    """Epoch of the owner that wrote it."""
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


class MatchFailure(models.Model):
    """A failure of a match in the hands of one owner (`failures.py`). It is never changed."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="failures", db_index=False)
    epoch = models.PositiveIntegerField()
    """Epoch of the owner."""
    length = models.PositiveIntegerField()
    """Length of the log when it failed."""
    reason = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["match", "epoch"]
        constraints = [models.UniqueConstraint(fields=["match", "epoch"], name="match_failure_once_an_epoch")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.epoch} {self.reason}"


class PackedLog(models.Model):
    """The whole log of a match that has ended and was verified. It replaces the log's rows (`packed_logs.py`)."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="packed_log")
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.match_id}"


class SpectatorRow(models.Model):
    """A step of a running match as spectators may see it. It is deleted when the match ends.

    The site can read nothing else of a running match.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="spectator_rows", db_index=False)
    ply = models.PositiveIntegerField()
    """Number of decisions so far, including this one. 0 is the set-up."""
    index = models.PositiveIntegerField()
    """Index of the decision among the events of the game."""
    seat = models.PositiveSmallIntegerField()
    text = models.TextField(blank=True)
    chance = models.JSONField()
    """Texts of the chance events that followed the decision."""
    view = models.BinaryField()
    """Message `GameView` of seat 0, after the decision and its chance events."""
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["match", "ply"]
        constraints = [models.UniqueConstraint(fields=["match", "ply"], name="spectator_ply_once_a_match")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.ply} {self.text}"


class SeatRow(models.Model):
    """A step of a running match as a seat sees it that a person plays. It is deleted when the match ends.

    The site shows it to that person alone. There are none for bots, who get their view with each request.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seat_rows", db_index=False)
    viewer = models.PositiveSmallIntegerField()
    """The seat that sees this."""
    ply = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    """The decision as the viewer sees it, who also knows what it has kept itself."""
    view = models.BinaryField()
    """Message `GameView` of the viewer, after the decision and its chance events."""

    class Meta:
        ordering = ["match", "viewer", "ply"]
        constraints = [models.UniqueConstraint(fields=["match", "viewer", "ply"], name="seat_ply_once_a_match")]

    def __str__(self) -> str:
        return f"{self.match_id} seat {self.viewer} ply {self.ply}"


class SigningKey(models.Model):
    """A public key whose private half has signed offers or records. It is never deleted, as its signatures are checked
    for ever.
    """

    id = models.CharField(primary_key=True, max_length=16)
    """Name of the key (`arena.host.signing.key_id`)."""
    public_key = models.CharField(max_length=64, unique=True)
    """Ed25519, in hex."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    """Time when it was first used."""

    def __str__(self) -> str:
        return self.id


class MatchRecord(models.Model):
    """The published replay of a match that has ended: the signed document of notation.md, as JSON in gzip."""

    match = models.OneToOneField(Match, primary_key=True, on_delete=models.CASCADE, related_name="record")
    packed = models.BinaryField()
    """The record. Empty if it is in the store."""
    sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    """Hash, in hex, of the record in the store (`record_store.py`). Empty if the record is in this row."""


class OfferQuerySet(models.QuerySet["OfferEntry"]):
    """A query set that allows only reading and adding."""

    def update(self, **fields: Any) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the log of offers is append-only")

    def delete(self) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the log of offers is append-only")


class OfferEntry(models.Model):
    """The signed offer of a match. It is append-only: triggers of the database refuse every change."""

    number = models.PositiveIntegerField(primary_key=True)
    """Position in the log of offers, from 1, without a gap."""
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="offer")
    document = models.TextField()
    """Canonical JSON (`arena.referee.offers`). These bytes are signed, and the next entry contains their hash."""
    key = models.CharField(max_length=16)
    """Name of the key."""
    signature = models.CharField(max_length=128)
    """Ed25519, in hex."""

    objects = OfferQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "offer entries"
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="offer_number_from_1")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the entry. An existing entry is never changed."""
        if not self._state.adding:
            raise TypeError("the log of offers is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the log of offers is append-only")

    def __str__(self) -> str:
        return f"{self.number} {self.match_id}"


class OfferHead(models.Model):
    """The end of the log of offers: a single row, which must be locked before an offer is appended."""

    length = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64)
    """Hash of the last document."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="offer_head_once")]

    def __str__(self) -> str:
        return f"{self.length} {self.digest}"
