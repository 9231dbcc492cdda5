"""Limits that are judged before Django begins: processor time of an address, and readers of live pages.

A refusal by a view costs as much as a small page, because all middleware runs for it. Here it costs about 0.1 ms
(`tests/bench/floods.py`), so a flood of requests that are refused takes nothing from other visitors.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from http import HTTPStatus
from threading import Lock
from typing import Any, Final

from django.http import HttpResponse

from arena.host.limiters import Buckets
from arena.host.sockets import is_of_this_machine, network_of
from webui.api import ROOT
from webui.api.problems import problem
from webui.core.feeds import live_slots
from webui.core.headers import HEADERS
from webui.core.observing import ANSWERS

BURST_S: Final = 5.0
"""Seconds of processor time that an address may use at once for requests of one kind: for a hundred pages that nobody
else has just asked for.
"""
SHARE: Final = 0.25
"""Part of one processor that an address may use in the long run for requests of one kind."""
MOST_KEPT: Final = 50_000
"""Maximum number of addresses in memory. Beyond it, the one that was used longest ago is forgotten."""
REFRESHED: Final = re.compile(
    r"/events/[^/]+/parts/|/play/[^/]+/choices\.json|/(?:write|analysis/games)/[^/]+/parts/|/tv/table|/tv\.json"
)
"""Paths that an open page asks for again and again."""
LIVE: Final = re.compile(
    rf"(?:/|{re.escape(ROOT)})"
    r"(?:(?:matches|events|play|write|analysis/games)/[^/]+|bots/[^/]+/submissions/[0-9]+)/live"
)
"""Paths of live feeds."""
LIVE_AGAIN_S: Final = 10
"""Seconds after which a refused reader of a live page may try again."""
LATE_S: Final = 1.0
"""Delay of a refusal in seconds, so that the immediate retries of a program cost little."""
MOST_LATE: Final = 200
"""Maximum number of refusals delayed at a time. Further ones are sent at once."""


class ProcessorBudget:
    """The processor time that each address has used for its pages."""

    def __init__(self, burst_s: float = BURST_S, share: float = SHARE) -> None:
        self._burst_ms, self._ms_per_second = 1000 * burst_s, 1000 * share
        self._buckets = Buckets(MOST_KEPT)
        self._lock = Lock()

    def charge(self, address: str, seconds: float) -> None:
        """Note that a page for this address took this much processor time."""
        if is_limited(address):
            self._charge(address, 1000 * seconds)

    def wait_s(self, address: str) -> float:
        """Return the seconds until this address may ask again. 0: it may ask now."""
        left = self._charge(address, 0) if is_limited(address) else self._burst_ms
        return max(0.0, (1 - left) / self._ms_per_second)

    def clear(self) -> None:
        """Forget all addresses."""
        self._buckets.clear()

    def _charge(self, address: str, cost_ms: float) -> float:
        with self._lock:
            now = time.monotonic_ns()
            bucket = self._buckets.find(address, self._burst_ms, self._ms_per_second, now)
            bucket.charge(cost_ms, now)
            return bucket.left


# An address has one budget for each kind of request. Thus an open page that renews itself uses up no time of the pages
# that its neighbours ask for, and no number of readers keeps an organiser from acting.
pages: Final = ProcessorBudget()
refreshes: Final = ProcessorBudget()
"""Budget for new parts of open pages. Each open page of an event asks for them whenever the event changes."""
actions: Final = ProcessorBudget()
"""Budget for requests that change something, such as POST."""


class LateRefusals:
    """The refusals that wait before they are sent.

    A refusal costs about a millisecond with its connection. A program that asks again at once, over many connections,
    would otherwise get a thousand of them in a second, which takes all the time of the event loop.
    """

    def __init__(self) -> None:
        self._waiting = 0

    async def delay(self) -> None:
        """Wait for `LATE_S`, unless too many refusals wait already."""
        if self._waiting >= MOST_LATE:
            return
        self._waiting += 1
        try:
            await asyncio.sleep(LATE_S)
        finally:
            self._waiting -= 1


late_refusals: Final = LateRefusals()


def budget_of(scope: Any) -> ProcessorBudget:
    """Return the budget that pays for a request."""
    if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
        return actions
    return refreshes if REFRESHED.fullmatch(scope["path"]) else pages


def is_limited(address: str) -> bool:
    """Return whether the budget holds for an address. It does not for programs of this machine."""
    return bool(address) and not is_of_this_machine(address)


def refusal(scope: Any) -> HttpResponse | None:
    """Return the answer to a request that is refused before Django begins. Return None if it may go on."""
    if (refused := time_refusal(scope)) is not None:
        return refused
    path, address = scope["path"], _address_of(scope)
    if scope["method"] == "GET" and LIVE.fullmatch(path) and not live_slots.is_free(address, path):
        if live_slots.are_all_taken:
            return _refused(path, "TRY_AGAIN", "the site has the maximum number of readers", LIVE_AGAIN_S)
        return _refused(path, "TOO_MANY_REQUESTS", "you have too many feeds open: close another one", LIVE_AGAIN_S)
    return None


def time_refusal(scope: Any) -> HttpResponse | None:
    """Return the answer to a request whose address has used its processor time. Return None if it may go on."""
    if wait := budget_of(scope).wait_s(_address_of(scope)):
        detail = "your address has used much processor time"
        return _refused(scope["path"], "TOO_MANY_REQUESTS", detail, math.ceil(wait))
    return None


def _address_of(scope: Any) -> str:
    return network_of((scope.get("client") or ("", 0))[0])


def _refused(path: str, code: str, detail: str, again_s: int) -> HttpResponse:
    is_api = path.startswith(ROOT)
    status = HTTPStatus.SERVICE_UNAVAILABLE if code == "TRY_AGAIN" else HTTPStatus.TOO_MANY_REQUESTS
    text = f"{detail.capitalize()}. Try again in {again_s} s.\n"
    response = problem(code, detail) if is_api else HttpResponse(text, status=status, content_type="text/plain")
    for name, value in {**HEADERS, "Retry-After": str(again_s), "Cache-Control": "no-store"}.items():
        response[name] = value
    ANSWERS.labels("api" if is_api else "page", f"{status // 100}xx").inc()
    return response
