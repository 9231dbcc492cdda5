"""A process shows by a file that it works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.host import heartbeat as module
from arena.host.heartbeat import Heartbeat, age_s


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "heartbeat"


def test_it_begins_with_the_first_work(file: Path) -> None:
    beats = Heartbeat(file)
    beats.beat_while_blocked()
    assert age_s(file) is None
    beats.beat()
    age = age_s(file)
    assert age is not None and 0 <= age < module.HANG_LIMIT_S


def test_waiting_is_seen_once_it_has_begun(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY_S", 0.0)
    beats = Heartbeat(file)
    for show in (beats.beat, beats.beat_while_blocked):
        show()
        os.utime(file, (1, 1))
        show()
        assert file.stat().st_mtime > 1


def test_the_file_is_not_touched_at_every_turn(file: Path) -> None:
    beats = Heartbeat(file)
    beats.beat()
    os.utime(file, (1, 1))
    for _ in range(1_000):
        beats.beat()
    assert file.stat().st_mtime == 1


def test_what_cannot_be_written_is_said_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beats = Heartbeat(file / "is-no-directory" / "x")
    file.touch()
    for _ in range(10):
        beats.beat()
    assert capsys.readouterr().err.count("heartbeat_not_written") == 1


def test_without_a_file_nothing_is_done() -> None:
    Heartbeat(None).beat()
