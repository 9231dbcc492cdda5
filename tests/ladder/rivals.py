"""Other processes on the database of the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.db import connection


def database_url() -> str:
    """The address of the database of the test, for other processes."""
    config = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{config['NAME']}"
    host, port = config["HOST"], config["PORT"]
    account = f"{quote(config['USER'], safe='')}:{quote(config['PASSWORD'], safe='')}"
    where = f"{account}@{quote(host, safe='')}" + (f":{port}" if port else "")
    return f"postgresql://{where}/{config['NAME']}"


class Rival:
    """Another process on the same database: it does what it is told, when it is told."""

    def __init__(self) -> None:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url(),
            "REDIS_URL": "memory://",
            "DJANGO_SETTINGS_MODULE": "webui.settings",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "rival.py")],
            env=environment,
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, call: str, *args: Any) -> None:
        """Start an action; its answer comes later."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps([call, *args]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """What came of it: a value, or the code of an error."""
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
