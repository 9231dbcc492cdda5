"""What the environment makes of the settings, each in a process of its own; and the application that serves."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.templatetags.static import static

from webui.asgi import application
from webui.settings.storage import story_seconds

ROOT = Path(__file__).parents[2]

SHOW = """
import json, django
django.setup()
from django.conf import settings
from django.db import connection, transaction
with connection.cursor() as cursor:
    pragmas = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
print(json.dumps({
    **pragmas, "broker": settings.BROKER_URL, "hosts": settings.ALLOWED_HOSTS, "debug": settings.DEBUG,
    "lease": settings.LEASE_SECONDS, "story": settings.STORY_SECONDS,
    "timeout": connection.settings_dict["OPTIONS"]["timeout"],
    "mode": connection.settings_dict["OPTIONS"]["transaction_mode"], "key": settings.SECRET_KEY,
}))
"""


def process(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**kept, "DJANGO_SETTINGS_MODULE": "webui.settings", **environment},
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )


def shown(**environment: str) -> dict[str, Any]:
    result = process(SHOW, **environment)
    assert result.returncode == 0, result.stderr
    values: dict[str, Any] = json.loads(result.stdout)
    return values


@pytest.mark.slow
def test_sqlite_is_set_up_for_many_processes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/arena.sqlite3"
    values = shown(DATABASE_URL=url, ARENA_SECRET_KEY="k" * 50)
    assert (values["journal_mode"], values["synchronous"]) == ("wal", 1)
    assert (values["mode"], values["timeout"], values["key"]) == ("IMMEDIATE", 20, "k" * 50)
    assert (values["debug"], values["lease"], values["broker"]) == (False, 5, "redis://127.0.0.1:6379/0")
    assert values["story"] == 3
    values = shown(
        DATABASE_URL=url,
        ARENA_SQLITE_SYNCHRONOUS="full",
        REDIS_URL="unix:///run/arena/redis.sock?db=2",
        ARENA_HOSTS="arena.example.org, localhost",
        ARENA_LEASE_SECONDS="0.5",
        ARENA_STORY_SECONDS="0",
        ARENA_DEBUG="1",
    )
    assert (values["synchronous"], values["debug"], values["lease"], values["story"]) == (2, True, 0.5, 0)
    assert values["broker"] == "redis+socket:///run/arena/redis.sock?virtual_host=2"
    assert values["hosts"] == ["arena.example.org", "localhost"]


STORES = """
import json
from webui.settings import storage
print(json.dumps([storage.DATABASES["default"], storage.BROKER_URL, storage.BROKER_TRANSPORT_OPTIONS]))
"""


def stores(**environment: str) -> list[Any]:
    result = process(STORES, **environment)
    assert result.returncode == 0, result.stderr
    values: list[Any] = json.loads(result.stdout)
    return values


def test_several_machines_may_have_the_database_and_redis() -> None:
    database, broker, options = stores(
        DATABASE_URL="postgresql://arena:hush@one,[::1]:5433/arena?application_name=x&options=-cjit%3Doff",
        REDIS_URL="sentinel://:hush@one,two:7001/arena?db=1",
    )
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("one,::1", "5432,5433", "arena")
    assert (database["USER"], database["PASSWORD"]) == ("arena", "hush")
    said = database["OPTIONS"]
    assert (said["target_session_attrs"], said["connect_timeout"], said["application_name"]) == ("read-write", 3, "x")
    assert said["tcp_user_timeout"] == 6000
    assert said["options"].split()[-1] == "-cjit=off"  # what the address says comes last, and holds
    assert "tcp_keepalives_idle=3" in said["options"]
    assert broker == "sentinel://:hush@one:26379/1;sentinel://:hush@two:7001/1"
    assert (options["master_name"], options["socket_keepalive"]) == ("arena", True)


def test_a_database_of_one_machine_is_waited_for() -> None:
    database, _, options = stores(DATABASE_URL="postgresql://arena@one/arena?connect_timeout=2")
    assert (database["HOST"], database["OPTIONS"]["connect_timeout"]) == ("one", 2)
    assert "target_session_attrs" not in database["OPTIONS"]
    assert options["visibility_timeout"] == 24 * 3600
    database, _, options = stores(
        DATABASE_URL="postgresql://arena@%2Frun%2Fpostgresql/arena", REDIS_URL="unix:///run/redis.sock"
    )
    assert (database["HOST"], database["OPTIONS"]["connect_timeout"]) == ("/run/postgresql", 10)
    assert options == {"visibility_timeout": 24 * 3600}


def test_all_processes_of_a_checkout_have_one_key() -> None:
    program = "from webui.settings import SECRET_KEY; print(SECRET_KEY)"
    first, second = (process(program).stdout.strip() for _ in range(2))
    assert first == second and len(first) >= 50


def test_a_setting_that_means_nothing_stops_the_process() -> None:
    assert "use NORMAL or FULL" in process("import webui.settings", ARENA_SQLITE_SYNCHRONOUS="OFF").stderr
    assert "use console or json" in process("import webui.settings", ARENA_LOG_FORMAT="xml").stderr


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/sign-in/", 200),
        (static("site/viewer/main.js"), 200),
        (static("site/nowhere.js"), 404),
        ("/static/0123456789ab/site/site.js", 302),
    ],
)
async def test_the_application_serves_pages_and_their_files(path: str, expected: int) -> None:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "server": ("localhost", 80),
    }
    communicator = ApplicationCommunicator(application, scope)
    await communicator.send_input({"type": "http.request", "body": b""})
    start = await communicator.receive_output(timeout=120)
    assert start["status"] == expected
    headers = dict(start["headers"])
    if expected == 302:
        assert headers[b"Location"] == static("site/site.js").encode(), "asked for by a page from before a deployment"
        return
    assert (b"immutable" in headers.get(b"Cache-Control", b"")) == (path.startswith("/static/") and expected == 200)
    body = await communicator.receive_output(timeout=120)
    assert body["body"]
    await communicator.wait(timeout=120)


@pytest.mark.parametrize(
    "address",
    ["postgresql://arena:sirocco7/dunes@127.0.0.1:1/arena", "postgresql://arena:sirocco7dunes@127.0.0.1:x/arena",
     "postgresql://arena:sirocco7/dunes@one,two/arena", "postgresql://arena:sirocco7dunes@one:x,two/arena",
     "redis://:sirocco7/dunes@127.0.0.1:6379/0", "sentinel://:sirocco7/dunes@127.0.0.1/arena",
     "sentinel://:sirocco7dunes@127.0.0.1", "smtp://arena:sirocco7/dunes@127.0.0.1:25",
     "smtp://arena:25/sirocco7dunes@127.0.0.1:25"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_without_its_password(address: str) -> None:
    names = {"redis": "REDIS_URL", "sentinel": "REDIS_URL", "smtp": "ARENA_EMAIL_URL", "postgresql": "DATABASE_URL"}
    name = names[address.partition(":")[0]]
    run = subprocess.run(
        [sys.executable, "-c", "import webui.settings"], env={**os.environ, name: address}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert run.returncode
    assert "sirocco7" not in run.stderr


@pytest.mark.parametrize("value", ["-1", "11", "nan", "some"])
def test_seconds_for_stories_are_of_ten(value: str) -> None:
    with pytest.raises(ValueError, match="write a number of seconds from 0 to 10"):
        story_seconds(value)
