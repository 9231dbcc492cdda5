"""A killed process is dead when the kit reports it dead: its ports are free."""

import os
import subprocess
import sys
from pathlib import Path

from tests.kit.arena.process import Process

THREADS = (
    "import threading, time; [threading.Thread(target=time.sleep, args=(99,), daemon=True).start() for _ in range(40)]"
)


def test_all_threads_of_a_killed_process_have_ended(tmp_path: Path) -> None:
    """In one of three runs the first thread is a zombie before the others have ended."""
    for _ in range(20):
        words = [sys.executable, "-Sc", f"{THREADS}; print(flush=True); time.sleep(99)"]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None and child.stdout.readline()
            Process(child.pid, tmp_path, {"role": "sleeper"}).kill()
            assert len(os.listdir(f"/proc/{child.pid}/task")) == 1
