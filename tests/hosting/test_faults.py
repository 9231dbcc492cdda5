"""Each end of a sandbox has one fault, in words, or none if the bot is not to blame."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import Any

import pytest

from arena.hosting.faults import HostingFault, fault_of
from arena.sandbox.limits import MIB, KeptOutput, SandboxEnd, SandboxLimit, SandboxLimits, SandboxUsage, SandboxVerdict

LIMITS = SandboxLimits(memory_bytes=256 * MIB, processes=64, processor_s=600)


def verdict(end: SandboxEnd, **more: Any) -> SandboxVerdict:
    """Return a verdict with this end."""
    usage = SandboxUsage(processor_s=1, memory_bytes=1, peak_memory_bytes=1, processes=1)
    return SandboxVerdict(end=end, usage=usage, wall_s=1.0, stdout=KeptOutput(), stderr=KeptOutput(), **more)


@pytest.mark.parametrize(
    ("ended", "fault", "words"),
    [
        (
            verdict(SandboxEnd.LIMIT, limit=SandboxLimit.MEMORY),
            HostingFault.OUT_OF_MEMORY,
            "killed: used more than 256 MB at decision 41 (the limit of this arena)",
        ),
        (
            verdict(SandboxEnd.LIMIT, limit=SandboxLimit.PROCESSOR),
            HostingFault.TOO_MUCH_PROCESSOR,
            "killed: used more than 600 s of processor time at decision 41 (the limit of this arena)",
        ),
        (
            verdict(SandboxEnd.LIMIT, limit=SandboxLimit.OUTPUT),
            HostingFault.OUTPUT_FLOOD,
            "killed: wrote more than 16 MB of output at decision 41 (the limit of this arena)",
        ),
        (
            verdict(SandboxEnd.EXITED, exit_code=1, reached=frozenset({SandboxLimit.PROCESSES})),
            HostingFault.TOO_MANY_PROCESSES,
            "ended at decision 41 with exit code 1, after it had more than 64 processes and threads",
        ),
        (
            verdict(SandboxEnd.CRASHED, signal=int(signal.SIGABRT), reached=frozenset({SandboxLimit.DISK})),
            HostingFault.DISK_FULL,
            "ended at decision 41 with signal SIGABRT, after it wrote more than 64 MB or 4,096 files to /tmp",
        ),
        (
            verdict(SandboxEnd.EXITED, exit_code=3),
            HostingFault.EXITED,
            "its program ended at decision 41 with exit code 3",
        ),
        (
            verdict(SandboxEnd.CRASHED, signal=int(signal.SIGSEGV)),
            HostingFault.CRASHED,
            "its program crashed at decision 41 with signal SIGSEGV",
        ),
    ],
)
def test_the_fault_is_named(ended: SandboxVerdict, fault: HostingFault, words: str) -> None:
    found = fault_of(ended, LIMITS, 41)
    assert found is not None
    assert found[0] is fault
    assert found[1].startswith(words)
    without = fault_of(ended, LIMITS)
    assert without is not None
    assert "decision" not in without[1]


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("ModuleNotFoundError: No module named 'numpy.linalg'", "the Python module numpy.linalg: name its package in"),
        ("Error: Cannot find module '@grpc/grpc-js'\nRequire stack:", "the module @grpc/grpc-js: hand it in with"),
        ("<internal:rb>: in `require': cannot load such file -- bigdecimal (LoadError)", "the Ruby file bigdecimal:"),
        ("Caused by: java.lang.ClassNotFoundException: bot.Main", "the Java class bot.Main: hand it in with the bot"),
        ("./bot: error while loading shared libraries: libz.so.1: cannot open", "the library libz.so.1: link the"),
        ("./bot: /lib/libc.so.6: version `GLIBC_2.39' not found (required by ./bot)", "the library GLIBC_2.39: build"),
    ],
)
def test_a_part_that_is_missing_is_named_with_what_to_do(stderr: str, words: str) -> None:
    ended = replace(verdict(SandboxEnd.EXITED, exit_code=1), stderr=KeptOutput(f"first\n{stderr}\n".encode()))
    found = fault_of(ended, LIMITS)
    assert found is not None and found[1].isprintable()
    assert f"its program ended with exit code 1 (the runtime does not have {words}" in found[1]


@pytest.mark.parametrize(
    "ended",
    [
        verdict(SandboxEnd.KILLED),
        verdict(SandboxEnd.START_FAILED, reason="no namespaces"),
        verdict(SandboxEnd.CRASHED, signal=int(signal.SIGKILL)),
    ],
)
def test_a_bot_is_not_blamed_for_what_others_did(ended: SandboxVerdict) -> None:
    assert fault_of(ended, LIMITS, 41) is None
