"""A process that says that it is there, whatever becomes of the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event, Thread

import pytest
from django.db import ProgrammingError

from tests.kit.until import PATIENCE_S, soon
from webui.status import processes


def running(until: Callable[[], object]) -> Thread:
    """A process that announces itself, until it is told to stop, in a thread with an event loop of its own."""

    async def live() -> None:
        announcing = asyncio.create_task(processes.announce_for_ever("gateway"))
        await soon(until)
        announcing.cancel()
        await asyncio.wait([announcing])

    thread = Thread(target=asyncio.run, args=[live()], daemon=True)
    thread.start()
    return thread


def test_a_database_that_does_not_answer_holds_no_process_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was begun before is done before the row is taken away."""
    began, answers, done = Event(), Event(), Event()
    rows: list[str] = []

    def announce(name: str, kind: str, version: str, *, is_starved: bool) -> None:
        began.set()
        answers.wait()
        rows.append(name)

    def withdraw(name: str) -> None:
        rows.remove(name)
        done.set()

    monkeypatch.setattr(processes, "LEAVE_S", 0.01)
    monkeypatch.setattr("webui.status.processes.announce_process", announce)
    monkeypatch.setattr("webui.status.processes.withdraw_process", withdraw)
    thread = running(began.is_set)
    try:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    finally:
        answers.set()
    assert done.wait(PATIENCE_S) and not rows


def test_what_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def announce(name: str, kind: str, version: str, *, is_starved: bool) -> None:
        tries.append(name)
        if len(tries) < 3:
            raise ProgrammingError("permission denied") if len(tries) == 1 else ValueError("a mistake of ours")

    gone = Event()
    monkeypatch.setattr(processes, "EVERY_S", 0.0)
    monkeypatch.setattr("webui.status.processes.announce_process", announce)
    monkeypatch.setattr("webui.status.processes.withdraw_process", lambda name: gone.set())
    thread = running(lambda: len(tries) >= 3)
    thread.join(PATIENCE_S)
    assert not thread.is_alive() and gone.wait(PATIENCE_S) and len(set(tries)) == 1
