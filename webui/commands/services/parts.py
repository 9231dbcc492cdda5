"""The processes of an arena on one machine: their commands, addresses and dependencies."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from arena.cli.files import InputError
from arena.host.certificates import name_in
from arena.host.places import Places
from arena.host.redaction import redact
from arena.host.redis_address import redis_server
from webui.commands.services import ready
from webui.commands.services.process import ServiceSpec

HOST = "127.0.0.1"
SITE_PORT = 8000
GATEWAY_PORT = 50051
MATCH_THREADS = 100
RUNNER_PLACES = 40
"""Number of sandboxes at the same time: enough for eight matches of five (the default of ARENA_MATCHES)."""


@dataclass(frozen=True)
class Addresses:
    """Addresses of the parts of this arena."""

    site_port: int
    gateway_port: int
    redis_url: str
    claims: tuple[socket.socket, ...] = ()
    """Sockets that reserve these ports on this machine while they are open."""

    @property
    def site(self) -> str:
        """Return the address of the site for a browser."""
        return f"http://{HOST}:{self.site_port}"

    @property
    def gateway(self) -> str:
        """Return the address of the gateway for processes of this machine."""
        return f"{HOST}:{self.gateway_port}"

    @property
    def for_bots(self) -> str:
        """Return the address of the gateway for bots. With TLS it uses a name of the certificate.

        Raise `InputError` if the certificate has no name or cannot be read.
        """
        chain = ready.certificate()
        if chain is None:
            return self.gateway
        try:
            return f"https://{name_in(chain.read_bytes())}:{self.gateway_port}"
        except (OSError, ValueError) as error:
            raise InputError(f"the certificate of ARENA_TLS_CERT ({chain}) cannot be used: {error}") from None


def choose_addresses(var: Path, note: Callable[[str], None]) -> Addresses:
    """Choose the default ports, or free ones if those are taken. Use the Redis of REDIS_URL, or else our own."""
    claims: list[socket.socket] = []
    redis_url = os.environ.get("REDIS_URL") or ""
    if not redis_url:
        redis_url = f"unix://{Places(var).redis_socket()}?db=0"
    return Addresses(
        site_port=_port(SITE_PORT, "the site", note, claims),
        gateway_port=_port(GATEWAY_PORT, "the gateway", note, claims),
        redis_url=redis_url,
        claims=tuple(claims),
    )


def _port(usual: int, what: str, note: Callable[[str], None], claims: list[socket.socket]) -> int:
    if _claim(usual, claims):
        with suppress(OSError):
            return _reserve(usual, claims)
    port = _reserve(0, claims)
    note(f"Port {usual} is taken: {what} is at port {port}.")
    return port


def _claim(port: int, claims: list[socket.socket]) -> bool:
    """Claim a port by an abstract socket, which exists as long as this process. Return False if another arena has
    claimed it.

    While a process starts or restarts, its port looks free. Without the claim, another arena could take the same port,
    and then mistake our process for its own.
    """
    if sys.platform != "linux":
        return True
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0naqala-arena-port-{port}")
    except OSError:
        claim.close()
        return False
    claims.append(claim)
    return True


def _reserve(port: int, claims: list[socket.socket]) -> int:
    """Reserve a port of this machine (0: any) for one of our processes, also while it restarts. Return its number.

    Raise `OSError` if another process listens there.

    The socket is bound and never listens. On Linux the kernel then gives the port to no connection, and to no process
    that asks for any free port. A server that binds it with SO_REUSEADDR may still listen there, and all of ours do.
    Elsewhere the socket would block our own server, so it is closed.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        reserved.bind((HOST, port))
        number = int(reserved.getsockname()[1])
    except OSError:
        reserved.close()
        raise
    if sys.platform == "linux":
        claims.append(reserved)
    else:
        reserved.close()
    return number


def services(
    addresses: Addresses,
    var: Path,
    *,
    is_own_redis: bool,
    house: Mapping[str, tuple[int, str]],
    hosted: frozenset[int] = frozenset(),
    runner_token: str | None,
    referees: int = 1,
) -> list[ServiceSpec]:
    """Return all processes of the arena.

    `house` maps each player that dials in to its bot id and token. `hosted` are the ids of the house bots that the
    runner plays. Without `runner_token` there is no runner.
    """
    parts = [_redis(addresses, var) if is_own_redis else _redis_of_others(addresses)]
    parts += [_site(addresses), _gateway(addresses)]
    parts += [_referee(name, var) for name in ("referee", *more_referees(referees))]
    parts.append(_beating("upkeep", (sys.executable, "-m", "workers.upkeep"), "periodic tasks", var))
    if runner_token is not None:
        parts.append(_runner(addresses, runner_token, var, hosted))
    if house:
        parts.append(_house(addresses, house, var))
    return parts


def _redis(addresses: Addresses, var: Path) -> ServiceSpec:
    path = urlsplit(addresses.redis_url).path
    where = ("--port", "0", "--unixsocket", path, "--unixsocketperm", "700")  # no TCP port: there is no password
    return ServiceSpec(
        name="redis",
        # Redis holds only data that can be lost, so nothing is stored on disk. A file of another Redis is not loaded.
        command=(
            *(_redis_server(), *where, "--dir", str(var)),
            *("--save", "", "--appendonly", "no", "--dbfilename", f"none-{os.getpid()}.rdb"),
        ),
        address=addresses.redis_url,
        is_ready=partial(ready.redis_answers, path),
    )


def _redis_of_others(addresses: Addresses) -> ServiceSpec:
    return ServiceSpec(
        name="redis",
        command=(),
        address=redact(addresses.redis_url),
        is_ready=partial(ready.bus_answers, addresses.redis_url),
    )


def _redis_server() -> str:
    if path := redis_server():
        return path
    raise InputError(
        "there is no redis-server here: install it (Debian: apt-get install redis-server) or set REDIS_URL"
    )


def _site(addresses: Addresses) -> ServiceSpec:
    return ServiceSpec(
        name="site",
        command=(
            *(sys.executable, "-m", "webui.commands.site"),
            *("--host", HOST, "--port", str(addresses.site_port)),
        ),
        address=addresses.site,
        is_ready=partial(ready.page_answers, addresses.site_port),
        is_alive=partial(ready.site_answers, addresses.site_port),
        needs=("redis",),
    )


def _gateway(addresses: Addresses) -> ServiceSpec:
    return ServiceSpec(
        name="gateway",
        command=(sys.executable, "-m", "webui.commands.gateway", "--listen", addresses.gateway),
        address=addresses.gateway,
        is_ready=partial(ready.gateway_serves, addresses.gateway_port, ready.certificate()),
        needs=("redis",),
    )


def more_referees(count: int) -> list[str]:
    """Return the names of the second referee and those after it."""
    return [f"referee-{number}" for number in range(2, count + 1)]


def _referee(name: str, var: Path) -> ServiceSpec:
    node = f"{name}-{os.getpid()}@{socket.gethostname()}"
    command = (
        *(sys.executable, "-m", "celery", "-A", "workers.app", "worker", "-P", "threads", "-c", str(MATCH_THREADS)),
        *("-Q", "matches", "-n", node, "--without-gossip", "--without-mingle", "--without-heartbeat"),
    )
    return _beating(name, command, "queue matches", var)


def _beating(name: str, command: tuple[str, ...], address: str, var: Path) -> ServiceSpec:
    """Return a process that answers no requests. Its heartbeat shows that it works."""
    file = Places(var).heartbeat(name)
    return ServiceSpec(name, command, address, is_ready=ready.Heartbeats(file), needs=("redis",), heartbeat=file)


def _runner(addresses: Addresses, token: str, var: Path, hosted: frozenset[int]) -> ServiceSpec:
    cores = sorted(os.sched_getaffinity(0))
    chain = ready.certificate()
    server: tuple[str, ...] = ("--gateway", addresses.gateway)
    if chain is not None:
        server = ("--gateway", f"https://{addresses.gateway}", "--certificate", str(chain))
    # A bot that thinks has a core to itself. One is left for the other processes.
    command = (
        *(sys.executable, "-m", "arena.runner", "--for-friends", *server),
        *("--cores", ",".join(map(str, cores[1:] or cores)), "--places", str(RUNNER_PLACES)),
    )
    file = Places(var).heartbeat("runner")
    beats = ready.Heartbeats(file)
    return ServiceSpec(
        name="runner",
        command=command,
        address=f"{len(hosted)} house bots, submitted bots" if hosted else "submitted bots",
        is_ready=partial(ready.bots_are_here, addresses.redis_url, hosted) if hosted else beats,
        is_alive=beats,
        needs=("gateway", "referee"),
        environment={"ARENA_RUNNER_TOKEN": token},
        heartbeat=file,
    )


def _house(addresses: Addresses, house: Mapping[str, tuple[int, str]], var: Path) -> ServiceSpec:
    chain = ready.certificate()
    server: tuple[str, ...] = ("--server", addresses.gateway)
    if chain is not None:
        server = ("--server", f"https://{addresses.gateway}", "--certificate", str(chain))
    tokens = {player: token for player, (_, token) in house.items()}
    file = Places(var).heartbeat("house")
    return ServiceSpec(
        name="house",
        command=(sys.executable, "-m", "arena.bots.house_bots", *server),
        address=f"{len(house)} bots",
        is_ready=partial(ready.bots_are_here, addresses.redis_url, frozenset(bot_id for bot_id, _ in house.values())),
        is_alive=ready.Heartbeats(file),
        needs=("gateway", "referee"),
        environment={"ARENA_HOUSE_TOKENS": json.dumps(tokens)},
        heartbeat=file,
    )
