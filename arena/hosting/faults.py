"""The faults of hosted bots, and the one function that names the fault of a sandbox that has ended."""

from __future__ import annotations

import re
import signal
from enum import StrEnum
from typing import Final

from arena.sandbox.limits import MIB, SandboxEnd, SandboxLimit, SandboxLimits, SandboxVerdict


class HostingFault(StrEnum):
    """Faults of a hosted bot or of its build."""

    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    EXITED = "EXITED"
    CRASHED = "CRASHED"
    TOO_MANY_PROCESSES = "TOO_MANY_PROCESSES"
    DISK_FULL = "DISK_FULL"
    OUTPUT_FLOOD = "OUTPUT_FLOOD"
    TOO_MUCH_PROCESSOR = "TOO_MUCH_PROCESSOR"
    START_FAILED = "START_FAILED"
    BUILD_FAILED = "BUILD_FAILED"
    EXAMINATION_FAILED = "EXAMINATION_FAILED"


LIMIT_FAULTS: Final = {
    SandboxLimit.MEMORY: HostingFault.OUT_OF_MEMORY,
    SandboxLimit.PROCESSES: HostingFault.TOO_MANY_PROCESSES,
    SandboxLimit.PROCESSOR: HostingFault.TOO_MUCH_PROCESSOR,
    SandboxLimit.DISK: HostingFault.DISK_FULL,
    SandboxLimit.OUTPUT: HostingFault.OUTPUT_FLOOD,
}
REFUSED: Final = (SandboxLimit.PROCESSES, SandboxLimit.DISK)
"""Limits that end no program, but explain why it ended by itself."""
LAST_CHARACTERS: Final = 4096
"""Characters at the end of an error output in which a missing part is looked for."""
WITH_BOT: Final = "hand it in with the bot"
MISSING: Final = (
    (r"No module named '([\w.]{1,80})'", "Python module", "name its package in requirements.txt"),
    (r"Cannot find (?:module|package) '([\w@./-]{1,80})'", "module", WITH_BOT),
    (r"cannot load such file -- ([\w./-]{1,80})", "Ruby file", WITH_BOT),
    (r"ClassNotFoundException: ([\w.$]{1,80})", "Java class", WITH_BOT),
    (r"loading shared libraries: ([\w.+-]{1,80})", "library", "link the program statically"),
    (
        r"version `((?:GLIBC|GLIBCXX|CXXABI)_[\d.]{1,20})' not found", "library",
        "build the program on an older system, or link it statically",
    ),
)  # fmt: skip
"""The last errors of programs that lack a part: their form, the kind of the part, and what to do."""


def missing_part(verdict: SandboxVerdict) -> str:
    """Return which part a program lacked when it ended and what to do, in brackets; empty if none is known."""
    end = verdict.stderr.text()[-LAST_CHARACTERS:]
    for form, kind, advice in MISSING:
        if found := re.findall(form, end):
            return f" (the runtime does not have the {kind} {found[-1]}: {advice})"
    return ""


def limit_words(limit: SandboxLimit, limits: SandboxLimits) -> str:
    """Return what a program did that reached this limit."""
    return {
        SandboxLimit.MEMORY: f"used more than {limits.memory_bytes // MIB} MB",
        SandboxLimit.PROCESSES: f"had more than {limits.processes} processes and threads",
        SandboxLimit.PROCESSOR: f"used more than {limits.processor_s:g} s of processor time",
        SandboxLimit.DISK: (
            f"wrote more than {limits.scratch_bytes // MIB} MB or {limits.scratch_files:,} files to /tmp"
        ),
        SandboxLimit.OUTPUT: f"wrote more than {limits.output_bytes // MIB} MB of output",
    }[limit]


def fault_of(
    verdict: SandboxVerdict, limits: SandboxLimits, decision: int | None = None
) -> tuple[HostingFault, str] | None:
    """Return the fault of a program that has ended, and the fault in words.

    `limits` are those that the program ran with. `decision` is the index of the pending decision; `None` means that
    none was pending. Return `None` if the program is not to blame: the caller ended it, the sandbox was never made, or
    the machine killed it.
    """
    when = "" if decision is None else f" at decision {decision}"
    if verdict.end is SandboxEnd.LIMIT and verdict.limit is not None:
        return LIMIT_FAULTS[verdict.limit], (
            f"killed: {limit_words(verdict.limit, limits)}{when} (the limit of this arena)"
        )
    if verdict.end not in {SandboxEnd.EXITED, SandboxEnd.CRASHED}:
        return None
    if verdict.end is SandboxEnd.CRASHED and verdict.signal == signal.SIGKILL and not verdict.reached:
        return None  # the machine may have killed it, because all memory was used
    how = f"exit code {verdict.exit_code}" if verdict.end is SandboxEnd.EXITED else f"signal {_signal_name(verdict)}"
    for limit in REFUSED:
        if limit in verdict.reached:
            return LIMIT_FAULTS[limit], (
                f"ended{when} with {how}, after it {limit_words(limit, limits)} (the limit of this arena)"
            )
    if verdict.end is SandboxEnd.EXITED:
        return HostingFault.EXITED, f"its program ended{when} with {how}{missing_part(verdict)}"
    return HostingFault.CRASHED, f"its program crashed{when} with {how}"


def _signal_name(verdict: SandboxVerdict) -> str:
    number = verdict.signal or 0
    return signal.Signals(number).name if number in signal.valid_signals() and number < signal.SIGRTMIN else str(number)
