"""Everything in this folder once more, on PostgreSQL.

On the server that ARENA_TEST_POSTGRES names (a URL whose user may create databases), else on a private one from
Debian's packages. Where there is neither it is skipped, or with ARENA_REQUIRE_ALL=1 a failure.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.postgres_server import PostgresServer, postgres_directory

HERE = Path(__file__)


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_ladder_on_postgresql() -> None:
    with contextlib.ExitStack() as stack:
        url = os.environ.get("ARENA_TEST_POSTGRES")
        if not url:
            if postgres_directory() is None:
                missing = "PostgreSQL is missing: install Debian's package postgresql, or set ARENA_TEST_POSTGRES"
                if os.environ.get("ARENA_REQUIRE_ALL") == "1":
                    pytest.fail(missing)
                pytest.skip(missing)
            url = stack.enter_context(PostgresServer()).url
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", f"--ignore={HERE}", str(HERE.parent)],
            cwd=HERE.parents[2],
            env={**os.environ, "DATABASE_URL": url, "PYTEST_ADDOPTS": ""},
            check=False,
            capture_output=True,
            text=True,
        )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
