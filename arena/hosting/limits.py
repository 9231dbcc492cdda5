"""All limits of hosted bots: of what authors hand in, of a build, and of a bot while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.sandbox.limits import MIB, SandboxLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class HostingLimits:
    """Limits of hosting. An arena may have others than these."""

    packed_bytes: int = 50 * MIB
    """Bytes of what an author hands in, and of the packed bundle that is stored."""
    unpacked_bytes: int = 200 * MIB
    """Bytes of all files together, counted while they are read."""
    files: int = 2000
    """Files of a bundle."""
    weights_bytes: int = 100 * MIB
    """Bytes of the files in the folder `weights`, and of its packed form. They count in no other limit of bytes."""
    path_bytes: int = 240
    """Bytes (UTF-8) of a file's path in its bundle."""
    manifest_bytes: int = 16 * 1024
    """Bytes of `bot.toml`."""
    stored_bytes: int = 1024 * MIB
    """Unpacked bytes that an account stores: sources, images and weights of all its bots, each file once. They are a
    fifth of what a runner keeps unpacked (`arena.runner.images.CACHE_BYTES`), so one account cannot fill that.
    """
    total_bytes: int = 64 * 1024 * MIB
    """Packed bytes that all accounts together store. Beyond it nothing more is taken."""
    hosted_bots: int = 20
    """Bots of an account that are hosted at the same time. House bots have no such limit."""
    submissions_a_day: int = 20
    """Submissions of one account in 24 hours."""
    kept_a_bot: int = 10
    """Submissions of a bot that are kept; the oldest are removed."""

    matches_of_bot: int = 4
    """Matches that a bot plays at the same time."""
    matches_of_owner: int = 8
    """Seats that the bots of one owner have at the same time. House bots have no such limit."""

    memory_bytes: int = 256 * MIB
    """Memory of a bot whose manifest names none."""
    most_memory_bytes: int = 1024 * MIB
    """Greatest memory that a manifest may name."""
    start_processor_s: float = 10.0
    """Seconds of processor time from the start of a bot to its hello."""
    start_wall_s: float = 60.0
    """Seconds from the start of a bot to its hello, on a busy machine, too."""

    build_processor_s: float = 300.0
    """Seconds of processor time of a build."""
    build_wall_s: float = 900.0
    """Seconds of a build, without those in which it waits for a core. With them, a build has twice this time."""
    build_idle_s: float = 120.0
    """Seconds of a build in which it neither uses a processor nor waits for a core."""
    build_memory_bytes: int = 2048 * MIB
    """Memory of a build, including all files that it writes."""
    build_scratch_bytes: int = 1024 * MIB
    """Bytes of the files that a build writes."""
    build_scratch_files: int = 50_000
    """Files that a build writes."""
    build_processes: int = 256
    """Processes and threads of a build at the same time."""
    log_bytes: int = 64 * 1024
    """Bytes kept of a build's log: its beginning and its end."""


DEFAULT_LIMITS: Final = HostingLimits()


def bot_limits(memory_bytes: int) -> SandboxLimits:
    """Return the limits of a bot while it plays one match; `memory_bytes` comes from its manifest."""
    return SandboxLimits(memory_bytes=memory_bytes)


TRIAL_PROCESSOR_S: Final = 20.0
"""Seconds of processor time of a bot in a trial."""
TRIAL_SOURCE_BYTES: Final = 64 * 1024
"""Bytes (UTF-8) of the source of a trial."""


def trial_limits(memory_bytes: int) -> SandboxLimits:
    """Return the limits of a bot in a trial: one game for a person who waits."""
    return SandboxLimits(
        memory_bytes=memory_bytes, processor_s=TRIAL_PROCESSOR_S, output_bytes=1 * MIB, scratch_bytes=16 * MIB
    )


def build_limits(limits: HostingLimits) -> SandboxLimits:
    """Return the limits of a build."""
    return SandboxLimits(
        memory_bytes=limits.build_memory_bytes,
        processes=limits.build_processes,
        processor_s=limits.build_processor_s,
        scratch_bytes=limits.build_scratch_bytes,
        scratch_files=limits.build_scratch_files,
        may_lock=True,
        comes_first=False,
    )
