"""The few threads for slow work of a worker's matches."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextvars import ContextVar
from functools import partial
from threading import Event, Thread, current_thread, main_thread

import pytest

from tests.kit.until import until
from tests.workers.processes import WAIT_S
from workers import slow_work
from workers.slow_work import SlowThreads

name: ContextVar[str] = ContextVar("name", default="")


@pytest.fixture
def two() -> Iterator[SlowThreads]:
    two = SlowThreads(2)
    two.start()
    yield two
    two.close()


class Held:
    """Work that goes on until it is released."""

    def __init__(self, slow_threads: SlowThreads, *, is_new: bool = False) -> None:
        self.is_begun, self.may_end = Event(), Event()
        self._thread = Thread(target=slow_threads.run, args=[self._work], kwargs={"is_new": is_new}, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        self.is_begun.set()
        assert self.may_end.wait(WAIT_S)

    def end(self) -> None:
        self.may_end.set()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()


def test_work_is_done_in_another_thread_with_what_is_known_of_the_task(two: SlowThreads) -> None:
    token = name.set("m1")
    try:
        assert two.run(lambda: (name.get(), current_thread() is main_thread())) == ("m1", False)
        two.run(lambda: name.set("changed there"))
        assert name.get() == "m1"
    finally:
        name.reset(token)


def test_a_thread_that_cannot_start_is_not_counted() -> None:
    some = SlowThreads(2)
    before = threading.stack_size(1 << 60)  # larger than every address space
    try:
        with pytest.raises(RuntimeError, match="can't start new thread"):
            some.start()
    finally:
        threading.stack_size(before)
    some.start()
    assert some.run(lambda: 7) == 7
    some.close()


def test_what_it_raises_is_raised_where_it_is_waited_for_and_the_next_is_done(two: SlowThreads) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            two.run(lambda: 1 // 0)
    two.put(lambda: 1 // 0)  # nobody waits for it
    assert two.run(lambda: "done") == "done"


def test_matches_that_are_played_come_before_new_ones(two: SlowThreads) -> None:
    busy, order = [Held(two), Held(two)], list[str]()
    for one in busy:
        assert one.is_begun.wait(WAIT_S)
    new = Thread(target=two.run, args=[lambda: order.append("new")], kwargs={"is_new": True})
    new.start()
    until(lambda: two._work.qsize() == 1, "the new match in the queue")
    for _ in range(2):
        two.put(lambda: order.append("played"))
    busy[0].end()  # by one thread, so in this order
    new.join(WAIT_S)
    assert order == ["played", "played", "new"]
    busy[1].end()


def test_others_work_beside_threads_that_hang_and_no_more_than_are_wanted_stay(
    two: SlowThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = [Held(two), Held(two)]
    for one in hanging:
        assert one.is_begun.wait(WAIT_S)
    is_done = Event()
    two.put(is_done.set)
    two.replace_busy()  # they have only begun
    assert len(two._began) == 2
    monkeypatch.setattr(slow_work, "LONG_S", 0.0)
    two.replace_busy()
    assert is_done.wait(WAIT_S)
    monkeypatch.undo()
    assert len(two._began) == 4
    for one in hanging:
        one.end()
    until(lambda: len(two._began) == 2, "the end of the threads that hung")
    two.replace_busy()  # nothing waits
    assert len(two._began) == 2


def test_all_is_done_before_it_closes_and_then_by_those_who_want_it() -> None:
    two, done = SlowThreads(2), list[int]()
    two.start()
    busy = [Held(two), Held(two)]
    for one in busy:
        assert one.is_begun.wait(WAIT_S)
    for number in range(5):
        two.put(partial(done.append, number))
    closing = Thread(target=two.close)
    closing.start()
    for one in busy:
        one.end()
    closing.join(WAIT_S)
    assert sorted(done) == list(range(5)) and not two._began
    assert two.run(current_thread) is current_thread()


def test_work_that_computes_for_far_too_long_hangs_and_work_that_waits_does_not(
    two: SlowThreads, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, computing = Held(two), Event()

    def compute() -> None:
        while not computing.is_set():
            pass

    assert waiting.is_begun.wait(WAIT_S)
    monkeypatch.setattr(slow_work, "LONGEST_CPU_S", 0.05)
    assert not two.is_hung()
    two.put(compute)
    until(two.is_hung, "the end of patience")
    computing.set()
    until(lambda: not two.is_hung(), "the end of the work")
    waiting.end()
