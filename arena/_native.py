"""The compiled form of a package: the same Python source, compiled by Cython when the package was built (setup.py).

Compiled modules lie in the folder `_native` of their package, never beside the source, with the digests of everything
they were made from. `native_path` puts that folder first on the package's path only while these digests are true: a
stale compiled module never shadows edited source. Without it the plain source runs, slower, and otherwise the same.

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
    """The `__path__` of a package: its compiled modules first, where there are any and they are fresh.

    To be used in the package's `__init__.py`, before it imports its own modules:
    `__path__ = native_path(__path__, __name__)`.
    """
    folders = list(path)
    _forms[package] = PURE if is_pure_wanted() else form_of(Path(folders[0]))
    if _forms[package] == COMPILED:
        folders.insert(0, str(Path(folders[0], FOLDER)))
    return folders


def form(package: str = "arena.rules") -> str:
    """Which form of a package runs in this process: `compiled`, `pure`, or `pure (stale build)`."""
    __import__(package)
    return _forms.get(package, PURE)


def is_pure_wanted() -> bool:
    """Whether the environment forces the plain source."""
    return os.environ.get("ARENA_PURE", "") not in ("", "0")


def form_of(folder: Path) -> str:
    """The form in which the package in a folder can run: compiled only if its manifest is true to the last byte."""
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
    """What compiled modules are made from, in the form of `sha256sum`."""
    sources = [Path(folder, f"{module}.py") for module in modules]
    return "".join(f"{_digest(source)}  {source.name}\n" for source in sorted(sources))


def _digest(source: Path) -> str:
    try:
        return hashlib.sha256(source.read_bytes()).hexdigest()
    except FileNotFoundError:
        return "-"


def _has_binary(folder: Path, module: str) -> bool:
    """Whether the module was compiled for this interpreter: another one would fall back to the source half-way."""
    return any(Path(folder, FOLDER, module + suffix).exists() for suffix in EXTENSION_SUFFIXES)
