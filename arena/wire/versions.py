"""Names of bot versions."""

from __future__ import annotations

import re
from typing import Final

MAX_VERSION: Final = 40
"""Maximum number of characters of a version."""
LIBRARY_VERSION: Final = 10
"""Number of hex digits in the version that the Python library gives a program without one: a hash of its files."""
_HASH = re.compile(r"[0-9a-f]{7,40}")
_DESCRIBED = re.compile(r"-g[0-9a-f]{7,40}(-dirty)?$")


def is_commit(version: str) -> bool:
    """Return whether a version is the hash of a commit, bare or in the form of `git describe`.

    Ten hex digits do not count as a hash: the Python library gives such a version to a program without one.
    """
    bare = _HASH.fullmatch(version)
    is_hash = bare is not None and len(version) != LIBRARY_VERSION and not version.isdigit() and not version.isalpha()
    return is_hash or _DESCRIBED.search(version) is not None
