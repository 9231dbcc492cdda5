"""Which Redis a command uses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = (
    "from webui.commands.database import connect; connect();from django.conf import settings; print(settings.REDIS_URL)"
)


def shown(var: Path, settings: str = "tests.commands.settings_without_apps", **environment: str) -> str:
    known = {name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "DATABASE_URL")}
    environment = {**known, "ARENA_VAR": str(var), "DJANGO_SETTINGS_MODULE": settings, **environment}
    return subprocess.run(
        [sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["var", "var" * 40], ids=["short", "long"])
def test_a_command_beside_an_arena_uses_its_redis(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.host.places import Places

    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    var = tmp_path / name
    var.mkdir(mode=0o700)
    assert shown(var) == "redis://127.0.0.1:6379/0"
    path = Places(var).redis_socket()
    with socket.socket(socket.AF_UNIX) as redis:
        redis.bind(str(path))
        assert shown(var) == "redis://127.0.0.1:6379/0", "nothing has been started here"
        Places(var).lock.touch(mode=0o600)
        assert shown(var, "webui.settings") == f"unix://{path}?db=0"
        assert shown(var, REDIS_URL="redis://elsewhere/1") == "redis://elsewhere/1"
    path.unlink()
    assert shown(var) == "redis://127.0.0.1:6379/0"
