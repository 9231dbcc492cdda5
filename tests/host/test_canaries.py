"""No secret of an arena gets into its logs, its output or its error pages, whatever fails.

Canaries are planted in every kind of process, each process is made to fail, and all of its output is searched.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from celery import Celery

from arena.players import GRADED
from tests.e2e.playing import FAST, pause, play_only
from tests.e2e.running import COMMAND, FEW_MATCHES, ROOT, RunningArena, bot_process, environment
from tests.kit.ports import ReservedPort
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui import settings
from webui.accounts.values import new_token
from webui.commands.services.ready import gateway_serves

pytestmark = [pytest.mark.slow, pytest.mark.e2e, pytest.mark.timeout(900)]

BOT = ROOT / "arena" / "starters" / "python" / "mybot.py"
SESSION_KEY = "c4n4ry7r9t1y3u5i7o9p1a3s5d7f9g1h"
NONCE = bytes(range(0x80, 0x90))
PASSWORDS = {"simoom over dunes", "sirocco7dunes"}


def forms(secret: bytes) -> set[str]:
    """Return the ways in which bytes may be written."""
    return {secret.hex(), secret.hex().upper(), repr(secret), repr(secret)[2:-1], base64.b64encode(secret).decode()}


def check_silent(said: dict[str, str], canaries: set[str]) -> None:
    """Check that no output contains a canary."""
    heard = [(who, secret) for who, text in said.items() for secret in canaries if secret in text]
    assert not heard, heard


def ask(url: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
    """Return status and text of a page."""
    data = urlencode(form).encode() if form else None
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


# With debug=1 only the site prints more. `test_a_database_that_is_away_tells_nothing` also covers debug=0.
@pytest.mark.parametrize("debug", [pytest.param("0", marks=pytest.mark.soak), "1"])
def test_broken_code_tells_nothing(debug: str, tmp_path: Path, django_db_blocker: Any) -> None:
    token, said = new_token(), {}
    arena = RunningArena(
        tmp_path,
        "--house",
        DJANGO_SETTINGS_MODULE="tests.host.sabotage",
        PYTHONPATH=str(ROOT),
        ARENA_DEBUG=debug,
        **FEW_MATCHES,
    )
    with arena:
        ready = arena.wait_ready()
        with django_db_blocker.unblock(), arena.database():
            pause(set(GRADED) - set(FAST))  # the others would think with all the processor time
            play_only("2")
        logs = {name: tmp_path / "log" / f"{name}.log" for name in ("site", "gateway", "referee", "upkeep")}
        arena.wait_for("matches", running=lambda count: count > 0)
        with sqlite3.connect(tmp_path / "arena.sqlite3") as database:
            seeds = [bytes.fromhex(seed) for (seed,) in database.execute("SELECT server_seed FROM matches_matchsecret")]
        assert seeds
        (tmp_path / "broken").touch()
        with bot_process(
            [*COMMAND, "bot", "run", str(BOT), "--server", ready["gateway"], "--token", token],
            arena.environment, tmp_path / "bot.log",
        ):  # fmt: skip
            until(lambda: "is broken" in logs["gateway"].read_text(), "a failing gateway", 120)
            page = ask(
                f"{ready['site']}/sign-in/", {"login": "amira", "password": "simoom over dunes"},
                Cookie=f"sessionid={SESSION_KEY}", Authorization=f"Bearer {token}",
            )  # fmt: skip
            assert page[0] == 500
            said["page"] = page[1]
            for name in ("site", "upkeep"):
                until(lambda: "is broken" in logs[name].read_text(), f"a failing {name}", 120)  # noqa: B023
            doctor = subprocess.run(
                [*COMMAND, "admin", "doctor"],
                cwd=ROOT,
                env=arena.environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert "is broken" in doctor.stderr
            said["doctor"] = doctor.stdout + doctor.stderr
            until(lambda: "is broken" in logs["referee"].read_text(), "a failing referee", 240)
            (tmp_path / "broken-up").touch()
            until(lambda: arena.process.poll() is not None, "the end of arena up", 120)
    said["up"] = "\n".join(event["text"] for event in arena.events if event["event"] == "complaint")
    assert "match_counts is broken" in said["up"]
    said |= {path.name: path.read_text() for path in (tmp_path / "log").glob("*.log")}
    said["bot"] = (tmp_path / "bot.log").read_text()
    canaries = {token, ready["token"], ready["password"], SESSION_KEY, *PASSWORDS, *forms(NONCE)}
    canaries |= {
        secret
        for secrets in json.loads((tmp_path / "up.json").read_text())["databases"].values()
        for secret in secrets.values()
    }
    canaries |= {form for seed in seeds for form in forms(seed)} | {(tmp_path / "secret-key").read_text()}
    check_silent(said, canaries)


def test_a_database_that_is_away_tells_nothing(tmp_path: Path) -> None:
    """Run processes as in deploy/compose.yaml, with a PostgreSQL that does not answer, and logs in JSON."""
    token, said = new_token(), {}
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer())
        site, gateway = (stack.enter_context(ReservedPort()).number for _ in range(2))
        outside = environment(
            tmp_path, DATABASE_URL="postgresql://arena:sirocco7dunes@127.0.0.1:1/arena", REDIS_URL=redis.url,
            ARENA_LOG_FORMAT="json", ARENA_SECRET_KEY="simoom over dunes",
        )  # fmt: skip
        celery = [sys.executable, "-m", "celery", "-A", "workers.app"]
        worker = ["worker", "-P", "threads", "-c", "2", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        commands = {
            "site": [sys.executable, "-m", "uvicorn", "webui.asgi:application", "--port", str(site)],
            "gateway": [sys.executable, "-m", "webui.commands.gateway", "--listen", f"127.0.0.1:{gateway}"],
            "worker": [*celery, *worker, "-Q", "matches", "-n", "worker@here"],
            "upkeep": [sys.executable, "-m", "workers.upkeep"],
        }
        for name, command in commands.items():
            stack.enter_context(bot_process(command, outside, tmp_path / f"{name}.txt"))

        def told(name: str) -> str:
            return (tmp_path / f"{name}.txt").read_text()

        app = Celery(broker=settings.broker_url(redis.url))
        app.conf.broker_transport_options = settings.BROKER_TRANSPORT_OPTIONS
        app.send_task("workers.tasks.play_match", ["canary"], queue="matches")
        until(lambda: "connection failed" in told("worker"), "a worker without its database", 180)
        until(lambda: "database_away" in told("upkeep"), "upkeep without its database", 180)
        until(lambda: gateway_serves(gateway), "the gateway", 180)
        bot = [*COMMAND, "bot", "run", str(BOT), "--server", f"127.0.0.1:{gateway}", "--token", token]
        stack.enter_context(bot_process(bot, outside, tmp_path / "bot.txt"))
        until(lambda: "database_away" in told("gateway"), "a gateway without its database", 120)
        until(lambda: "startup complete" in told("site"), "the site", 180)
        status, said["page"] = ask(f"http://127.0.0.1:{site}/bots/", Cookie=f"sessionid={SESSION_KEY}")
        assert status == 500 and "OperationalError" in told("site")
        redis.kill()
        for name, command in {
            "up": [*COMMAND, "up"],
            "doctor": [*COMMAND, "admin", "doctor"],
            "create": [*COMMAND, "user", "create", "amira", "--password", "simoom over dunes"],
            "migrate": [sys.executable, "-m", "django", "migrate"],
        }.items():
            ended = subprocess.run(
                command, cwd=ROOT, env={**outside, "DJANGO_SETTINGS_MODULE": "webui.settings"}, capture_output=True,
                text=True, timeout=180, check=False,
            )  # fmt: skip
            assert ended.returncode
            said[name] = ended.stdout + ended.stderr
    said |= {path.name: path.read_text() for path in tmp_path.glob("*.txt")}
    check_silent(said, {token, SESSION_KEY, *PASSWORDS})
