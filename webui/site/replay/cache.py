"""A cache for what pages make of a match that has ended: it does not change any more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from django.core.cache import caches
from django.utils.translation import get_language

from arena.rules import RULES
from webui.ladder.values import MatchLine
from webui.site.replay.loading import ENDED

SITE = Path(__file__).parents[1]
SOURCES = (".py", ".html", ".svg", ".mo")
"""The files that decide how a match looks."""

T = TypeVar("T")


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


def cached(line: MatchLine, seat: int, what: str, make: Callable[[], T]) -> T:
    """The result of `make`, from the cache if the match has ended: by match, seat whose view it is, kind of result
    (`what`) and language. None is not cached."""
    if line.state not in ENDED:
        return make()
    store, key = caches["frames"], f"{line.id}/{seat}/{what}/{get_language()}/{edition()}"
    found: T | None = store.get(key)
    if found is None:
        found = make()
        if found is not None:
            store.set(key, found)
    return found
