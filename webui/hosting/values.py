"""Values of hosted bots, their errors and their hooks."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.hosting.messages import DecisionCost
from webui.bots.values import BotRef
from webui.core.errors import LadderError
from webui.core.subjects import Hook


class JobLost(LadderError):
    """The job has been claimed again, or has ended. Its former holder writes nothing more."""

    code = "JOB_LOST"


@dataclass(frozen=True, kw_only=True)
class SubmissionValue:
    """A submission in a list."""

    id: int
    bot: BotRef
    version: str
    """Name of the version."""
    note: str
    state: str
    created_at: datetime
    ended_at: datetime | None
    size: int
    """Number of bytes of its files, packed. 0 once they are not kept any more."""
    unpacked_bytes: int
    files: int
    fault: str
    """A `HostingFault`. Empty unless it failed."""
    fault_text: str
    """The fault in words."""
    version_id: int | None
    """Id of the hosted version. None until it is ready."""
    is_current: bool
    """Whether the bot plays new matches as this version."""
    has_image: bool
    """Whether runners can still play the hosted version."""
    lock_reason: str
    """Reason for which staff have locked it. Empty if it is not locked."""
    withdraw_reason: str
    """Reason for which staff have withdrawn it. Empty unless they have."""
    licence: str
    """SPDX identifier of the licence under which its source is published. Empty if it is not published."""
    is_taken_down: bool
    """Whether staff took its published source down."""

    @property
    def is_open(self) -> bool:
        """Return whether it is being built or examined, or waits for that."""
        return self.ended_at is None

    @property
    def can_be_used(self) -> bool:
        """Return whether the bot could play as this version, and does not yet."""
        return self.has_image and not self.is_current and not self.lock_reason

    @property
    def can_be_emptied(self) -> bool:
        """Return whether the arena keeps files of it that its owner may delete."""
        return (self.has_image or self.size > 0) and not (self.is_open or self.is_current or self.licence)

    @property
    def can_be_published(self) -> bool:
        """Return whether its owner may publish its source, and has not yet."""
        return self.version_id is not None and self.size > 0 and not self.licence and not self.is_taken_down


@dataclass(frozen=True, kw_only=True)
class WeightsValue:
    """Weights of an owner's bots."""

    id: int
    sha256: str
    size: int
    """Number of bytes, packed."""
    unpacked_bytes: int
    files: int


@dataclass(frozen=True, kw_only=True)
class SubmissionPage:
    """A submission with its log."""

    line: SubmissionValue
    log: str
    """Log of the latest claim. If it is long, a line in it says how many characters of its middle are left out."""
    failures: int
    """Number of claims that ended by a fault of the arena."""
    before: int
    """Number of submissions that wait for a runner, and would be taken before this one now."""


@dataclass(frozen=True, kw_only=True)
class PublishedSource:
    """The source of a version that everybody may read."""

    id: int
    """Id of its submission."""
    bot: BotRef
    version: str
    """Name of the version."""
    note: str
    licence: str
    """SPDX identifier."""
    published_at: datetime
    sha256: str
    """SHA-256 of the uncompressed tar of its files."""
    size: int
    """Number of bytes of that tar, compressed."""
    unpacked_bytes: int
    files: int


@dataclass(frozen=True)
class PublishedFileValue:
    """A file of a published source in its list of files."""

    path: str
    size: int
    is_shown: bool
    """Whether its text can be read on a page. Otherwise it is binary, or too large."""


@dataclass(frozen=True)
class SubmissionMark:
    """A summary of what the page of a submission shows."""

    mark: str
    """Hash that changes whenever the page changes."""
    is_settled: bool
    """Whether the submission has ended, so that the page does not change by itself any more."""


@dataclass(frozen=True, kw_only=True)
class HostedSeatValue:
    """One sandbox that played a seat of a match, as its bot's owner sees it."""

    seat: int
    bot: str
    version: str
    started_at: datetime
    ended_at: datetime
    end: str
    """A `SandboxEnd`."""
    exit_code: int | None
    signal: int | None
    fault: str
    """A `HostingFault`; empty if the bot did nothing wrong."""
    fault_text: str
    peak_memory_bytes: int
    processor_s: float
    wall_s: float
    stdout: str
    stderr: str
    decisions: tuple[DecisionCost, ...]

    @property
    def processor_ms(self) -> int:
        """Return the processor time of all its processes."""
        return round(1000 * self.processor_s)

    @property
    def wall_ms(self) -> int:
        """Return the time from its start to its end."""
        return round(1000 * self.wall_s)


@dataclass(frozen=True)
class RunnerLine:
    """A runner in a list."""

    name: str
    created_at: datetime
    seen_at: datetime | None
    cores: int
    runtime: str
    """Its interpreters and libraries, as JSON. Empty if it has never called."""


@dataclass(frozen=True)
class SubmissionEnd:
    """The end of a submission: it is ready, or has failed."""

    submission_id: int
    bot_id: int
    owner_id: int
    version: str
    """Name of the version."""
    fault: str
    """A `HostingFault`. Empty if it is ready."""
    fault_text: str


submission_built: Final = Hook[[int], None]()
"""A runner has built the submission with this id. It is called once, as `submission_ended` is, and before it."""
submission_ended: Final = Hook[[SubmissionEnd], None]()
"""A submission is ready, or has failed. It is called once, in a transaction of its own, by the upkeep process."""
versions_kept: Final = Hook[[], Collection[int]]()
"""Question: with which versions do matches wait to be played, whether they are current or not?"""
