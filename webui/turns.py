"""Turns at what there is little of: what becomes free goes to the address that has the fewest, and among those to each
in turn, so that no visitor waits behind all that another one asks for."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Busy(Exception):
    """Nothing has become free in time, or too many wait already: ask again later."""


class Turns(Generic[T]):
    """Lends things, each to one at a time. For all threads and event loops of a process.

    With `most_waiting`, no more than so many wait: one too many is refused, and that is the latest of the address of
    which the most wait.
    """

    def __init__(self, things: Iterable[T], most_waiting: int | None = None) -> None:
        self._free = list(things)
        """The last one is the warmest."""
        self._most_waiting = most_waiting
        self._waiting: dict[str, deque[Future[T]]] = {}
        """Who waits, by address; the address whose turn was the longest ago comes first. Empty while one is free."""
        self._held: Counter[str] = Counter()
        """How many things each address has."""
        self._lock = threading.Lock()

    def ask(self, address: str) -> Future[T]:
        """A thing, now or when it is this visitor's turn; `Busy` is in the future if it will never be. Who has the
        thing gives it back with `give_back`, and who no longer waits for it says so with `leave`."""
        turn, refused = Future[T](), None
        turn.set_running_or_notify_cancel()  # an event loop that waits for it cannot cancel it: `leave` does
        with self._lock:
            if self._free:
                self._held[address] += 1
                turn.set_result(self._free.pop())
                return turn
            self._waiting.setdefault(address, deque()).append(turn)
            if self._most_waiting is not None and sum(map(len, self._waiting.values())) > self._most_waiting:
                refused = self._drop_one(address)
        if refused is not None:
            refused.set_exception(Busy())
        return turn

    def leave(self, turn: Future[T], address: str) -> None:
        """Wait no longer. What came at the last moment goes to the next one."""
        with self._lock:
            if (turns := self._waiting.get(address)) and turn in turns:
                self._remove(turn, address)
                return
        if not turn.exception():
            self.give_back(turn.result(), address)

    def give_back(self, thing: T, address: str) -> None:
        """This address has the thing no longer: it is another's, or free."""
        with self._lock:
            self._held -= Counter([address])  # which forgets who has none left
            if not self._waiting:
                self._free.append(thing)
                return
            following = min(self._waiting, key=lambda one: self._held[one])
            turns = self._waiting.pop(following)
            turn = turns.popleft()
            if turns:
                self._waiting[following] = turns  # behind all others
            self._held[following] += 1
        turn.set_result(thing)

    def _drop_one(self, latest: str) -> Future[T]:
        address = max(self._waiting, key=lambda one: (len(self._waiting[one]), one == latest))
        turn = self._waiting[address][-1]
        self._remove(turn, address)
        return turn

    def _remove(self, turn: Future[T], address: str) -> None:
        self._waiting[address].remove(turn)
        if not self._waiting[address]:
            del self._waiting[address]
