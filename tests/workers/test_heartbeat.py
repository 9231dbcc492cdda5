"""When a worker sends heartbeats, and when it does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from celery.signals import task_postrun
from django.db import OperationalError

from arena.host import heartbeat as host
from arena.host.heartbeat import Heartbeat
from tests.workers.conftest import Worker
from workers import heartbeat as module
from workers import row
from workers.row import MatchRow


@pytest.fixture
def beats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Returns whether there was a heartbeat since the last call."""
    file = tmp_path / "heartbeat"
    ours = Heartbeat(file)
    monkeypatch.setattr(host, "EVERY_S", 0.0)
    for user in (module, row):
        monkeypatch.setattr(user, "heartbeat", ours)

    def look() -> bool:
        has_beaten = file.exists() and file.stat().st_mtime > 1
        if file.exists():
            os.utime(file, (1, 1))
        return has_beaten

    return look


def test_a_worker_whose_threads_all_hang_shows_nothing(
    beats: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    module._turn()
    assert beats(), "it has nothing to do"
    monkeypatch.setattr(module.state, "reserved_requests", {"a task"})
    module._turn()
    assert not beats(), "its main loop turns, and nothing else"
    task_postrun.send(sender=None)
    assert beats()


def test_a_worker_that_waits_for_its_database_shows_it(beats: Callable[[], bool], worker: Worker) -> None:
    module.heartbeat.beat()
    beats()
    tries = [OperationalError("away"), OperationalError("away")]

    def action() -> str:
        if tries:
            raise tries.pop()
        return "done"

    assert MatchRow("m", worker.database, worker.link.stopping, lease_s=5)._try(action) == "done"
    assert beats()
