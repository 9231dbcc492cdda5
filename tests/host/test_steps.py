"""Step files: what a process was doing when it died, and never that of a process that lives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.host import steps
from arena.host.steps import IDLE, SLOTS, StepFile, dead_steps, encode_step

PROGRAM = """
import sys, time
from pathlib import Path
from arena.host.steps import encode_step, steps
steps.open(Path(sys.argv[1]))
steps.write(encode_step("busy", 3))
with steps.doing(encode_step("slow", 4)), steps.doing(encode_step("done", 5)):
    pass
with steps.doing(encode_step("slow", 4)):
    print("ready", flush=True)
    time.sleep(1000)
"""


@contextmanager
def process(directory: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a process that is at two steps."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(directory)], stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        try:
            yield started
        finally:
            started.kill()


def test_a_dead_process_has_left_its_steps_and_a_stopped_one_none(tmp_path: Path) -> None:
    directory = tmp_path / "steps"
    with dead_steps(directory) as found:
        assert found == []
    with process(directory) as living, process(directory) as dying:
        os.kill(living.pid, signal.SIGSTOP)
        dying.kill()
        dying.wait()
        with pytest.raises(ZeroDivisionError), dead_steps(directory) as found:
            raise ZeroDivisionError
        with dead_steps(directory) as found, dead_steps(directory) as meanwhile:
            assert sorted(found) == [("busy", 3), ("slow", 4)]
            assert meanwhile == []
        with dead_steps(directory) as found:
            assert found == []
        assert len(list(directory.iterdir())) == 1


def test_a_process_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    own = StepFile()
    own.write(encode_step("before", 1))
    own.open(tmp_path)
    own.open(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    own.write(encode_step("busy", 1))
    own.close()
    own.write(IDLE)
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_just_being_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    with dead_steps(tmp_path) as found:
        assert found == []
    assert (tmp_path / "new").exists()


def test_more_threads_than_slots_and_a_directory_that_cannot_be_made_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    own = StepFile()
    own.open(tmp_path / "file")
    busy = [own.doing(encode_step("m", number)) for number in range(SLOTS + 1)]
    for step in busy:
        step.__enter__()
    for step in busy:
        step.__exit__(None, None, None)
    assert sorted(own._free) == list(range(1, SLOTS))
    assert steps.steps is not own
