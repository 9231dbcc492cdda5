"""The driver once more, on PostgreSQL, and what becomes of matches when the database dies.

On a private server from Debian's packages. Where they are missing it is skipped, or with ARENA_REQUIRE_ALL=1 a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kit.postgres_server import PostgresServer, postgres_directory

HERE = Path(__file__)


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_matches_on_postgresql() -> None:
    if postgres_directory() is None:
        missing = "PostgreSQL is missing: install Debian's package postgresql"
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    cases = [str(HERE.with_name(name)) for name in ("test_driver.py", "postgres_cases.py")]
    with PostgresServer(durable=True) as server:
        run = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", *cases],
            cwd=HERE.parents[2],
            env={
                **os.environ,
                "DATABASE_URL": server.url,
                "ARENA_TEST_POSTGRES_DATA": str(server.data),
                "PYTEST_ADDOPTS": "",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            while run.poll() is None:
                if server.process is not None and server.process.poll() is not None:
                    server.start()
                time.sleep(0.05)
        finally:
            run.kill()
        assert run.stdout is not None
        output = run.stdout.read()
    print(output[-1000:])
    assert run.returncode == 0, output[-8000:]
