"""compose.yaml without containers: its commands, health checks and settings, as plain processes of this machine.

Only what a container would have for itself is another: ports, and the addresses of database and Redis. The processes
find no Python package that the image would not have.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.compose import ROOT, fill_in, image_environment, our_services, read_compose, settings_set
from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.kit.redis_server import redis_executable
from webui.commands.services.ready import redis_answers

PORTS = re.compile(r"\b(8000|50051|6379)\b")
HEALTHY_WITHIN_S = 180
SECRETS = {"ARENA_SECRET_KEY": "not-so-secret", "POSTGRES_PASSWORD": "sirocco7dunes"}


HIDE = """
import sys

class OnlyTheImage:
    def find_spec(self, name, path=None, target=None):
        if name in {hidden!r}:
            raise ModuleNotFoundError(f"{{name}} is not in the image", name=name)

sys.meta_path.insert(0, OnlyTheImage())
"""
"""A `sitecustomize` for processes that must not find what developers alone have."""


def not_in_the_image() -> set[str]:
    """The top-level modules that are installed here and not in the image, by the lock file."""
    uv = Path(sys.executable).with_name("uv")
    export = ["export", "--frozen", "--no-dev", "--extra", "server", "--no-emit-project", "--no-hashes", "--no-header"]
    listed = subprocess.run([uv, *export], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    image = {line.split("==")[0] for line in listed.splitlines()} | {"naqala-arena"}
    return {
        module
        for module, distributions in packages_distributions().items()
        if not image & {re.sub(r"[-_.]+", "-", name).lower() for name in distributions}
    }


class Deployment:
    """The services of compose.yaml in a directory of their own."""

    def __init__(self, directory: Path, database_url: str) -> None:
        self.directory = directory
        self.ports: dict[tuple[str, str], ReservedPort] = {}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.only_image = directory / "only-the-image"
        self.only_image.mkdir()
        (self.only_image / "sitecustomize.py").write_text(HIDE.format(hidden=not_in_the_image()))
        self.addresses = {
            "DATABASE_URL": database_url,
            "REDIS_URL": f"redis://127.0.0.1:{self.port('redis', '6379')}/0",
            "ARENA_VAR": str(directory),
        }

    def port(self, service: str, port: str) -> str:
        """The port of this machine for a port of that container."""
        if (service, port) not in self.ports:
            self.ports[service, port] = ReservedPort()
        return str(self.ports[service, port].number)

    def words(self, service: str, words: list[str]) -> list[str]:
        return [PORTS.sub(lambda found: self.port(service, found[1]), word) for word in words]

    def environment(self, service: dict[str, Any]) -> dict[str, str]:
        """Of the image, of the environment file, and of compose.yaml, each over the one before."""
        of_file = settings_set() | SECRETS
        of_compose = {name: fill_in(value, of_file) for name, value in service.get("environment", {}).items()}
        found = image_environment() | of_file | of_compose | self.addresses
        # The image's PATH is its virtual environment, and this is ours.
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return found | {"PATH": path, "PYTHONPATH": str(self.only_image), "HOME": str(self.directory)}

    def start(self, name: str, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self.log(name).open("wb") as log:
            process = subprocess.Popen(
                self.words(name, command), cwd=self.directory, env=environment, stdout=log, stderr=log
            )
        self.running[name] = process
        return process

    def log(self, name: str) -> Path:
        return self.directory / f"{name}.log"

    def is_healthy(self, name: str, service: dict[str, Any]) -> bool:
        """What the service's own health check says."""
        kind, *command = service["healthcheck"]["test"]
        assert kind == "CMD"
        return not subprocess.run(
            self.words(name, command), cwd=self.directory, env=self.environment(service), capture_output=True,
            timeout=60, check=False,
        ).returncode  # fmt: skip

    def told(self, *names: str) -> str:
        return "\n".join(f"--- {name}\n{self.log(name).read_text()[-2000:]}" for name in names)

    def kill(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        for port in self.ports.values():
            port.close()


def wait_for(condition: Callable[[], bool], seconds: float, deployment: Deployment, name: str) -> None:
    """Until the service is so; a process that ends, or is not so in time, fails with what it wrote."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert deployment.running[name].poll() is None, deployment.told(name)
        assert time.monotonic() < deadline, deployment.told(name)
        time.sleep(0.2)


@contextmanager
def database(kind: str, directory: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{directory}/arena.sqlite3"
        return
    require_postgres()
    with PostgresServer() as server:
        yield server.url


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_the_deployment_becomes_healthy_and_stops_in_good_order(kind: str, tmp_path: Path) -> None:
    services = our_services()
    with ExitStack() as stack:
        deployment = Deployment(tmp_path, stack.enter_context(database(kind, tmp_path)))
        stack.callback(deployment.kill)

        program = redis_executable()
        assert program is not None
        redis = read_compose()["services"]["redis"]["command"]
        deployment.start("redis", [program, *redis[1:]], dict(os.environ))
        wait_for(lambda: redis_answers(("127.0.0.1", int(deployment.port("redis", "6379")))), 60, deployment, "redis")

        migrate = services.pop("migrate")
        assert deployment.start("migrate", migrate["command"], deployment.environment(migrate)).wait(180) == 0

        for name, service in services.items():
            deployment.start(name, service["command"], deployment.environment(service))
        for name, service in services.items():
            wait_for(lambda: deployment.is_healthy(name, service), HEALTHY_WITHIN_S, deployment, name)  # noqa: B023
        look = subprocess.run(
            ["arena", "admin", "doctor"], env=deployment.environment(services["web"]), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert look.returncode == 0 and look.stdout.startswith("healthy"), look

        stopped = {name: deployment.running[name] for name in services}
        for process in stopped.values():
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        for name, process in stopped.items():
            # Three times what a container is given: this machine has others to serve, which the containers have not.
            grace = 3 * float(services[name]["stop_grace_period"].removesuffix("s"))
            # Uvicorn ends as its signal wants it; all others say that they are done.
            assert process.wait(max(0.1, asked + grace - time.monotonic())) in (0, -signal.SIGTERM), deployment.told(
                name
            )
        assert not deployment.is_healthy("web", services["web"])
