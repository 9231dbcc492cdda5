"""Tables of hosted bots: submissions, hosted versions, runners, and the seats that runners have played."""

from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.matches.models import Match


class Blob(models.Model):
    """The files of a submission or of an image, stored once: a canonical tar, compressed by gzip.

    A blob that no submission and no hosted version uses is deleted after a day.
    """

    sha256 = models.CharField(primary_key=True, max_length=64)
    """SHA-256 of the uncompressed tar, in hex."""
    size = models.PositiveIntegerField()
    """Number of bytes of all its parts together."""
    tar_bytes = models.PositiveIntegerField()
    """Number of bytes of the uncompressed tar."""
    key = models.CharField(max_length=100, blank=True, default="")
    """Key of its object in the store (`blob_store.py`). Empty while its parts are in the database."""
    used_at = models.DateTimeField(db_default=Now(), editable=False)
    """Time when it was last stored."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(size__gt=0), name="blob_not_empty"),
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class BlobPart(models.Model):
    """A part of a blob. Parts are small enough to be held in memory."""

    blob = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    """Number of the part in its blob, from 0."""
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["blob", "number"], name="blob_part_once")]

    def __str__(self) -> str:
        return f"{self.blob_id[:12]} {self.number}"


class BotWeights(models.Model):
    """The weights of bots of one owner: large files that several versions share.

    Two owners with equal files have a row each, so that nobody uses files of others whose hash is known. Weights that
    no kept version uses are deleted after a day.
    """

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="weights")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="weights")
    files = models.PositiveIntegerField()
    unpacked_bytes = models.PositiveIntegerField()
    used_at = models.DateTimeField(db_default=Now(), editable=False)
    """Time when they were last handed in, or a version with them."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "blob"], name="weights_once_an_owner")]

    def __str__(self) -> str:
        return f"{self.owner} {self.blob}"


class Runner(models.Model):
    """A program that builds, examines and plays hosted bots, as `arena admin runner` has registered it."""

    name = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of its token, in hex."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    seen_at = models.DateTimeField(null=True, blank=True)
    """Time of a recent call, to within `actions.SEEN_S`. None if it has never called."""
    revoked_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    """Time since which staff let it take no new seats and no new jobs."""
    cores = models.PositiveSmallIntegerField(default=0)
    """Number of cores that it gives to bots."""
    places = models.PositiveSmallIntegerField(default=0, db_default=0)
    """Number of sandboxes that it may have at the same time."""
    process = models.CharField(max_length=40, blank=True, default="", db_default="")
    """Id of its process on the bus."""
    runtime = models.TextField(blank=True, default="")
    """Its interpreters and libraries, as the JSON that it sent."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="runner_has_name"),
            models.UniqueConstraint(fields=["name"], condition=Q(revoked_at=None), name="runner_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class HostingPause(models.Model):
    """While there is such a row, no runner takes new seats and new jobs."""

    only = models.BooleanField(primary_key=True, default=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(only=True), name="hosting_paused_once")]

    def __str__(self) -> str:
        return f"since {self.at}"


class SubmissionState(models.TextChoices):
    """The state of a submission: UPLOADED → BUILDING → EXAMINING → READY; from any of the first three to FAILED or
    WITHDRAWN.
    """

    UPLOADED = "UPLOADED"
    """Waiting for a runner that builds it."""
    BUILDING = "BUILDING"
    """A runner builds it, or the next one will begin again."""
    EXAMINING = "EXAMINING"
    """It is built, and a runner plays the checks of the doctor against it, or will."""
    READY = "READY"
    """It became a hosted version."""
    FAILED = "FAILED"
    """It has a fault of its own, or no runner could finish it."""
    WITHDRAWN = "WITHDRAWN"
    """Its owner took it back before it was ready."""


OPEN: Final = (SubmissionState.UPLOADED, SubmissionState.BUILDING, SubmissionState.EXAMINING)
"""States in which a runner has work to do."""
_IS_OPEN = Q(state__in=[str(state) for state in OPEN])
_IS_LEASED = Q(leased_by__isnull=False, lease_expires_at__isnull=False)
_IS_FREE = Q(leased_by__isnull=True, lease_expires_at__isnull=True)


class Submission(models.Model):
    """A version of a bot as its author handed it in, and the job of building and examining it."""

    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="submissions")
    version = models.CharField(max_length=40)
    """Name of the version. The version itself is made when the submission is ready."""
    note = models.TextField(max_length=500, blank=True, default="")
    """Public note of its author."""
    source = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions")
    """Files that were handed in. None once they are not kept any more."""
    weights = models.ForeignKey(
        BotWeights, null=True, blank=True, on_delete=models.SET_NULL, related_name="submissions"
    )
    """Weights of the version. None if it has none, or once they are not kept any more."""
    files = models.PositiveIntegerField()
    unpacked_bytes = models.PositiveIntegerField()
    manifest = models.TextField()
    """Manifest of the bot, as JSON (`arena.hosting.manifest`)."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    # Its source, if everybody may read it (publishing.py)
    licence = models.CharField(max_length=40, blank=True, default="", db_default="")
    """SPDX identifier of the licence under which its source is published. Empty if it is not published."""
    published_at = models.DateTimeField(null=True, blank=True)
    is_taken_down = models.BooleanField(default=False, db_default=False)
    """Whether staff took its source down. Its owner cannot publish it again."""

    # The job: see the rules in jobs.py
    state = models.CharField(max_length=12, choices=SubmissionState, default=SubmissionState.UPLOADED)
    epoch = models.PositiveIntegerField(default=0)
    """Number of claims so far. Every write of a runner names it, so that writes of former holders change nothing."""
    leased_by = models.ForeignKey(Runner, null=True, blank=True, on_delete=models.PROTECT, related_name="jobs")
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    """Time of the latest claim."""
    stored_image = models.CharField(max_length=64, blank=True, default="")
    """Hash of the image that the latest claim has stored. Empty if it has stored none."""
    claim_key = models.CharField(max_length=40, blank=True, default="")
    """Key of the call that made the latest claim. The same call, sent again, gets that claim."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Number of claims that ended by a fault of the arena: a lost runner, or an error of its own."""
    due_at = models.DateTimeField(db_default=Now())
    """Time from which a runner may claim it."""
    built_at = models.DateTimeField(null=True, blank=True)
    """Time when a runner had built it for the first time. None before that."""
    image = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="examined")
    """Result of the build, while it is examined."""
    log_head = models.TextField(blank=True, default="")
    """Beginning of the log of the latest claim."""
    log_tail = models.TextField(blank=True, default="")
    """End of that log, as far as `log_head` does not have it."""
    log_length = models.PositiveIntegerField(default=0)
    """Number of characters of that log, those left out in the middle included."""
    fault = models.CharField(max_length=32, blank=True, default="")
    """A `HostingFault` (`arena.hosting.faults`). Empty unless it failed."""
    fault_text = models.TextField(blank=True, default="")
    """The fault in words."""
    is_build_announced = models.BooleanField(default=False, db_default=False)
    """Whether it was announced to its owner that it is built."""
    is_announced = models.BooleanField(default=False)
    """Whether its end was announced to its owner."""
    lock_reason = models.TextField(blank=True, default="", db_default="")
    """Reason for which staff have locked it. It is then neither built nor played. Empty if it is not locked."""
    withdraw_reason = models.TextField(blank=True, default="", db_default="")
    """Reason for which staff have withdrawn it. Empty unless they have."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=SubmissionState.values), name="submission_state_known"),
            models.CheckConstraint(condition=~Q(version=""), name="submission_has_version"),
            models.CheckConstraint(
                condition=(_IS_OPEN & Q(ended_at=None)) | (~_IS_OPEN & Q(ended_at__isnull=False)),
                name="submission_ends_once",
            ),
            models.CheckConstraint(
                condition=_IS_FREE | (_IS_LEASED & Q(state__in=["BUILDING", "EXAMINING"])),
                name="submission_leased_while_open",
            ),
            models.CheckConstraint(
                condition=Q(state="EXAMINING", image__isnull=False) | (~Q(state="EXAMINING") & Q(image=None)),
                name="submission_image_while_examined",
            ),
            models.CheckConstraint(
                condition=Q(state="FAILED") & ~Q(fault="") | ~Q(state="FAILED") & Q(fault=""),
                name="submission_fault_if_failed",
            ),
            models.CheckConstraint(
                condition=~_IS_OPEN | Q(source__isnull=False), name="submission_keeps_source_while_open"
            ),
            models.CheckConstraint(condition=~_IS_OPEN | Q(is_announced=False), name="submission_announced_at_end"),
            models.CheckConstraint(
                condition=Q(licence="", published_at=None)
                | ~Q(licence="")
                & Q(published_at__isnull=False, source__isnull=False, state="READY", is_taken_down=False),
                name="submission_keeps_source_while_published",
            ),
            models.UniqueConstraint(
                fields=["bot", "version"],
                condition=~Q(state__in=["FAILED", "WITHDRAWN"]),
                name="submission_once_a_version",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], condition=_IS_OPEN, name="submission_open"),
            models.Index(fields=["ended_at"], condition=Q(is_announced=False), name="submission_not_announced"),
            models.Index(
                fields=["built_at"],
                condition=Q(is_build_announced=False, built_at__isnull=False),
                name="submission_build_not_announced",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} {self.version}"


class PublishedFile(models.Model):
    """A file of a published source, as its page shows it. The rows exist while the source is published."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="published_files")
    path = models.CharField(max_length=1000)
    size = models.PositiveIntegerField()
    """Number of bytes."""
    text = models.TextField(null=True, blank=True)
    """Its text with line feeds. None if it is binary or too large, so that only its name is shown."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "path"], name="published_file_once")]

    def __str__(self) -> str:
        return self.path


class HostedVersion(models.Model):
    """A version that runners can play."""

    version = models.OneToOneField(BotVersion, primary_key=True, on_delete=models.PROTECT, related_name="hosted")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="hosted_versions")
    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="hosted")
    image = models.ForeignKey(Blob, null=True, blank=True, on_delete=models.PROTECT, related_name="hosted")
    """Files that a runner mounts. None once they are not kept any more."""
    command = models.JSONField()
    memory_bytes = models.PositiveBigIntegerField()
    player_counts = models.JSONField()
    expansions = models.JSONField()
    wants_legal = models.BooleanField()
    sdk = models.CharField(max_length=100, blank=True)
    is_current = models.BooleanField(default=False)
    """Whether the bot plays new matches as this version."""
    kept_until = models.DateTimeField(null=True, blank=True)
    """Time until which runners offer it, current or not: an event, a comparison or a challenge plays with it."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot"], condition=Q(is_current=True), name="hosted_version_current_once"),
            models.CheckConstraint(
                condition=Q(is_current=False) | Q(image__isnull=False), name="hosted_version_current_has_image"
            ),
            models.CheckConstraint(condition=Q(memory_bytes__gt=0), name="hosted_version_has_memory"),
        ]

    def __str__(self) -> str:
        return str(self.version)


class HostedSeat(models.Model):
    """One sandbox that played a seat of a match, as its runner has reported its end.

    A seat has several if the match moved from one runner to another.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="hosted_seats")
    seat = models.PositiveSmallIntegerField()
    runner = models.ForeignKey(Runner, on_delete=models.PROTECT, related_name="seats")
    started_at = models.DateTimeField()
    """Time by the runner's clock. It tells several sandboxes of a seat apart."""
    ended_at = models.DateTimeField()
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="hosted_seats")
    end = models.CharField(max_length=32)
    """A `SandboxEnd`."""
    limit = models.CharField(max_length=32, blank=True, default="")
    """A `SandboxLimit`; empty if it hit none."""
    exit_code = models.IntegerField(null=True, blank=True)
    signal = models.IntegerField(null=True, blank=True)
    fault = models.CharField(max_length=32, blank=True, default="")
    """A `HostingFault`; empty if the bot did nothing wrong."""
    fault_text = models.TextField(blank=True, default="")
    decision = models.PositiveIntegerField(null=True, blank=True)
    """Index of the decision that was pending at the end."""
    peak_memory_bytes = models.PositiveBigIntegerField()
    processor_s = models.FloatField()
    wall_s = models.FloatField()
    stdout = models.TextField(blank=True, default="")
    stderr = models.TextField(blank=True, default="")
    decisions = models.JSONField(default=list)
    """Index, charged, processor and waiting milliseconds of each decision (`arena.hosting.messages.DecisionCost`)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "seat", "runner", "started_at"], name="hosted_seat_reported_once"),
            models.CheckConstraint(condition=Q(seat__gt=0), name="hosted_seat_numbered"),
        ]
        indexes = [models.Index(fields=["recorded_at"], name="hosted_seat_age")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.seat}"
