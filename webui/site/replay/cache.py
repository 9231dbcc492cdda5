"""What has been told of a match that has ended is kept for a day: it does not change any more."""

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
TELLING = (".py", ".html", ".svg", ".mo")
"""The files that say how a match is told."""

T = TypeVar("T")


@cache
def edition() -> str:
    """Names how this process tells matches: another name after a deployment that changed words or drawings."""
    told = hashlib.sha256(RULES.encode())
    for path in sorted(SITE.rglob("*")):
        if path.suffix in TELLING:
            told.update(path.read_bytes())
    return told.hexdigest()[:16]


def cached(line: MatchLine, seat: int, what: str, make: Callable[[], T]) -> T:
    """What `make` tells of a match as a seat could see it, in the language of the page. None is not kept."""
    if line.state not in ENDED:
        return make()
    store, key = caches["frames"], f"{line.id}/{seat}/{what}/{get_language()}/{edition()}"
    found: T | None = store.get(key)
    if found is None:
        found = make()
        if found is not None:
            store.set(key, found)
    return found
