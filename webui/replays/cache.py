"""Caches for the results that pages compute from a match. Results for a match that has ended are final."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from django.conf import settings
from django.core.cache import BaseCache, caches
from django.utils.translation import get_language

from webui.core.static_files import edition
from webui.matches.values import MatchLine
from webui.replays.replay import ENDED
from webui.replays.single import one_at_a_time

T = TypeVar("T")


def cached(line: MatchLine, seat: int, what: str, make: Callable[[], T]) -> T:
    """Return the result of `make`. For a match that has ended, the result is cached.

    `seat`: the seat whose view it is.
    `what`: the kind of result. The key also has the match, the active language, and the names of bots and owners: a
    name that was corrected or erased is not shown any more.
    `make`: the computation. A result of None is not cached.
    """
    if line.state not in ENDED:
        return make()
    return _get_or_make(caches["frames"], _key(line, seat, what), make)


def cached_once(
    line: MatchLine, seat: int, what: str, make: Callable[[], T], *, address: str, wait_s: float, lock: str = "lock"
) -> T:
    """Return the result of `make` as `cached` does, for expensive results.

    This machine runs one such computation at a time for each `lock`. For a running match, the result is cached in this
    process until the match's log grows. Raise `Busy` if other computations are still running after `wait_s` seconds, or
    if too many visitors wait.

    `address`: the network address of the visitor. Visitors take turns by address.
    """
    if line.state in ENDED:
        store, key = caches["frames"], _key(line, seat, what)
    else:
        store, key = caches["live-frames"], f"{_key(line, seat, what)}/{line.length}"
    cached_result: T | None = store.get(key)
    if cached_result is not None:
        return cached_result
    with one_at_a_time(settings.PLACES.frames / lock, wait_s, address):
        return _get_or_make(store, key, make)  # another request may have made it meanwhile


def _key(line: MatchLine, seat: int, what: str) -> str:
    bots = [seat_line.version.bot for seat_line in line.seats]
    names = sha256("/".join(f"{bot.name}/{bot.owner}" for bot in bots).encode()).hexdigest()[:16]
    return f"{line.id}/{seat}/{what}/{get_language()}/{edition()}/{names}"


def _get_or_make(store: BaseCache, key: str, make: Callable[[], T]) -> T:
    result: T | None = store.get(key)
    if result is None:
        result = make()
        if result is not None:
            store.set(key, result)
    return result
