"""Generates arena/bus/sync.py from arena/bus/aio.py (`make bus`), or with --check fails if the checked-in file
differs."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from unasync import Rule, unasync_files

BUS = Path(__file__).resolve().parents[2] / "arena" / "bus"
SOURCE = BUS / "aio.py"
TARGET = BUS / "sync.py"
HEADER = "# Generated from aio.py by `make bus`; do not edit.\n"
REPLACEMENTS = {
    "AsyncBus": "Bus",
    "AsyncExchange": "Exchange",
    "AsyncWork": "Work",
    "async_clients": "clients",
    "asyncio": "time",
}
"""Replacements of whole tokens, in addition to `async` and `await`. The last one makes `asyncio.sleep` `time.sleep`."""


def generate() -> str:
    """Return the blocking bus."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / TARGET.name
        unasync_files([str(SOURCE)], [Rule(str(SOURCE), str(target), REPLACEMENTS)])
        code = HEADER + target.read_text()
    # Lines are shorter without `await`, and `time` is imported twice.
    return _ruff(_ruff(code, "check", "--fix-only", "--quiet", "--select", "I"), "format")


def _ruff(code: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=code, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the checked-in code differs")
    arguments = parser.parse_args()
    code = generate()
    if not arguments.check:
        TARGET.write_text(code)
    elif TARGET.read_text() != code:
        print(f"{TARGET.name} differs from what it is made of: run `make bus`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
