"""The messages between runners and gateways (`RunnerService`), and their bytes.

A message is a map in MessagePack. Unknown fields are ignored and missing ones take their default, so that runners and
gateways of two successive versions can work together during a rolling restart. The names of the fields are part of the
format. A call that has nothing to say or to return has no bytes. The server's actions take and return some of these
messages as values.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from arena.hosting.faults import HostingFault
from arena.lessons.values import LessonVerdict
from arena.sandbox.limits import SandboxEnd, SandboxLimit

RUNNER_SERVICE: Final = "naqala.arena.RunnerService"
"""Full name of the gRPC service that runners call."""
RUNNER_TOKEN_METADATA: Final = "arena-runner-token"  # noqa: S105 - a name
"""Key of the metadata in which each call carries the runner's token."""
RUNNER_REASON_METADATA: Final = "arena-reason"
"""Key of the trailing metadata in which a refused call carries its `RunnerErrorReason`."""
HOSTED_PAGE: Final = 200
"""Maximum number of versions in a page. Each has a few kilobytes at most, and a message has 4 MB."""
PART_BYTES: Final = 256 * 1024
"""Maximum size of one part of an image or source in a stream."""
LOG_PIECE: Final = 4096
"""Maximum number of characters in one piece of a log."""


class RunnerErrorReason(StrEnum):
    """The reasons of refused calls. A runner may repeat a call that was refused for one of the first five."""

    TRY_AGAIN = "TRY_AGAIN"
    """The database is unavailable."""
    TOO_MANY_CALLS = "TOO_MANY_CALLS"
    TOO_SLOW = "TOO_SLOW"
    """The transfer took too long."""
    BAD_RUNNER_TOKEN = "BAD_RUNNER_TOKEN"  # noqa: S105 - a name
    """The token is missing, unknown or revoked."""
    TOO_MANY_ATTEMPTS = "TOO_MANY_ATTEMPTS"
    """The address has sent many tokens that are not valid."""
    BAD_MESSAGE = "BAD_MESSAGE"
    """The message cannot be read, or has a value that is not allowed, or an image is not what its header says."""
    BLOB_UNKNOWN = "BLOB_UNKNOWN"
    JOB_LOST = "JOB_LOST"
    """Another runner has the job, or it has ended."""


class RunnerMessageError(ValueError):
    """Raised for bytes that are not the expected message."""


class RunnerFacts(Struct, frozen=True, kw_only=True):
    """A runner's description of itself. It is the request for a page of the hosted versions."""

    after: int = 0
    """Id of the last version of the previous page. 0 asks for the first page."""
    cores: int = 0
    """Cores that it gives to bots."""
    places: int = 0
    """Sandboxes that it may have at the same time."""
    process: str = ""
    """Id of its process on the bus."""
    runtime: str = ""
    """Its runtime (`arena.hosting.runtime.RuntimeDescription`), as JSON."""


class HostedVersionInfo(Struct, frozen=True, kw_only=True):
    """A version that runners host."""

    version: int
    """Id of the version."""
    bot: int
    bot_name: str = ""
    version_name: str = ""
    owner: int = 0
    """Id of the bot's owner."""
    is_house: bool = False
    """Whether the bot belongs to the arena itself."""
    is_offered: bool = True
    """Whether it may be offered new matches. Another version only finishes its matches."""
    image: str
    """SHA-256 of its image."""
    command: tuple[str, ...] = ()
    memory_bytes: int = 0
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    wants_legal: bool = False
    sdk: str = ""


class HostedVersions(Struct, frozen=True, kw_only=True):
    """A page of the versions that runners host now, by their ids."""

    versions: tuple[HostedVersionInfo, ...] = ()
    is_paused: bool = False
    """Whether the runner takes no new seats. It finishes those that it has."""
    has_more: bool = False
    """Whether there are versions after those of this page."""


class JobInfo(Struct, frozen=True, kw_only=True):
    """A submission that a runner builds and examines. The runner holds it until its lease expires."""

    id: int
    """Id of the submission."""
    epoch: int
    """Number of this claim. A later claim makes all calls with this number fail with `JOB_LOST`."""
    bot: int = 0
    bot_name: str = ""
    version_name: str = ""
    source: str
    """SHA-256 of the submitted source."""
    manifest: str
    """The manifest as JSON (`arena.hosting.manifest.manifest_of_json`)."""
    image: str = ""
    """SHA-256 of the image, if the build is finished. The runner only examines it then."""


class JobRequest(Struct, frozen=True, kw_only=True):
    """A request for a job."""

    key: str = ""
    """Identifies the request, at most 40 characters. Sent again, it gets the job that it has got before."""


class JobOffer(Struct, frozen=True, kw_only=True):
    """The answer to a request for a job."""

    job: JobInfo | None = None
    """`None` if there is nothing to do."""


class LogPiece(Struct, frozen=True, kw_only=True):
    """A piece of the log of a job. It also renews the lease."""

    job: int
    epoch: int
    offset: int
    """Number of characters in the log of this epoch before this piece. A piece that is sent again is added once."""
    text: str = ""
    """At most `LOG_PIECE` characters. An empty piece only renews the lease."""


class ImageHeader(Struct, frozen=True, kw_only=True):
    """The first message of a stream that stores an image. Its bytes follow, in parts of at most `PART_BYTES`."""

    job: int
    epoch: int
    sha256: str
    """SHA-256 of the uncompressed tar."""
    size: int
    """Number of bytes that follow: the tar, compressed by gzip."""


class BuildResult(Struct, frozen=True, kw_only=True):
    """The end of a build that succeeded."""

    job: int
    epoch: int
    image: str
    """SHA-256 of the image, which is stored: as an image of this job, or as its source."""


class HelloFacts(Struct, frozen=True, kw_only=True):
    """Facts that a bot announced in its hello, during the examination."""

    sdk: str = ""
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    wants_legal: bool = False


class JobResult(Struct, frozen=True, kw_only=True):
    """The end of a job whose version is ready."""

    job: int
    epoch: int
    facts: HelloFacts


class JobFailure(Struct, frozen=True, kw_only=True):
    """The end of a job that failed by a fault of the bot."""

    job: int
    epoch: int
    fault: HostingFault
    text: str
    """The fault in words, with what to do."""


class JobReturn(Struct, frozen=True, kw_only=True):
    """A job that the runner gives back unfinished, so that another one takes it at once."""

    job: int
    epoch: int
    is_failure: bool = False
    """Whether the arena failed: it then waits longer after each failure. Otherwise the runner only stops."""


class BlobRequest(Struct, frozen=True, kw_only=True):
    """A request for an image or a source. The answer is a stream of parts: a tar, compressed by gzip."""

    sha256: str
    """SHA-256 of the uncompressed tar."""


class DecisionCost(Struct, frozen=True, array_like=True):
    """The times of one decision, in milliseconds."""

    index: int
    """Index of the decision in the record of the match."""
    charged_ms: int
    """Time that the bot's clock was charged."""
    processor_ms: int
    """Processor time of all processes of the sandbox."""
    waited_ms: int
    """Time that the request waited for a core. It is charged to nobody."""


class SeatReport(Struct, frozen=True, kw_only=True):
    """The end of one sandbox that played a seat of a match.

    The runner repeats it until a gateway has acknowledged it. (runner, match, seat, started_at_ns) identifies it.
    """

    match: str
    seat: int
    number: int
    """Number of this sandbox among those of this seat in this process of the runner, from 1."""
    version: int
    """Id of the version."""
    started_at_ns: int
    """Wall clock of the runner."""
    ended_at_ns: int
    end: SandboxEnd
    limit: SandboxLimit | None = None
    exit_code: int | None = None
    signal: int | None = None
    fault: str = ""
    """A `HostingFault`; empty if the bot did nothing wrong."""
    fault_text: str = ""
    """The fault in words."""
    decision: int | None = None
    """Index of the decision that was pending at the end."""
    peak_memory_bytes: int = 0
    processor_s: float = 0.0
    wall_s: float = 0.0
    stdout: str = ""
    """Standard output without its middle: at most 32 KB of its beginning and of its end."""
    stderr: str = ""
    decisions: tuple[DecisionCost, ...] = ()


class TrialInfo(Struct, frozen=True, kw_only=True):
    """A trial: one game of a source of one Python file against a house player. The runner holds it by a lease."""

    id: int
    """Id of the trial."""
    epoch: int
    """Number of this claim. A later claim makes all calls with this number fail with `JOB_LOST`."""
    source: str
    """Text of the file."""
    opponent: str
    """Name of the house player."""
    is_examination: bool = False
    """Whether the bot is examined as a submission, and plays no game."""
    lesson: int = 0
    """Number of the lesson whose check it is. 0 for a game of its author's own."""
    seed: str
    """Seed of the server's share of the chance, 64 hex digits."""


class TrialOffer(Struct, frozen=True, kw_only=True):
    """The answer to a request for a trial."""

    trial: TrialInfo | None = None
    """`None` if there is nothing to do."""


class TrialProgress(Struct, frozen=True, kw_only=True):
    """The number of decisions that a trial has reached. It also renews the lease."""

    trial: int
    epoch: int
    decisions: int = 0


class TrialOutput(Struct, frozen=True, kw_only=True):
    """Output that the bot wrote before it answered one request."""

    index: int | None = None
    """Index of the decision in the record of the game. `None` before the first request and after the last one."""
    stdout: str = ""
    stderr: str = ""
    note: str = ""
    """Note of the answer: the bot's own one, or its exception."""


class TrialFault(Struct, frozen=True, kw_only=True):
    """A fault of the bot at one decision."""

    index: int
    """Index of the decision in the record of the game."""
    answer: str = ""
    """Answer of the bot: its actions, each on a line. Empty if there was none."""
    message: str = ""
    """The fault in words, as the bot was told."""


class CheckResult(Struct, frozen=True, kw_only=True):
    """A check of an examination."""

    name: str
    """Name of the doctor's check."""
    outcome: str
    """`passed`, `failed`, or `skipped` if an earlier check has failed."""


class TrialOutcome(Struct, frozen=True, kw_only=True):
    """The end of a trial."""

    replay: str = ""
    """Replay document of the game as JSON. Empty if the game did not begin."""
    fault: str = ""
    """A `HostingFault` of the bot's program; empty if it had none."""
    fault_text: str = ""
    """The fault in words, or why the game did not begin."""
    outputs: tuple[TrialOutput, ...] = ()
    """Outputs in their order. Requests without output are left out."""
    faults: tuple[TrialFault, ...] = ()
    """Faults in the order of the game."""
    checks: tuple[CheckResult, ...] = ()
    """Checks of an examination in their order. `fault_text` says why one has failed."""
    announced: HelloFacts | None = None
    """Announced facts of a bot that has passed its examination."""
    lesson: LessonVerdict | None = None
    """Result of a lesson's check. `None` if no game was played to its end, and without a lesson."""
    answers: int = 0
    """Number of requests that the bot answered."""
    slowest_ms: int = 0
    """Its longest time for one answer."""
    processor_ms: int = 0
    peak_memory_bytes: int = 0
    wall_ms: int = 0
    """Time from the start of the bot to the end of the game."""


class TrialResult(Struct, frozen=True, kw_only=True):
    """The report on a trial that has ended."""

    trial: int
    epoch: int
    outcome: TrialOutcome


class TrialReturn(Struct, frozen=True, kw_only=True):
    """A trial that the runner gives back unfinished."""

    trial: int
    epoch: int
    is_failure: bool = False
    """Whether the arena failed. Otherwise the runner only stops."""


RunnerMessage = TypeVar("RunnerMessage", bound=Struct)

_ENCODER: Final = msgspec.msgpack.Encoder()


def encode_message(message: Struct) -> bytes:
    """Return the bytes of a message."""
    return _ENCODER.encode(message)


def decode_message(data: bytes, kind: type[RunnerMessage]) -> RunnerMessage:
    """Return the message that `encode_message` has encoded. Raise `RunnerMessageError`."""
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RunnerMessageError(f"not a {kind.__name__}: {error}") from error
