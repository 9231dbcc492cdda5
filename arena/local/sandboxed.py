"""A competitor in the sandbox of hosted bots: built, started and limited as an arena would do it.

A runner of an arena also gives it a core of its own and freezes it between its turns. Here it shares the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from arena.hosting.archives import BundleError
from arena.hosting.building import build
from arena.hosting.bundle import WEIGHTS, Bundle, pack, unpack
from arena.hosting.faults import fault_of
from arena.hosting.limits import DEFAULT_LIMITS, bot_limits
from arena.hosting.preparing import prepare_folder
from arena.hosting.runtime import BOT_ENVIRONMENT, BotFiles, resolve_command
from arena.local.dialled import ProgramBot
from arena.local.gateway import LocalGateway
from arena.local.process import last_line
from arena.sandbox.limits import SandboxEnd, SandboxLimits, SandboxVerdict
from arena.sandbox.running import start


@dataclass(frozen=True, slots=True)
class HostedImage:
    """A bot that is ready to run in a sandbox."""

    files: BotFiles
    command: tuple[str, ...]
    memory_bytes: int
    source: Bundle
    """The files that its author would hand in."""
    image: Bundle
    """The files that runners would play: the result of the build, or the source."""


def prepare_image(source: Path, folder: Path, log: Callable[[str], None]) -> HostedImage:
    """Prepare and pack a folder, or an archive or file, as a submission; build it if its manifest says so; unpack it.

    `folder` is an empty folder, which other users can reach. `log` gets the output of the build. Raises `BundleError`,
    `ManifestError`, `BuildFailure` and `SandboxStartFailure`.
    """
    if source.is_dir():
        prepare_folder(source, DEFAULT_LIMITS, log)
    bundle = image = pack(source, source.resolve().name, folder / "source.bundle", DEFAULT_LIMITS)
    unpacked = folder / "source"
    unpack(bundle.packed, bundle.sha256, unpacked, DEFAULT_LIMITS)
    if bundle.manifest.build:
        image = build(unpacked, bundle.manifest, folder / "image.bundle", DEFAULT_LIMITS, log)
        unpacked = folder / "image"
        unpack(image.packed, image.sha256, unpacked, DEFAULT_LIMITS)
    weights = None
    if bundle.weights_sha256 and bundle.weights is None:
        raise BundleError(f"its weights are not here: put their files into the folder {WEIGHTS}")
    if bundle.weights is not None:
        weights = folder / "weights"
        unpack(bundle.weights.packed, bundle.weights.sha256, weights, DEFAULT_LIMITS)
    command = resolve_command(bundle.manifest.command)
    return HostedImage(BotFiles(unpacked, weights), command, bundle.manifest.memory_bytes, bundle, image)


class SandboxProcess:
    """A bot in its sandbox, with the interface of `BotProcess`."""

    def __init__(
        self,
        image: HostedImage,
        socket: Path,
        token: str,
        output: Path | None,
        ended: Callable[[], None],
        *,
        limits: SandboxLimits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the bot.

        - `socket`: the Unix socket that it dials.
        - `output`: file to which its output is added when it has ended; by default the error output.
        - `ended`: called from another thread when it has ended.
        - `limits`: limits of the sandbox; by default those of a hosted bot.
        - `environment`: what is added to the environment of hosted bots.
        """
        self.limits = limits or bot_limits(image.memory_bytes)
        self._output = output
        self._ended = ended
        variables = {**BOT_ENVIRONMENT, "ARENA_TOKEN": token, **(environment or {})}
        self.sandbox = start(image.command, image.files.mounts(socket), self.limits, environment=variables)
        self._verdict: SandboxVerdict | None = None
        self._is_output_kept = Event()
        Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        try:
            verdict = self._verdict = self.sandbox.wait()
            text = verdict.stdout.text() + verdict.stderr.text()
            if self._output is None:
                sys.stderr.write(text)
            else:
                with self._output.open("a", encoding="utf-8") as file:
                    file.write(text)
        finally:
            self._is_output_kept.set()
        self._ended()

    def how_it_ended(self) -> str:
        """Describe its end, with the last line that it printed."""
        verdict = self._verdict or self.sandbox.wait()
        if verdict.end is SandboxEnd.START_FAILED:
            return f"no sandbox could be made: {verdict.reason}"
        found = fault_of(verdict, self.limits)
        return (found[1] if found else "the machine or the user ended it") + self.last_words()

    def last_words(self) -> str:
        """Return the last line that it printed; nothing while it runs."""
        if self._verdict is None:
            return ""
        words = last_line(self._verdict.stderr.text() or self._verdict.stdout.text())
        return f"; it printed last: {words}" if words else "; it printed nothing"

    def kill(self) -> None:
        """End the bot and everything that it started. Its output is kept when this returns."""
        self.sandbox.kill()
        self._is_output_kept.wait()


class SandboxedBot(ProgramBot):
    """A bot that runs in a sandbox: one sandbox, at one table."""

    def __init__(
        self, name: str, image: HostedImage, gateway: LocalGateway, socket: Path, wait_s: float, output: Path | None
    ) -> None:
        self._image = image
        self._socket = socket
        self._output = output
        super().__init__(name, gateway, wait_s)

    def _launch(self, token: str, ended: Callable[[], None]) -> SandboxProcess:
        return SandboxProcess(self._image, self._socket, token, self._output, ended)
