"""Start a program in a sandbox, watch it, and return a verdict on it.

A thread watches each sandbox. It starts bubblewrap, too: the kernel kills a sandbox when the thread that started it
ends, which no sandbox must outlive.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

import structlog

from arena.sandbox.bubblewrap import INTERPRETER, bubblewrap_arguments, bubblewrap_program, entry_settings
from arena.sandbox.cgroups import ControlGroup, GroupFailure, GroupRoots, find_group_roots
from arena.sandbox.limits import (
    KeptOutput,
    Mounts,
    SandboxEnd,
    SandboxLimit,
    SandboxLimits,
    SandboxUsage,
    SandboxVerdict,
)
from arena.sandbox.pipes import OutputReader, SandboxPipes, readable
from arena.sandbox.processes import (
    process_threads,
    process_totals,
    proportional_memory,
    queued_s,
    resume,
    sandbox_processes,
    stop,
    waits_for_disk,
)

log = structlog.get_logger(__name__)

CHECK_INTERVAL_S: Final = 0.05
"""Seconds between two looks at the limits that the kernel does not enforce."""
FREEZE_TIMEOUT_S: Final = 2.0
FREEZE_POLL_S: Final = 0.0005
START_TIMEOUT_S: Final = 60.0
"""Seconds for bubblewrap to make the namespaces, on a machine that is busy."""
END_TIMEOUT_S: Final = 30.0
FIRST_USER: Final = 1 << 30
"""First number of the users of sandboxes. Each gets one at random, below twice this number."""
BECOME: Final = """
import ctypes, os, sys
parent, user = int(sys.argv[1]), int(sys.argv[2])
if user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == parent:
    os.execv(sys.argv[3], sys.argv[3:])
"""
"""Program that becomes another user, unless that is 0, and then another program.

The kernel kills it with the thread that started it (PR_SET_PDEATHSIG), from here on: bubblewrap asks for the same, but
later. `Popen` can change the user, too, but it copies this process then (`fork`). Handlers of gRPC run in the copy and
may end it.
"""
SIGNAL_BASE: Final = 128
"""bubblewrap exits with this number plus that of the signal that ended the program."""
STARTING: Final = b"+"
"""Report of `entry.py` before it becomes the program. An error may follow."""
NOTHING_USED: Final = SandboxUsage(processor_s=0.0, memory_bytes=0, peak_memory_bytes=0, processes=0)

group_roots = cache(find_group_roots)
"""Where this process may make control groups. It is found out once."""


class SandboxStartFailure(Exception):
    """The sandbox could not be made. The message says why, for the operator."""


@cache
def has_own_users() -> bool:
    """Return whether this process can give each sandbox a user of its own.

    It is root then, and not only in a container that has too few users of its own.
    """
    if os.geteuid() != 0:
        return False
    ranges = [map(int, line.split()) for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()]
    return any(first <= FIRST_USER and first + count >= 2 * FIRST_USER for first, _, count in ranges)


def start(
    command: Sequence[str],
    mounts: Mounts,
    limits: SandboxLimits,
    *,
    environment: Mapping[str, str] | None = None,
    group: bool = True,
) -> RunningSandbox:
    """Start a program in a new sandbox, and return when it runs or has failed to start.

    `command` is a path in the sandbox and its arguments; `environment` is all that is added to `BASE_ENVIRONMENT`.
    `group=False` does without control groups. Limits are then kept by the watching thread, which is good for trying a
    bot at home and not against strangers. If it fails to start, the verdict says so (`START_FAILED`).
    """
    sandbox = RunningSandbox(command, mounts, limits, environment or {}, group_roots() if group else None)
    sandbox.started.wait()
    return sandbox


class RunningSandbox:
    """A program in a sandbox. All methods may be called from any thread, also after its end."""

    def __init__(
        self,
        command: Sequence[str],
        mounts: Mounts,
        limits: SandboxLimits,
        environment: Mapping[str, str],
        roots: GroupRoots | None,
    ) -> None:
        self._command = command
        self._mounts = mounts
        self._limits = limits
        self._environment = environment
        self._roots = roots
        self._group: ControlGroup | None = None
        self._first = 0
        """Process id of the sandbox's own first process, the init of its PID namespace; 0 before and after."""
        self._first_handle = -1
        self._lock = Lock()
        """Held while the two above or the group are used."""
        self._scratch = -1
        """Descriptor of its `/tmp`, from its start. It shows how full that is when the processes have gone, too."""
        self._usage = NOTHING_USED
        self._reached: set[SandboxLimit] = set()
        self._limit: SandboxLimit | None = None
        self._is_killed = False
        self._core: int | None = None
        """The core of all threads. New threads are born there."""
        self._is_frozen = False
        """Whether the kernel has said that nothing runs, so that no limit can be reached."""
        self._begun = 0.0
        """When the program began, by the monotonic clock."""
        self._verdict: SandboxVerdict | None = None
        self._outputs: tuple[OutputReader, OutputReader] | tuple[()] = ()
        """Standard output and standard error, while their pipes are open."""
        self._output_lengths = (0, 0)
        self._output_lock = Lock()
        """Held while one of the pipes is read."""
        self.started = Event()
        """Set when the program runs, or has failed to start."""
        self._ended = Event()
        Thread(target=self._run, name="sandbox", daemon=True).start()

    def freeze(self) -> None:
        """Stop all processes, and return when they have stopped.

        Raise `GroupFailure` if they have not after `FREEZE_TIMEOUT_S`.
        """
        self.begin_freeze()
        end = time.monotonic() + FREEZE_TIMEOUT_S
        while not self.is_frozen():
            if time.monotonic() > end:
                raise GroupFailure("the processes do not freeze")
            time.sleep(FREEZE_POLL_S)

    def begin_freeze(self) -> None:
        """Tell all processes to stop, without waiting until they have."""
        with self._lock:
            if self._first and self._group is not None and self._group.can_freeze:
                self._group.freeze()
            elif self._first:
                stop(self._first)

    def is_frozen(self) -> bool:
        """Return whether all processes have stopped, after `begin_freeze`. It is true of a sandbox that has ended."""
        with self._lock:
            if self._first and self._group is not None and self._group.can_freeze:
                self._is_frozen = self._group.is_frozen()
                return self._is_frozen
            return True

    def thaw(self) -> None:
        """Let all processes run on."""
        with self._lock:
            self._is_frozen = False
            if self._first and self._group is not None and self._group.can_freeze:
                self._group.thaw()
            elif self._first:
                resume(self._first)

    def pin(self, core: int) -> None:
        """Move all threads to this core. The program cannot choose another one. Call it while the sandbox is frozen."""
        with self._lock:
            if core != self._core:
                for thread in self._threads():
                    with suppress(ProcessLookupError):
                        os.sched_setaffinity(thread, {core})
                self._core = core

    def usage(self) -> SandboxUsage:
        """Return what all processes have used so far."""
        with self._lock:
            if self._first:
                self._measure()
            return self._usage

    def processor_s(self) -> float:
        """Return the processor time of all processes so far, in seconds. It is cheaper than `usage`."""
        with self._lock:
            if self._first and self._group is not None and self._group.counts_processor:
                return self._group.processor_s()
        return self.usage().processor_s

    def queued_s(self) -> float:
        """Return the longest time, in seconds, for which one of the threads that live now has waited for a core."""
        return max(self.waits().values(), default=0.0)

    def waits(self) -> dict[int, float]:
        """Return for how many seconds each of the threads that live now has waited for a core."""
        with self._lock:
            return {thread: queued_s(thread) for thread in self._threads()}

    def waits_for_disk(self) -> bool:
        """Return whether a thread waits for a disk now."""
        with self._lock:
            return any(waits_for_disk(thread) for thread in self._threads())

    def output_lengths(self) -> tuple[int, int]:
        """Return the number of bytes that the program has written to standard output and to standard error so far."""
        with self._output_lock:
            for output in self._outputs:  # a pipe holds no more than one `read` takes
                output.read()
            return self._lengths_read()

    def _lengths_read(self) -> tuple[int, int]:
        if self._outputs:
            self._output_lengths = self._outputs[0].length, self._outputs[1].length
        return self._output_lengths

    def _forget_outputs(self) -> None:
        """Read nothing more, because the pipes are closed next."""
        with self._output_lock:
            self._lengths_read()
            self._outputs = ()

    def kill(self) -> None:
        """End all processes at once, frozen ones too. `wait` returns when they have gone."""
        self._is_killed = True
        self._kill()

    def abort(self) -> None:
        """Send SIGABRT to the program and its children. Python with PYTHONFAULTHANDLER then writes where it was."""
        with self._lock:
            for pid in sandbox_processes(self._first) if self._first else ():
                if pid != self._first:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGABRT)

    def wait(self, timeout_s: float | None = None) -> SandboxVerdict:
        """Return the verdict once nothing of the sandbox is left. Raise `TimeoutError` after `timeout_s` seconds."""
        if not self._ended.wait(timeout_s):
            raise TimeoutError(f"the sandbox runs on after {timeout_s} s")
        assert self._verdict is not None
        return self._verdict

    def _threads(self) -> list[int]:
        if not self._first:
            return []
        if self._group is not None:
            return self._group.threads()
        return [thread for pid in sandbox_processes(self._first) for thread in process_threads(pid)]

    def _kill(self) -> None:
        with self._lock:
            if self._first:
                # The kernel kills all other processes of the namespace with its first one.
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._first_handle, signal.SIGKILL)

    def _kill_for(self, limit: SandboxLimit) -> None:
        self._reached.add(limit)
        if self._limit is None and not self._is_killed:
            self._limit = limit
        self._kill()

    def _measure(self) -> None:
        """Store what is used now. The lock is held."""
        group, former = self._group, self._usage
        pids = sandbox_processes(self._first) if group is None or not group.counts_all else []
        totals = process_totals(pids) if pids else None
        processor_s = max(former.processor_s, totals.processor_s if totals else 0.0)
        if group is not None and group.counts_processor:
            processor_s = group.processor_s()
        if group is not None and group.counts_memory:
            memory, peak = group.memory_bytes()
        else:
            memory = totals.memory_bytes if totals else 0
            if memory > self._limits.memory_bytes:
                memory = proportional_memory(pids)
            peak = memory
        threads = totals.threads if totals else len(self._threads())
        self._usage = SandboxUsage(
            processor_s=processor_s,
            memory_bytes=memory,
            peak_memory_bytes=max(peak, former.peak_memory_bytes),
            processes=max(0, threads - 1),
        )

    def _check_limits(self) -> None:
        """Kill the sandbox if it has reached a limit that ends it; note the other ones."""
        with self._lock:
            if not self._first:
                return
            with suppress(OSError):  # the processes may end at any time
                self._measure()
            with suppress(OSError):
                scratch = os.fstatvfs(self._scratch)
                if not (scratch.f_bfree and scratch.f_ffree):
                    self._reached.add(SandboxLimit.DISK)
            usage, limits, group = self._usage, self._limits, self._group
            counted = group is not None and group.counts_processes
            if group.has_refused_processes() if counted and group else usage.processes >= limits.processes:
                self._reached.add(SandboxLimit.PROCESSES)
            if group is not None and group.counts_memory:
                is_memory_exceeded = group.has_exceeded_memory()
            else:
                is_memory_exceeded = usage.memory_bytes > limits.memory_bytes
        if is_memory_exceeded:
            self._kill_for(SandboxLimit.MEMORY)
        if usage.processor_s > limits.processor_s:
            self._kill_for(SandboxLimit.PROCESSOR)

    def _run(self) -> None:
        try:
            self._verdict = self._watch()
        except (OSError, subprocess.SubprocessError, GroupFailure, SandboxStartFailure, ValueError) as error:
            log.warning("sandbox_failed", error=str(error))
            nothing = KeptOutput()
            self._verdict = SandboxVerdict(
                end=SandboxEnd.START_FAILED, usage=self._usage, wall_s=0.0, stdout=nothing,
                stderr=nothing, reason=str(error),
            )  # fmt: skip
        finally:
            self.started.set()
            self._ended.set()

    def _watch(self) -> SandboxVerdict:
        """Start bubblewrap, watch it until its end, and clean up."""
        with ExitStack() as stack:
            if self._roots is not None and (self._roots.v1 or self._roots.unified):
                self._group = ControlGroup(
                    self._roots,
                    memory_bytes=self._limits.memory_bytes,
                    processes=self._limits.processes,
                    comes_first=self._limits.comes_first,
                )
                stack.callback(self._remove, self._group)
            pipes = SandboxPipes(stack)
            monitor = self._start_bubblewrap(pipes, stack)
            stdout, stderr = OutputReader(pipes.stdout.reader), OutputReader(pipes.stderr.reader)
            pipes.close_writers()
            self._outputs = stdout, stderr
            stack.callback(self._forget_outputs)
            reason = ""
            try:
                self._admit(pipes)
                reason = self._follow(pipes, monitor, [stdout, stderr])
            except SandboxStartFailure as error:
                reason = str(error)
            finally:
                self._end(monitor)
            with self._output_lock:
                for reader in (stdout, stderr):
                    # All writers have gone, so a pipe holds no more than its buffer.
                    while readable({reader.descriptor}, 0) and reader.read():
                        pass
            if not reason and not self.started.is_set():
                reason = "it ended before the program began"
            if reason:
                reason = f"{reason} {stderr.kept().text()}".strip()
            return self._judge(monitor.returncode, reason, stdout.kept(), stderr.kept())

    def _remove(self, group: ControlGroup) -> None:
        try:
            group.remove()
        except GroupFailure as error:
            # The verdict counts all the same. The next runner tries again (`find_group_roots`).
            log.error("sandbox_group_left", error=str(error))

    def _start_bubblewrap(self, pipes: SandboxPipes, stack: ExitStack) -> subprocess.Popen[bytes]:
        program = bubblewrap_program()
        if program is None or not program.exists():
            raise SandboxStartFailure(f"bubblewrap is not installed{f' at {program}' if program else ''}")
        settings = os.memfd_create("sandbox")
        stack.callback(os.close, settings)
        is_counted = self._group is not None and self._group.counts_all
        os.write(
            settings,
            entry_settings(
                self._command, self._environment, self._limits, report=pipes.report.writer, is_counted=is_counted
            ),
        )
        os.lseek(settings, 0, os.SEEK_SET)
        arguments = bubblewrap_arguments(
            program, self._mounts, settings=settings, block=pipes.block.reader, status=pipes.status.writer
        )
        user = FIRST_USER + secrets.randbelow(FIRST_USER) if has_own_users() else 0
        return subprocess.Popen(  # noqa: S603  # the program is the operator's, and the bot runs inside of it
            [INTERPRETER, "-I", "-S", "-c", BECOME, str(os.getpid()), str(user), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=pipes.stdout.writer,
            stderr=pipes.stderr.writer,
            env={},
            cwd="/",
            pass_fds=[settings, pipes.block.reader, pipes.status.writer, pipes.report.writer],
        )

    def _admit(self, pipes: SandboxPipes) -> None:
        """Put the sandbox's first process into its groups, and let it begin."""
        status = b""
        end = time.monotonic() + START_TIMEOUT_S
        while b"\n" not in status:
            if not readable({pipes.status.reader}, end - time.monotonic()):
                raise SandboxStartFailure(f"bubblewrap makes no namespaces within {START_TIMEOUT_S:.0f} s.")
            data = os.read(pipes.status.reader, 4096)
            if not data:
                raise SandboxStartFailure("bubblewrap makes no namespaces.")
            status += data
        found = re.search(rb'"child-pid": (\d+)', status)
        if found is None:
            raise SandboxStartFailure("bubblewrap names no process.")
        first = int(found[1])
        handle = os.pidfd_open(first)
        if self._group is not None:
            try:
                self._group.add(first)
            except GroupFailure as error:
                os.close(handle)
                raise SandboxStartFailure(str(error)) from error
        with self._lock:
            self._first, self._first_handle = first, handle
        if self._is_killed:
            self._kill()
        os.write(pipes.block.writer, b"x")

    def _follow(self, pipes: SandboxPipes, monitor: subprocess.Popen[bytes], outputs: list[OutputReader]) -> str:
        """Read the outputs and check the limits until bubblewrap ends. Return the error of `entry.py`, or ""."""
        report = b""
        monitor_handle = os.pidfd_open(monitor.pid)
        open_readers = {output.descriptor: output for output in outputs}
        waiting = {monitor_handle, pipes.report.reader, *open_readers}
        next_check = time.monotonic() + CHECK_INTERVAL_S
        try:
            while True:
                ready = readable(waiting, next_check - time.monotonic())
                if pipes.report.reader in ready:
                    data, descriptors = pipes.read_report()
                    report += data
                    if descriptors:
                        [self._scratch] = descriptors
                    if not data:
                        waiting.discard(pipes.report.reader)
                    elif report == STARTING:
                        self._begun = time.monotonic()
                        self.started.set()
                with self._output_lock:
                    for descriptor in open_readers.keys() & ready:
                        if not open_readers[descriptor].read():
                            waiting.discard(descriptor)
                if sum(output.length for output in outputs) > self._limits.output_bytes:
                    waiting.difference_update(open_readers)
                    self._kill_for(SandboxLimit.OUTPUT)
                if time.monotonic() >= next_check or monitor_handle in ready:
                    if not self._is_frozen or monitor_handle in ready:
                        self._check_limits()
                    next_check = time.monotonic() + CHECK_INTERVAL_S
                if monitor_handle in ready:
                    return report.removeprefix(STARTING).decode("utf-8", "replace")
        finally:
            os.close(monitor_handle)
            if self._scratch >= 0:
                os.close(self._scratch)
                self._scratch = -1

    def _end(self, monitor: subprocess.Popen[bytes]) -> None:
        """Kill what still runs, and wait until it has gone."""
        self._kill()
        monitor.kill()
        monitor.wait()
        if not self._first:
            return
        if not readable({self._first_handle}, END_TIMEOUT_S):
            log.error("sandbox_does_not_end", pid=self._first)
        with self._lock:
            with suppress(OSError):
                self._measure()
            os.close(self._first_handle)
            self._first, self._first_handle = 0, -1

    def _judge(self, code: int, reason: str, stdout: KeptOutput, stderr: KeptOutput) -> SandboxVerdict:
        exit_code = signal_number = None
        if self._limit is not None:
            end = SandboxEnd.LIMIT
        elif self._is_killed:
            end = SandboxEnd.KILLED
        elif reason:
            end = SandboxEnd.START_FAILED
        elif SIGNAL_BASE < code <= SIGNAL_BASE + signal.SIGRTMAX:
            end, signal_number = SandboxEnd.CRASHED, code - SIGNAL_BASE
        else:
            end, exit_code = SandboxEnd.EXITED, code
        return SandboxVerdict(
            end=end,
            exit_code=exit_code,
            signal=signal_number,
            limit=self._limit,
            reached=frozenset(self._reached),
            usage=self._usage,
            wall_s=time.monotonic() - self._begun if self._begun else 0.0,
            stdout=stdout,
            stderr=stderr,
            reason=reason if end is SandboxEnd.START_FAILED else "",
        )
