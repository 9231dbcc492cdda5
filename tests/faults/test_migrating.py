"""The tables change under a process of the version before: it does not notice."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command

from tests.kit.arena.database import using
from tests.kit.arena.process import ROOT
from tests.kit.postgres_server import PostgresServer
from tests.kit.until import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FORMER = ("ladder", "0001_initial")
"""The oldest version that may still run when the newest migration does. Set it further when a column is dropped."""
SOME = 10


def test_a_former_version_writes_on_while_the_tables_change(
    database: str, tmp_path: Path, django_db_blocker: Any
) -> None:
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path / 'arena.sqlite3'}"
        if database == "postgres":
            url = stack.enter_context(PostgresServer()).url
        environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "webui.settings"}

        def migrate(*to: str) -> None:
            # In this process, for a new one would import for a second each time; and without a look for garbage among
            # the many models that a migration makes, which would take a quarter of its time.
            gc.disable()
            try:
                call_command("migrate", *to, interactive=False, verbosity=0)
            finally:
                gc.enable()

        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(using(url))
        migrate(*FORMER)
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "tests.faults.former_version", *FORMER],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(process.kill)
        written = [0]

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                written[0] = int(line)

        Thread(target=read, daemon=True).start()

        def write_on() -> None:
            begin = written[0]
            until(lambda: written[0] >= begin + SOME or process.poll() is not None, "some more decisions")
            assert process.poll() is None, "the former version has failed: see above"

        write_on()
        migrate()
        write_on()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0
        # On the way back to an older version, and forward again: what a migration made beside its tables may be left.
        migrate("ladder", "0006_looks")
        migrate()
