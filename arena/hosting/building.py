"""Build a bot in a sandbox without network, from its source to the bundle that plays.

Log and result leave the sandbox through a socket. Both are as hostile as what authors hand in, and are read like it.
"""

from __future__ import annotations

import codecs
import json
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from arena.hosting.archives import LEFT_OUT, TAR_END_BYTES, TAR_HEADERS_BYTES, BundleError, too_large
from arena.hosting.bundle import Bundle, pack_result, weights_of
from arena.hosting.faults import fault_of
from arena.hosting.limits import HostingLimits, build_limits
from arena.hosting.manifest import BotManifest
from arena.hosting.runtime import BOT_ENVIRONMENT, bot_runtime, resolve_command
from arena.sandbox.bubblewrap import INTERPRETER
from arena.sandbox.limits import CONTROL_PICTURES, IMAGE_PATH, MIB, SOCKET_PATH, Mounts, SandboxEnd, SandboxVerdict
from arena.sandbox.running import RunningSandbox, SandboxStartFailure, start

WORK_PATH: Final = "/tmp/bot"  # noqa: S108 - in the sandbox
LOG, RESULT = b"L", b"R"
COMMAND_NOT_FOUND: Final = 127
"""Exit code of a shell that does not find a program."""
FRAME_HEADER_BYTES: Final = 5
FRAME_BYTES: Final = 1 << 16
CHECK_INTERVAL_S: Final = 0.5
"""Seconds between two looks at the time that a silent build has taken."""
LONGEST_INTERVAL_S: Final = 2.0
"""Seconds that count at most as idle between two looks. In a longer interval the runner itself did not run."""


class BuildFailure(Exception):
    """The build failed by a fault of the bot. The message is one line that says what to do."""


class _BuildStopped(Exception):
    """The build sends too much or takes too long. The message says which."""


def build(
    source: Path, manifest: BotManifest, target: Path, limits: HostingLimits, log: Callable[[str], None]
) -> Bundle:
    """Build the bot whose unpacked bundle is the folder `source`, and write the result to the file `target`.

    The manifest must have a build command. `log` gets the output of the build piece by piece, and an empty text twice a
    second. If it raises, the build is killed. Raises `BuildFailure` for a fault of the bot, and `SandboxStartFailure`
    if this machine is to blame.
    """
    try:
        command = resolve_command(manifest.build)
    except BundleError as error:
        raise BuildFailure(f"the build cannot start: {error}") from None
    if "/" in manifest.build[0] and not manifest.build[0].startswith("/"):
        command = manifest.build  # relative to the folder of the build, and not to the image
    with tempfile.TemporaryDirectory(prefix="arena-build-") as place, socket.socket(socket.AF_UNIX) as listener:
        folder = Path(place)
        folder.chmod(0o711)  # the sandbox may have a user of its own
        listener.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o666)
        listener.listen(1)
        listener.settimeout(CHECK_INTERVAL_S)
        sandbox = _start(source, command, folder / "socket", limits)
        stopped = ""
        try:
            with (folder / "result").open("wb") as result:
                _BuildReceiver(sandbox, listener, result, limits, log).receive()
        except _BuildStopped as reason:
            stopped = str(reason)
        finally:
            sandbox.kill()
            verdict = sandbox.wait()
        _check_verdict(verdict, stopped, limits)
        try:
            return pack_result(folder / "result", target, limits, manifest, weights_of(source))
        except BundleError as error:
            raise BuildFailure(f"the result of the build cannot be used: {error}") from None


def _start(source: Path, command: tuple[str, ...], path: Path, limits: HostingLimits) -> RunningSandbox:
    settings = {
        "command": command,
        "socket": SOCKET_PATH,
        "source": IMAGE_PATH,
        "work": WORK_PATH,
        "left_out": sorted(LEFT_OUT),
    }
    builder = Path(__file__).with_name("builder.py").read_text(encoding="utf-8")
    return start(
        [INTERPRETER, "-I", "-S", "-c", builder, json.dumps(settings)],
        Mounts(image=source, socket=path, runtime=bot_runtime()),
        build_limits(limits),
        environment={"PATH": BOT_ENVIRONMENT["PATH"], "NO_COLOR": "1"},
    )


def _check_verdict(verdict: SandboxVerdict, stopped: str, limits: HostingLimits) -> None:
    """Raise unless the build ended well by itself."""
    if verdict.end is SandboxEnd.START_FAILED:
        raise SandboxStartFailure(verdict.reason)
    if stopped:
        raise BuildFailure(f"the build was killed: {stopped}")
    if verdict.end is SandboxEnd.EXITED and verdict.exit_code == 0:
        return
    found = fault_of(verdict, build_limits(limits))
    if found is None:
        raise SandboxStartFailure("the machine ended the build")
    how = f"exit code {verdict.exit_code}" if verdict.end is SandboxEnd.EXITED else found[1]
    if verdict.exit_code == COMMAND_NOT_FOUND:
        how += ", which means that it calls a program that the runtime does not have"
    words = verdict.stderr.text().strip().rsplit("\n", 1)[-1]
    raise BuildFailure(f"the build failed: {how}; the log says why" + (f" ({words})" if words else ""))


class _BuildReceiver:
    """Receives log and result of one build, within their limits."""

    def __init__(
        self,
        sandbox: RunningSandbox,
        listener: socket.socket,
        result: IO[bytes],
        limits: HostingLimits,
        log: Callable[[str], None],
    ) -> None:
        self._sandbox = sandbox
        self._listener = listener
        self._result = result
        self._limits = limits
        self._log = log
        self._begun = self._checked = time.monotonic()
        self._queued_s = 0.0
        """Seconds for which the build has waited for a core. They are not its own."""
        self._waits: dict[int, float] = {}
        """Seconds for which each of its threads had waited for a core at the last look."""
        self._processor_s = self._idle_s = 0.0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._left_log = build_limits(limits).output_bytes
        self._left_result = limits.unpacked_bytes + limits.files * TAR_HEADERS_BYTES + TAR_END_BYTES

    def receive(self) -> None:
        """Receive until the builder ends. Raises `_BuildStopped` if it exceeds a limit."""
        connection = self._accept()
        if connection is None:
            return
        with connection:
            connection.settimeout(CHECK_INTERVAL_S)
            while header := self._read(connection, FRAME_HEADER_BYTES):
                length = int.from_bytes(header[1:], "big")
                if length > FRAME_BYTES or header[:1] not in {LOG, RESULT}:
                    raise _BuildStopped("it wrote to the socket of the builder")
                self._take(header[:1], self._read(connection, length))
        while not self._has_ended(CHECK_INTERVAL_S):
            self._check_time()

    def _take(self, kind: bytes, data: bytes) -> None:
        if kind == RESULT:
            self._left_result -= len(data)
            if self._left_result < 0:
                raise _BuildStopped(str(too_large(self._limits)))
            self._result.write(data)
            return
        self._left_log -= len(data)
        if self._left_log < 0:
            raise _BuildStopped(f"it wrote more than {build_limits(self._limits).output_bytes // MIB} MB of output")
        if text := self._decoder.decode(data).translate(CONTROL_PICTURES):
            self._log(text)

    def _accept(self) -> socket.socket | None:
        """Return the connection of the builder; `None` if the sandbox ended without one."""
        while True:
            self._check_time()
            try:
                return self._listener.accept()[0]
            except TimeoutError:
                if self._has_ended():
                    return None

    def _read(self, connection: socket.socket, length: int) -> bytes:
        """Return this many bytes; nothing if the connection ends before."""
        data = bytearray()
        while len(data) < length:
            self._check_time()
            try:
                piece = connection.recv(length - len(data))
            except TimeoutError:
                if self._has_ended():
                    return b""
                continue
            except ConnectionError:
                return b""
            if not piece:
                return b""
            data += piece
        return bytes(data)

    def _check_time(self) -> None:
        now = time.monotonic()
        passed_s = now - self._checked
        if passed_s < CHECK_INTERVAL_S:
            return
        self._checked = now
        self._log("")
        waits = self._sandbox.waits()
        # Each thread by itself: one that has just begun may wait, too.
        waited_s = max((wait_s - self._waits.get(thread, 0.0) for thread, wait_s in waits.items()), default=0.0)
        queued_s = min(passed_s, max(0.0, waited_s))
        processor_s = self._sandbox.processor_s()
        own_s = min(passed_s, LONGEST_INTERVAL_S) - queued_s - (processor_s - self._processor_s)
        self._idle_s += max(0.0, own_s)
        self._queued_s += queued_s
        self._waits, self._processor_s = waits, processor_s
        if self._idle_s > self._limits.build_idle_s:
            raise _BuildStopped(
                f"it did nothing for {self._limits.build_idle_s / 60:g} minutes; a build has no network, and nothing to"
                " wait for"
            )
        wall_s, most_s = now - self._begun, self._limits.build_wall_s
        # Threads that compete with each other wait, too, so another limit does not depend on waiting.
        if wall_s - self._queued_s > most_s or wall_s > 2 * most_s:
            raise _BuildStopped(f"it took more than {self._limits.build_wall_s / 60:g} minutes")

    def _has_ended(self, within_s: float = 0.0) -> bool:
        try:
            self._sandbox.wait(within_s)
        except TimeoutError:
            return False
        return True
