"""The edition of the site, which changes with how it shows matches."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from arena.rules import RULES

SITE = Path(__file__).parent
SOURCES = (".py", ".html", ".svg", ".mo")
"""The files that decide how a match looks."""


@cache
def edition() -> str:
    """A name for the look of matches: another one after a deployment that changed words or drawings."""
    digest = hashlib.sha256(RULES.encode())
    for place in sorted(SITE.iterdir()):
        if place.name != "node_modules":  # the tools of the scripts, in a checkout alone
            for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if path.suffix in SOURCES:
                    digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
