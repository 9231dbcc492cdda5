"""Versions of bots: names of releases."""

from __future__ import annotations

import re
from typing import Final

MAX_VERSION: Final = 40
"""Characters."""
LIBRARY_VERSION: Final = 10
"""So many hex digits of the hash of its text name a program of the Python library that says no version."""
_HASH = re.compile(r"[0-9a-f]{7,40}")
_DESCRIBED = re.compile(r"-g[0-9a-f]{7,40}(-dirty)?$")


def is_commit(version: str) -> bool:
    """Whether a version is the hash of a commit, bare or as `git describe` says it. Ten digits are no sign of that: so
    the Python library names a program that says no version, by its text."""
    bare = _HASH.fullmatch(version)
    is_hash = bare is not None and len(version) != LIBRARY_VERSION and not version.isdigit() and not version.isalpha()
    return is_hash or _DESCRIBED.search(version) is not None
