"""Prepare a bot on its author's machine: fetch the packages that a build without network needs.

This runs the author's own command on the author's own machine, outside of any sandbox. An arena never does.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from arena.hosting.archives import BundleError
from arena.hosting.limits import HostingLimits
from arena.hosting.manifest import MANIFEST_NAME, read_manifest

VENDOR: Final = "vendor"
"""Folder of a bot's Python packages. It is in the PYTHONPATH of every hosted bot."""
VENDOR_MARK: Final = ".arena-vendor"
"""File in `VENDOR` with the hash of the list that it was made from."""
REQUIREMENTS: Final = "requirements.txt"
UV_LOCK: Final = "uv.lock"
PROVIDED: Final = re.compile(r"\s*naqala[-_.]arena(?![\w.-])", re.IGNORECASE)
"""A requirement that the runtime has already, and no index of packages does."""


def prepare_folder(folder: Path, limits: HostingLimits, log: Callable[[str], None]) -> None:
    """Run the command `prepare` of a bot's manifest in its folder; for Python also install its packages to `vendor`.

    Packages come from `uv.lock` or `requirements.txt`, unless the author has a folder `vendor` of another origin. `log`
    gets the output. Raises `BundleError` and `ManifestError`.
    """
    manifest = folder / MANIFEST_NAME
    if not manifest.is_file():
        return
    found = read_manifest(manifest.read_text(encoding="utf-8", errors="replace"), limits)
    if found.prepare:
        _run(found.prepare, folder, log)
    elif found.language == "python":
        _vendor_python(folder, log)


def _run(command: Sequence[str], folder: Path, log: Callable[[str], None]) -> None:
    program = " ".join(command)[:200]
    log(f"preparing: {program}\n")
    try:
        done = subprocess.run(  # noqa: S603 - the author's own command
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    except OSError as error:
        raise BundleError(f"cannot run {command[0]!r}, which prepares the bot: {error.strerror}") from None
    log(done.stdout.decode("utf-8", "replace"))
    if done.returncode != 0:
        raise BundleError(f"the command that prepares the bot has failed with exit code {done.returncode}: {program}")


def _vendor_python(folder: Path, log: Callable[[str], None]) -> None:
    source = next((folder / name for name in (UV_LOCK, REQUIREMENTS) if (folder / name).is_file()), None)
    if source is None:
        return
    vendor, digest = folder / VENDOR, hashlib.sha256(source.read_bytes()).hexdigest()
    mark = vendor / VENDOR_MARK
    if vendor.exists() and not mark.exists():
        log(f"{VENDOR} was not made from {source.name}, and stays as it is\n")
        return
    if mark.exists() and mark.read_text(encoding="ascii") == digest:
        return
    shutil.rmtree(vendor, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="arena-vendor-") as scratch:
        wanted, unfinished = Path(scratch) / REQUIREMENTS, Path(scratch) / VENDOR
        if source.name == UV_LOCK:
            _run(["uv", "export", "--frozen", "--no-dev", "--no-emit-project", "-o", str(wanted)], folder, log)
        else:
            shutil.copyfile(source, wanted)
        lines = wanted.read_text(encoding="utf-8").splitlines(keepends=True)
        wanted.write_text("".join(line for line in lines if not PROVIDED.match(line)), encoding="utf-8")
        _run([*_installer(), "--target", str(unfinished), "-r", str(wanted)], folder, log)
        unfinished.mkdir(exist_ok=True)
        (unfinished / VENDOR_MARK).write_text(digest, encoding="ascii")
        shutil.move(unfinished, vendor)


def _installer() -> list[str]:
    """Return the command that installs packages for the Python of the runtime, without the packages of this machine."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--python-version", version, "--only-binary", ":all:"]
    if shutil.which("pip"):
        return ["pip", "install", "--quiet", "--python-version", version, "--only-binary", ":all:"]
    raise BundleError("the bot has a list of packages, and neither uv nor pip is there to fetch them: install uv")
