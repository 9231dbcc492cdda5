"""Caches for what pages compute from a match: for one that has ended it is final."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.core.cache import BaseCache, caches
from django.utils.translation import get_language

from webui.core.static_files import edition
from webui.matches.values import MatchLine
from webui.replays.loading import ENDED
from webui.replays.single import one_at_a_time

T = TypeVar("T")


def cached(line: MatchLine, seat: int, what: str, make: Callable[[], T]) -> T:
    """The result of `make`, from the cache if the match has ended: by match, seat whose view it is, kind of result
    (`what`) and language. None is not cached."""
    if line.state not in ENDED:
        return make()
    return _found(caches["frames"], _key(line, seat, what), make)


def cached_once(
    line: MatchLine, seat: int, what: str, make: Callable[[], T], *, address: str, wait_s: float, lock: str = "lock"
) -> T:
    """As `cached`, for expensive results: this machine computes one at a time (of those with the same `lock`), and for
    a running match this process computes one for each state of its log. `Busy` if other computations are still running
    after `wait_s` seconds, or too many wait; each `address` (of a visitor) has its turn."""
    if line.state in ENDED:
        store, key = caches["frames"], _key(line, seat, what)
    else:
        store, key = caches["live-frames"], f"{_key(line, seat, what)}/{line.length}"
    found: T | None = store.get(key)
    if found is not None:
        return found
    with one_at_a_time(settings.PLACES.frames / lock, wait_s, address):
        return _found(store, key, make)  # somebody else may have made it meanwhile


def _key(line: MatchLine, seat: int, what: str) -> str:
    return f"{line.id}/{seat}/{what}/{get_language()}/{edition()}"


def _found(store: BaseCache, key: str, make: Callable[[], T]) -> T:
    found: T | None = store.get(key)
    if found is None:
        found = make()
        if found is not None:
            store.set(key, found)
    return found
