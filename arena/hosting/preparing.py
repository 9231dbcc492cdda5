"""Prepare a bot on its author's machine: fetch the packages that a build without network needs.

This runs the author's own command on the author's own machine, outside of any sandbox. An arena never does.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.hosting.archives import BundleError
from arena.hosting.building import COMMAND_NOT_FOUND
from arena.hosting.limits import HostingLimits
from arena.hosting.manifest import MANIFEST_NAME, read_manifest_file
from arena.hosting.runtime import PYTHON_VERSION, libc_version

VENDOR: Final = "vendor"
"""Folder of a bot's Python packages. It is in the PYTHONPATH of every hosted bot."""
VENDOR_MARK: Final = ".arena-vendor"
"""File in `VENDOR` with the hash of the list that it was made from."""
REQUIREMENTS: Final = "requirements.txt"
UV_LOCK: Final = "uv.lock"
PROVIDED: Final = re.compile(r"\s*naqala[-_.]arena(?![\w.-])", re.IGNORECASE)
"""A requirement that the runtime has already, and no index of packages does."""


UV_PLATFORMS: Final = (*range(40, 30, -1), 28, 17)
"""Versions of the GNU C library, after "2.", for which uv chooses wheels."""
OLDEST_WHEELS: Final = 17
"""The oldest of them for which packages have wheels today."""


@dataclass(frozen=True, slots=True)
class WheelTarget:
    """The machine that wheels are chosen for."""

    python: str = PYTHON_VERSION
    """Version, such as "3.11"."""
    machine: str = platform.machine()
    libc: str = libc_version()
    """Version of the GNU C library; empty if it is not known."""

    def __str__(self) -> str:
        return f"Python {self.python} on {self.machine} Linux"

    @property
    def _minor(self) -> int:
        return int(self.libc.partition(".")[2] or OLDEST_WHEELS) if self.libc.startswith("2.") else OLDEST_WHEELS

    def uv_options(self) -> list[str]:
        """Return the options of uv that choose these wheels."""
        version = next((version for version in UV_PLATFORMS if version <= self._minor), OLDEST_WHEELS)
        return ["--python-version", self.python, "--python-platform", f"{self.machine}-manylinux_2_{version}"]

    def pip_options(self) -> list[str]:
        """Return the options of pip that choose these wheels. It must be given the older platforms, too."""
        names = [f"manylinux_2_{minor}" for minor in range(self._minor, OLDEST_WHEELS - 1, -1)] + ["manylinux2014"]
        platforms = [word for name in names for word in ("--platform", f"{name}_{self.machine}")]
        return ["--python-version", self.python, "--implementation", "cp", *platforms]


def prepare_folder(
    folder: Path,
    limits: HostingLimits,
    log: Callable[[str], None],
    target: Callable[[], WheelTarget] = WheelTarget,
) -> None:
    """Run the command `prepare` of a bot's manifest in its folder; for Python also install its packages to `vendor`.

    Packages come from `uv.lock` or `requirements.txt`, unless the author has a folder `vendor` of another origin.
    `target` is called if there are packages to install; by default they are for this machine. `log` gets the output.
    Raises `BundleError` and `ManifestError`.
    """
    manifest = folder / MANIFEST_NAME
    if not manifest.is_file():
        return
    found = read_manifest_file(manifest, limits)
    if found.prepare:
        _run(found.prepare, folder, log, f"correct `prepare` in {MANIFEST_NAME}, or what it calls")
    elif found.language == "python":
        _vendor_python(folder, log, target)


def _run(command: Sequence[str], folder: Path, log: Callable[[str], None], advice: str) -> None:
    """Run a command. `advice` says what to do if it fails."""
    program = " ".join(command)[:200]
    log(f"preparing: {program}\n")
    try:
        done = subprocess.run(  # noqa: S603 - the author's own command
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise BundleError(f"cannot run {command[0]!r}, which prepares the bot: {error.strerror}: install it") from None
    log(done.stdout.decode("utf-8", "replace"))
    if done.returncode == COMMAND_NOT_FOUND:
        advice = "it calls a program that this machine does not have: install it"
    if done.returncode != 0:
        raise BundleError(f"preparing the bot has failed with exit code {done.returncode}: {advice} ({program})")


def _vendor_python(folder: Path, log: Callable[[str], None], target: Callable[[], WheelTarget]) -> None:
    source = next((folder / name for name in (UV_LOCK, REQUIREMENTS) if (folder / name).is_file()), None)
    if source is None:
        return
    vendor, mark = folder / VENDOR, folder / VENDOR / VENDOR_MARK
    if vendor.exists() and not mark.exists():
        log(f"{VENDOR} was not made from {source.name}, and stays as it is\n")
        return
    wheels = target()
    digest = hashlib.sha256(source.read_bytes() + repr(wheels).encode()).hexdigest()
    if mark.exists() and mark.read_text(encoding="ascii") == digest:
        return
    has_uv = shutil.which("uv") is not None
    if source.name == UV_LOCK and not has_uv:
        raise BundleError(f"{UV_LOCK} needs uv: install it, or write {REQUIREMENTS}")
    shutil.rmtree(vendor, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="arena-vendor-") as scratch:
        wanted, unfinished = Path(scratch) / REQUIREMENTS, Path(scratch) / VENDOR
        if source.name == UV_LOCK:
            export = ["uv", "export", "--frozen", "--no-dev", "--no-emit-project", "-o", str(wanted)]
            _run(export, folder, log, f"write {UV_LOCK} anew with uv lock")
        else:
            shutil.copyfile(source, wanted)
        lines = wanted.read_text(encoding="utf-8").splitlines(keepends=True)
        wanted.write_text("".join(line for line in lines if not PROVIDED.match(line)), encoding="utf-8")
        install = [*_installer(wheels, has_uv=has_uv), "--only-binary", ":all:", "--target", str(unfinished)]
        advice = f"a package of {source.name} is unknown or has no wheel for {wheels}; the output above names it"
        _run([*install, "-r", str(wanted)], folder, log, advice)
        unfinished.mkdir(exist_ok=True)
        (unfinished / VENDOR_MARK).write_text(digest, encoding="ascii")
        shutil.move(unfinished, vendor)


def _installer(wheels: WheelTarget, *, has_uv: bool) -> list[str]:
    """Return the command that installs wheels of the runtime, without the packages of this machine."""
    if has_uv:
        return ["uv", "pip", "install", *wheels.uv_options()]
    if shutil.which("pip"):
        return ["pip", "install", "--quiet", *wheels.pip_options()]
    raise BundleError("the bot has a list of packages, and neither uv nor pip is there to fetch them: install uv")
