"""The generated files match the .proto files, which follow the rules of buf."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_generated_code_is_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "proto/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_the_protocol_is_lint_clean() -> None:
    buf = shutil.which("buf", path=Path(sys.executable).parent)
    assert buf, "buf is not installed beside Python (wheel buf-bin, dependency group dev)"
    run = subprocess.run([buf, "lint", "proto"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
