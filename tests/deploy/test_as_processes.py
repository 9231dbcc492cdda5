"""compose.yaml without containers: its commands, health checks and settings, as plain processes of this machine.

Only a container's own resources differ: ports, and the addresses of database and Redis. The processes find no Python
package that the image lacks, and can write only where compose.yaml lets their containers write.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis

from tests.deploy.compose import ROOT, fill_in, image_environment, our_services, read_compose, settings_set
from tests.deploy.read_only import contained, unshare
from tests.e2e.running import LOOK_S, Site
from tests.kit.certificates import write_certificate
from tests.kit.lacking import give_up
from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.kit.redis_server import has_selectors, redis_executable
from webui.commands.services.ready import gateway_serves

PORTS = re.compile(r"\b(8000|50051|6379)\b")
HEALTHY_WITHIN_S = 600
SECRETS = {
    "ARENA_EMAIL_URL": "",
    "POSTGRES_GATEWAY_PASSWORD": "haboob7dunes",
    "ARENA_SECRET_KEY": "not-so-secret",
    "ARENA_FORMER_SECRET_KEYS": "",
    "ARENA_SIGNING_KEY": "5e" * 32,
    "POSTGRES_PASSWORD": "sirocco7dunes",
    "POSTGRES_SITE_PASSWORD": "khamsin7dunes",
    "REDIS_PASSWORD": "simoom7dunes",
    "REDIS_SITE_PASSWORD": "ghibli7dunes",
    "REDIS_RUNNER_PASSWORD": "harmattan7dunes",
}
TLS_PLACE = "/run/tls"
"""Place of the certificate in compose.tls.yaml."""
HOME = image_environment()["ARENA_VAR"]
"""Directory of the image's processes, in which they write if they have a volume there."""


HIDE = """
import sys

class OnlyTheImage:
    def find_spec(self, name, path=None, target=None):
        if name in {hidden!r}:
            raise ModuleNotFoundError(f"{{name}} is not in the image", name=name)

sys.meta_path.insert(0, OnlyTheImage())
"""
"""A `sitecustomize` that hides packages of developers from the processes."""


def not_in_the_image() -> set[str]:
    """Return the top-level modules that are installed here but, by the lock file, not in the image."""
    uv = Path(sys.executable).with_name("uv")
    export = [
        "export",
        "--frozen",
        "--no-dev",
        "--extra",
        "server",
        "--extra",
        "tracing",
        "--no-emit-project",
        "--no-hashes",
        "--no-header",
    ]
    listed = subprocess.run([uv, *export], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    image = {line.split("==")[0] for line in listed.splitlines()} | {"naqala-arena"}
    return {
        module
        for module, distributions in packages_distributions().items()
        if not image & {re.sub(r"[-_.]+", "-", name).lower() for name in distributions}
    }


class Deployment:
    """The services of compose.yaml in a separate directory."""

    def __init__(self, directory: Path, database_url: str) -> None:
        self.directory = directory
        self.ports: dict[tuple[str, str], ReservedPort] = {}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.only_image = directory / "only-the-image"
        self.only_image.mkdir()
        (self.only_image / "sitecustomize.py").write_text(HIDE.format(hidden=not_in_the_image()))
        self.home = directory / "home"
        for volume in ("frames", "data"):  # as in the image
            (self.home / volume).mkdir(parents=True)
        self.database: tuple[Path, ...] = ()
        """Directory of SQLite's file, if SQLite is used: with containers it would be a shared volume."""
        if database_url.startswith("sqlite:"):
            self.database = (Path(database_url.removeprefix("sqlite:///")).parent,)
        self.addresses = {
            "DATABASE_URL": database_url,
            "REDIS_URL": f"redis://:{SECRETS['REDIS_PASSWORD']}@127.0.0.1:{self.port('redis', '6379')}/0",
            "ARENA_VAR": str(self.home),
        }

    def port(self, service: str, port: str) -> str:
        """Return this machine's port for a port of a container."""
        if (service, port) not in self.ports:
            self.ports[service, port] = ReservedPort()
        return str(self.ports[service, port].number)

    def words(self, service: str, words: list[str]) -> list[str]:
        return [PORTS.sub(lambda found: self.port(service, found[1]), word) for word in words]

    def environment(self, name: str, service: dict[str, Any]) -> dict[str, str]:
        """Return the environment from the image, the environment file and compose.yaml, each overriding the previous
        one."""
        of_compose = {name: fill_in(value, SECRETS) for name, value in service.get("environment", {}).items()}
        addresses = {name: value for name, value in self.addresses.items() if name in of_compose or name == "ARENA_VAR"}
        for variable in ("DATABASE_URL", "ARENA_GATEWAY_DATABASE_URL", "ARENA_SITE_DATABASE_URL"):
            user = urlsplit(of_compose.get(variable, "")).netloc.rpartition("@")[0]
            if user.startswith(("arena_gateway:", "arena_site:")):
                addresses[variable] = self.addresses["DATABASE_URL"].replace("//arena:@", f"//{user}@")
        if user := urlsplit(of_compose.get("REDIS_URL", "")).username:
            addresses["REDIS_URL"] = self.addresses["REDIS_URL"].replace(
                f":{SECRETS['REDIS_PASSWORD']}@", f"{user}:{SECRETS['REDIS_SITE_PASSWORD']}@"
            )
        found = image_environment() | settings_set() | of_compose | addresses
        # The image's PATH is its virtual environment, and this is ours.
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        heartbeat = found["ARENA_HEARTBEAT"].replace("/tmp", str(self.place(name, "/tmp")), 1)
        for variable in ("ARENA_TLS_CERT", "ARENA_TLS_KEY"):
            if variable in found:
                found[variable] = found[variable].replace(TLS_PLACE, str(self.directory), 1)
        return found | {
            "ARENA_HEARTBEAT": heartbeat,
            "PATH": path,
            "PYTHONPATH": f"{self.only_image}:{ROOT}",
            "HOME": str(self.home),
        }

    def contained(self, name: str, service: dict[str, Any], command: list[str]) -> list[str]:
        """Wrap the command so that it can write only where the service's container can."""
        assert service["read_only"]
        volumes = [volume.split(":")[1] for volume in service.get("volumes", []) if not volume.endswith(":ro")]
        places = [*service["tmpfs"], *volumes]
        writable = [self.place(name, place) for place in places] + list(self.database)
        return contained(self.words(name, command), *writable)

    def place(self, name: str, place: str) -> Path:
        """Return the local directory for a directory of a container."""
        if place == "/tmp":
            found = self.directory / f"tmp-{name}"
        else:
            assert place.startswith(HOME), place
            found = Path(place.replace(HOME, str(self.home), 1))
        found.mkdir(exist_ok=True)
        return found

    def run(self, name: str, service: dict[str, Any], command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in the service's container, as `docker compose exec` does."""
        return subprocess.run(
            self.contained(name, service, command), cwd=self.home, env=self.environment(name, service),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    def start_service(self, name: str, service: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Start the service's own command in its container."""
        environment = self.environment(name, service) | {"TMPDIR": str(self.place(name, "/tmp"))}
        return self.start(name, self.contained(name, service, service["command"]), environment)

    def start(self, name: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self.log(name).open("wb") as log:
            process = subprocess.Popen(command, cwd=self.home, env=environment, stdout=log, stderr=log)
        self.running[name] = process
        return process

    def log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def is_healthy(self, name: str, service: dict[str, Any]) -> bool:
        """Run the service's own health check."""
        kind, *command = service["healthcheck"]["test"]
        assert kind == "CMD"
        if command[:3] == ["arena", "admin", "alive"]:
            command += ["--pid", str(self.running[name].pid)]  # which is 1 in its container
        return not self.run(name, service, command).returncode

    def told(self, *names: str) -> str:
        return "\n".join(f"--- {name}\n{self.log(name).read_text()[-2000:]}" for name in names)

    def kill(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        for port in self.ports.values():
            port.close()


def wait_for(
    condition: Callable[[], bool], seconds: float, deployment: Deployment, name: str, every: float = 0.2
) -> None:
    """Wait until the service meets the condition. If its process ends, or on a timeout, fail with its output."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert deployment.running[name].poll() is None, deployment.told(name)
        assert time.monotonic() < deadline, deployment.told(name)
        time.sleep(every)


@contextmanager
def database(kind: str, directory: Path) -> Iterator[str]:
    if kind == "sqlite":
        (directory / "database").mkdir()
        yield f"sqlite:///{directory}/database/arena.sqlite3"
        return
    require_postgres()
    with PostgresServer() as server:
        yield server.url


def redis_is_up(url: str) -> bool:
    """Return whether Redis answers a client with its password, and refuses others."""
    try:
        with redis.Redis.from_url(url) as line:
            line.ping()
    except redis.ConnectionError:
        return False
    with redis.Redis(port=urlsplit(url).port or 0) as line, pytest.raises(redis.AuthenticationError):
        line.ping()
    return True


def check_replays(deployment: Deployment, web: dict[str, Any]) -> None:
    """Check that a match is played and its replay shown, with the cache of frames, and by a site that cannot write
    it."""

    def arena(*words: str) -> str:
        done = deployment.run("web", web, ["arena", *words])
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    arena("user", "create", "amira", "--password", "sirocco over dunes")
    tokens = {player: arena("user", "register-bot", "amira", player, "--house") for player in ("random", "greedy")}
    # They connect as bots on other machines do.
    root = start_gateway_with_tls(deployment)
    server = f"https://localhost:{deployment.port('gateway-tls', '50051')}"
    bots = [sys.executable, "-m", "arena.bots.house_bots", "--server", server]
    own = {"ARENA_HOUSE_TOKENS": json.dumps(tokens), "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(root)}
    deployment.start("bots", bots, deployment.environment("bots", web) | own)
    first = f"http://127.0.0.1:{deployment.port('web', '8000')}"
    site = Site(first)
    wait_for(lambda: any(map(site.replay, site.matches())), HEALTHY_WITHIN_S, deployment, "bots", LOOK_S)
    match = next(found for found in site.matches() if site.replay(found))
    deployment.running.pop("bots").kill()
    paths = [f"/matches/{match}/", f"/matches/{match}/frames.json", f"/matches/{match}/replay.json"]
    for path in paths:
        assert page(first + path)
    assert any((deployment.home / "frames").glob("*.djcache"))
    told = deployment.log("web").read_text()
    assert "cache_not_usable" not in told and "presence unknown" not in told

    without = {**web, "volumes": []}
    deployment.start_service("web-alone", without)
    second = f"http://127.0.0.1:{deployment.port('web-alone', '8000')}"
    wait_for(lambda: answers(second), HEALTHY_WITHIN_S, deployment, "web-alone")
    for language in ("es", "fr", "ru"):  # the cache that it can read has none of these
        for path in paths:
            assert page(second + path, language)
    assert deployment.log("web-alone").read_text().count("cache_not_usable") == 1
    deployment.running.pop("web-alone").kill()


def start_gateway_with_tls(deployment: Deployment) -> Path:
    """Start a gateway as in compose.tls.yaml. Return the certificate that it shows."""
    over = read_compose("compose.tls.yaml")["services"]["gateway-1"]
    service = {**our_services()["gateway-1"], "volumes": over["volumes"]}
    service["environment"] = {**service["environment"], **over["environment"]}
    root, _ = write_certificate(deployment.directory, "localhost", "fullchain.pem", "privkey.pem")
    deployment.start_service("gateway-tls", service)
    wait_for(
        lambda: deployment.is_healthy("gateway-tls", service), HEALTHY_WITHIN_S, deployment, "gateway-tls", every=1.0
    )
    assert not gateway_serves(int(deployment.port("gateway-tls", "50051"))), "nobody talks to it in clear"
    return root


def handles(pid: int, number: signal.Signals) -> bool:
    """Return whether a process has its own handler for a signal."""
    (caught,) = re.findall(r"^SigCgt:\s*([0-9a-f]+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(int(caught, 16) >> (number - 1) & 1)


def answers(address: str) -> bool:
    """Return whether there is a page."""
    try:
        return bool(page(address))
    except urllib.error.URLError:
        return False


def page(address: str, language: str = "en") -> bytes:
    """Return the page, perhaps compressed. Fails if its status is not 200."""
    request = urllib.request.Request(address, headers={"Accept-Language": language})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return bytes(answer.read())


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.timeout(900)
@pytest.mark.when_changed("deployment")
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("sqlite", marks=pytest.mark.soak),  # no deployment of compose.yaml uses it
        pytest.param("postgresql", marks=pytest.mark.postgres),
    ],
)
def test_the_deployment_becomes_healthy_and_stops_in_good_order(kind: str, tmp_path: Path) -> None:
    if unshare() is None:
        give_up(
            "no mount namespaces here: run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone)"
        )
    services = our_services()
    with ExitStack() as stack:
        deployment = Deployment(tmp_path, stack.enter_context(database(kind, tmp_path)))
        stack.callback(deployment.kill)

        program = redis_executable()
        assert program is not None
        server = [fill_in(word, SECRETS) for word in read_compose()["services"]["redis"]["command"]]
        if not has_selectors():
            del server[server.index("arena_runner") - 1 :]  # the last user, whom nobody needs here
        deployment.start("redis", [program, *deployment.words("redis", server[1:])], dict(os.environ))
        wait_for(lambda: redis_is_up(deployment.addresses["REDIS_URL"]), 60, deployment, "redis")

        migrate = services.pop("migrate")
        assert deployment.start_service("migrate", migrate).wait(HEALTHY_WITHIN_S) == 0, deployment.told("migrate")

        for name, service in services.items():
            deployment.start_service(name, service)
        for name, service in services.items():
            # Each health check starts a program: more of them would slow the starting services down.
            wait_for(lambda: deployment.is_healthy(name, service), HEALTHY_WITHIN_S, deployment, name, 1.0)  # noqa: B023
        check_replays(deployment, services["web"])
        look = deployment.run("upkeep", services["upkeep"], ["arena", "admin", "doctor"])
        assert look.returncode == 0 and look.stdout.startswith("healthy"), look

        stopped = {name: deployment.running[name] for name in services}
        for name, process in stopped.items():
            assert process.poll() is None
            # In Kubernetes it is process 1 of its container, which gets no signal that it does not handle itself.
            assert handles(process.pid, signal.SIGTERM), name
            process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        for name, process in stopped.items():
            # Three times the grace of a container: this machine is shared, unlike the containers'.
            grace = 3 * float(services[name]["stop_grace_period"].removesuffix("s"))
            # Uvicorn ends by its signal; all others report that they are done.
            assert process.wait(max(0.1, asked + grace - time.monotonic())) in (0, -signal.SIGTERM), deployment.told(
                name
            )
        assert not deployment.is_healthy("web", services["web"])
