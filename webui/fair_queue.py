"""A fair queue for scarce things.

A thing that becomes free goes to the address that holds the fewest, and in turn among equals. A visitor thus
never waits behind all requests of another one.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Busy(Exception):
    """Nothing became free in time, or too many requests wait already. Retry later."""


class Turns(Generic[T]):
    """Lends things, each to one borrower at a time. Works across all threads and event loops of a process.

    `most_waiting` limits the number of requests that wait. If there is one too many, the address with the most waiting
    requests loses its latest one: that request is refused. An address holds at most `most_held` things, even while
    others are free.
    """

    def __init__(self, things: Iterable[T], most_waiting: int | None = None, most_held: int = 10**9) -> None:
        self._free = list(things)
        """Free things. The one used most recently is last, and is lent first."""
        self._most_waiting = most_waiting
        self._most_held = most_held
        self._waiting: dict[str, deque[Future[T]]] = {}
        """Waiting requests by address. The address that was served longest ago is first. While a thing is free, only
        addresses wait that hold as many as they may.
        """
        self._held: Counter[str] = Counter()
        """Number of things that each address holds."""
        self._lock = threading.Lock()

    def ask(self, address: str) -> Future[T]:
        """Return a future with a thing, which is done at once if one is free.

        The future has the exception `Busy` if the request is refused. Call `give_back` to return the thing, or `leave`
        to stop waiting.
        """
        turn, refused = Future[T](), None
        turn.set_running_or_notify_cancel()  # an event loop that waits for it cannot cancel it; use `leave`
        with self._lock:
            if self._free and self._held[address] < self._most_held:
                self._held[address] += 1
                turn.set_result(self._free.pop())
                return turn
            self._waiting.setdefault(address, deque()).append(turn)
            if self._most_waiting is not None and sum(map(len, self._waiting.values())) > self._most_waiting:
                refused = self._drop_latest(address)
        if refused is not None:
            refused.set_exception(Busy())
        return turn

    def leave(self, turn: Future[T], address: str) -> None:
        """Stop waiting. A thing that arrived at the last moment goes to the next request."""
        with self._lock:
            if (turns := self._waiting.get(address)) and turn in turns:
                self._remove(turn, address)
                return
        if not turn.exception():
            self.give_back(turn.result(), address)

    def give_back(self, thing: T, address: str) -> None:
        """Return a thing. It goes to the next request, or becomes free."""
        with self._lock:
            self._held -= Counter([address])  # removes addresses that hold nothing
            waiting = [visitor for visitor in self._waiting if self._held[visitor] < self._most_held]
            if not waiting:
                self._free.append(thing)
                return
            following = min(waiting, key=lambda visitor: self._held[visitor])
            turns = self._waiting.pop(following)
            turn = turns.popleft()
            if turns:
                self._waiting[following] = turns  # moves this address behind all others
            self._held[following] += 1
        turn.set_result(thing)

    def _drop_latest(self, latest: str) -> Future[T]:
        address = max(self._waiting, key=lambda visitor: (len(self._waiting[visitor]), visitor == latest))
        turn = self._waiting[address][-1]
        self._remove(turn, address)
        return turn

    def _remove(self, turn: Future[T], address: str) -> None:
        self._waiting[address].remove(turn)
        if not self._waiting[address]:
            del self._waiting[address]
