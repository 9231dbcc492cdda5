"""Frames of a match: made once, and one at a time for whoever asks for them first."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import caches
from django.db import connections
from django.test import Client

from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.until import until
from webui.fair_queue import Busy, Turns
from webui.replays import frames, single

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nothing_made() -> Iterator[None]:
    """Nothing made of earlier matches."""
    yield
    caches["live-frames"].clear()


class Made:
    """Counts the documents that are made, and holds them up while `go_on` is not set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.by: list[str] = []
        """The names of the threads."""
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        make = frames.frames_document

        def counted(*arguments: Any) -> Any:
            self.count += 1
            self.by.append(threading.current_thread().name)
            self.begun.set()
            assert self.go_on.wait(120)
            return make(*arguments)

        monkeypatch.setattr(frames, "frames_document", counted)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(monkeypatch)


def ask(match_id: str, query: str = "", address: str = "127.0.0.1") -> Any:
    try:
        return Client(REMOTE_ADDR=address).get(f"/matches/{match_id}/frames.json{query}")
    finally:
        if threading.current_thread() is not threading.main_thread():
            connections.close_all()


def test_visitors_who_ask_at_once_cause_one_computation(kit: Kit, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = kit.finish().match_id
    waits = threading.Semaphore(0)
    one_at_a_time = single.one_at_a_time

    def noted(*arguments: Any) -> Any:
        waits.release()
        return one_at_a_time(*arguments)

    monkeypatch.setattr("webui.replays.cache.one_at_a_time", noted)
    made.go_on.clear()
    answers: list[Any] = []
    visitors = [threading.Thread(target=lambda: answers.append(ask(match_id))) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    for _ in visitors:  # all have looked in vain for what somebody has made
        assert waits.acquire(timeout=120)
    assert made.begun.wait(120)
    made.go_on.set()
    for visitor in visitors:
        visitor.join(120)
    assert {answer.status_code for answer in answers} <= {200, 503} and made.count == 1


@pytest.mark.slow
def test_an_address_that_asks_for_many_keeps_nobody_else_waiting(
    kit: Kit, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight views of three matches at once, of which six find a place to wait; then another visitor asks for one."""
    monkeypatch.setattr(frames.packed_frames, "__kwdefaults__", {"address": "", "wait_s": 120.0})
    matches = [kit.finish().match_id for _ in range(3)]
    made.go_on.clear()
    served: list[tuple[str, int]] = []

    def visit(match_id: str, view: int, address: str) -> None:
        served.append((address, ask(match_id, f"?view={view}", address).status_code))

    def begin(*asked: Any) -> threading.Thread:
        thread = threading.Thread(target=visit, args=asked, name=asked[-1])
        thread.start()
        return thread

    wanted = [(match_id, view) for match_id in matches for view in range(3)]
    visitors = [begin(*wanted[0], "203.0.113.1")]
    assert made.begun.wait(120)
    for number, (match_id, view) in enumerate(wanted[1:7], 1):
        visitors.append(begin(match_id, view, "203.0.113.1"))
        until(lambda number=number: waiting() == number)
    begin(*wanted[7], "203.0.113.1").join(120)
    assert served == [("203.0.113.1", 503)], "it has filled the queue"
    visitors.append(begin(*wanted[8], "203.0.113.2"))
    until(lambda: len(served) == 2)
    assert served[1:] == [("203.0.113.1", 503)] and waiting() == 6, "the latest of those makes way"
    made.go_on.set()
    for visitor in visitors:
        visitor.join(120)
    assert made.by[:3] == ["203.0.113.1", "203.0.113.1", "203.0.113.2"] and made.count == 7
    assert [status for address, status in served if address == "203.0.113.2"] == [200]


def waiting() -> int:
    return sum(map(len, single._turns_at(django_settings.PLACES.frames / "lock")._waiting.values()))


def test_addresses_have_their_turns_one_after_another() -> None:
    turns = Turns(["the only one"])
    turns.ask("greedy").result(0)
    asked = [("greedy", 1), ("greedy", 2), ("first", 1), ("first", 2), ("second", 1), ("greedy", 3)]
    waits = {one: turns.ask(one[0]) for one in asked}
    order, holder = [], "greedy"
    for _ in asked:
        turns.give_back("the only one", holder)
        (one,) = [one for one, turn in waits.items() if turn.done() and one not in order]
        order.append(one)
        holder = one[0]
    assert order == [("greedy", 1), ("first", 1), ("second", 1), ("greedy", 2), ("first", 2), ("greedy", 3)]


def test_what_takes_too_long_is_to_be_asked_for_again(kit: Kit, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds the lock, of which this one can only see that it does."""
    match_id = kit.finish().match_id
    monkeypatch.setattr(frames.packed_frames, "__kwdefaults__", {"address": "", "wait_s": 0.0})
    code = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    lock = django_settings.PLACES.frames / "lock"
    lock.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-S", "-c", code, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline() and other.stdin
        answer = ask(match_id)
        assert (answer.status_code, answer["Retry-After"], made.count) == (503, "1", 0)
        other.stdin.close()
    assert ask(match_id).status_code == 200


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    code = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    command = [sys.executable, "-S", "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout and other.stdout.readline()
        with pytest.raises(Busy), single.one_at_a_time(tmp_path / "lock", 0, ""):
            pass
        other.kill()
    with single.one_at_a_time(tmp_path / "lock", 60, ""):
        pass


def test_without_a_file_the_threads_of_a_process_still_wait(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    lock = tmp_path / "taken" / "lock"  # in a file there are no files
    with single.one_at_a_time(lock, 0, ""):
        found: list[str] = []

        def second() -> None:
            try:
                with single.one_at_a_time(lock, 0, ""):
                    found.append("within")
            except Busy:
                found.append("busy")

        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        assert found == ["busy"]
    with single.one_at_a_time(lock, 0, ""):
        pass


def test_a_running_match_costs_once_for_each_state_of_its_log(kit: Kit, made: Made) -> None:
    claim = kit.claim(kit.match())
    entries = play_out(claim).entries
    writer = Writer(claim)
    writer.append(entries[:30])
    answers = {ask(claim.match_id).content for _ in range(3)}
    assert (len(answers), made.count) == (1, 1)
    writer.append(entries[30:40])
    assert ask(claim.match_id).content not in answers and made.count == 2
