"""Choose the compiled form of a package: the same Python source, compiled by Cython at build time (setup.py).

Compiled modules lie in the folder `_native` of their package, never beside the source, with the digests of all their
sources. `native_path` puts that folder first on the package's path only while these digests match. A stale compiled
module thus never shadows edited source. Without compiled modules the plain source runs: slower, otherwise the same.

The environment variable `ARENA_PURE=1` forces the plain source.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

FOLDER: Final = "_native"
MANIFEST: Final = "SHA256SUMS"
COMPILED: Final = "compiled"
PURE: Final = "pure"
STALE: Final = "pure (stale build)"

_forms: dict[str, str] = {}


def native_path(path: Iterable[str], package: str) -> list[str]:
    """Return the `__path__` of a package, with its compiled modules first if they exist and are up to date.

    Call it in the package's `__init__.py`, before any import of the package's own modules: `__path__ =
    native_path(__path__, __name__)`.
    """
    folders = list(path)
    _forms[package] = PURE if is_pure_wanted() else form_of(Path(folders[0]))
    if _forms[package] == COMPILED:
        folders.insert(0, str(Path(folders[0], FOLDER)))
    return folders


def form(package: str = "arena.rules") -> str:
    """Return the form of a package in this process: `compiled`, `pure`, or `pure (stale build)`."""
    __import__(package)
    return _forms.get(package, PURE)


def is_pure_wanted() -> bool:
    """Return whether the environment forces the plain source."""
    return os.environ.get("ARENA_PURE", "") not in ("", "0")


def form_of(folder: Path) -> str:
    """Return the form in which the package in a folder can run. It is compiled only if every digest matches."""
    try:
        manifest = Path(folder, FOLDER, MANIFEST).read_text(encoding="utf-8")
    except OSError:
        return PURE
    names = [line.split("  ", 1)[-1] for line in manifest.splitlines()]
    modules = [name.removesuffix(".py") for name in names if name.endswith(".py")]
    if not all(_has_binary(folder, module) for module in modules):
        return PURE
    return COMPILED if manifest == format_manifest(folder, modules) else STALE


def format_manifest(folder: Path, modules: Iterable[str]) -> str:
    """Return the digests of the modules' sources, in the format of `sha256sum`."""
    sources = [Path(folder, f"{module}.py") for module in modules]
    return "".join(f"{_digest(source)}  {source.name}\n" for source in sorted(sources))


def _digest(source: Path) -> str:
    try:
        return hashlib.sha256(source.read_bytes()).hexdigest()
    except FileNotFoundError:
        return "-"


def _has_binary(folder: Path, module: str) -> bool:
    """Return whether the module was compiled for this interpreter. If not, only some modules would be compiled ones."""
    return any(Path(folder, FOLDER, module + suffix).exists() for suffix in EXTENSION_SUFFIXES)
