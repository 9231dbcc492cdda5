"""Checks of an arena's processes from outside: whether they are ready, and whether they still work."""

from __future__ import annotations

import http.client
import os
import socket
from pathlib import Path
from typing import Any

from arena.host.heartbeat import HANG_LIMIT_S, age_s

TRY_S = 5.0
"""Timeout of a check in seconds. A process that answers later is slow, and is checked again."""
PAGE_S = 30.0
"""The same for a page. A starved site needs long for one, and asking again would only add to its work."""


def redis_answers(address: str | tuple[str, int]) -> bool:
    """Return whether a Redis without a password answers PING on this unix socket or port."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    try:
        with socket.socket(family) as line:
            line.settimeout(TRY_S)
            line.connect(address)
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def page_answers(port: int) -> bool:
    """Return whether the site answers with its front page."""
    return _status(port, "/") == http.client.OK


def site_answers(port: int) -> bool:
    """Return whether the site answers a request that needs neither database nor Redis.

    503 is no answer: it says that no thread was free in time, which may be so for ever.
    """
    return _status(port, "/favicon.ico") not in (None, http.client.SERVICE_UNAVAILABLE)


def _status(port: int, path: str) -> int | None:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PAGE_S)
    try:
        line.request("GET", path)
        return line.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        line.close()


def certificate() -> Path | None:
    """Return the path of the certificate chain that the gateways of this environment use. None: they use no TLS."""
    chain = os.environ.get("ARENA_TLS_CERT")
    return Path(chain) if chain else None


def gateway_serves(port: int, chain: Path | None = None) -> bool:
    """Return whether the gateway's health service answers SERVING. With `chain`, the gateway uses TLS."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    from arena.wire.service import trust

    address = f"127.0.0.1:{port}"
    options: list[tuple[str, Any]] = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
    try:
        if chain is None:
            channel = grpc.insecure_channel(address, options)
        else:
            credentials, known_by = trust(chain)
            channel = grpc.secure_channel(address, credentials, options + known_by)
        with channel:
            request = health_pb2.HealthCheckRequest()
            answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=TRY_S)
    except (OSError, ValueError, grpc.RpcError):
        return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def is_fresh(heartbeat: Path | None) -> bool:
    """Return whether the process that writes this heartbeat has worked recently."""
    age = None if heartbeat is None else age_s(heartbeat)
    return age is not None and age < HANG_LIMIT_S


class Heartbeats:
    """Checks whether there was a heartbeat since the last check."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last = 0

    def __call__(self) -> bool:
        """Compare the file's time with the last one. Its age is not used, because clocks are set and machines sleep."""
        try:
            last = self._file.stat().st_mtime_ns
        except FileNotFoundError:
            return False
        is_new, self._last = last != self._last, last
        return is_new


def bus_answers(redis_url: str) -> bool:
    """Return whether a Redis that others run answers PING."""
    from arena.bus import Bus, BusUnavailable

    try:
        with Bus(redis_url) as bus:
            bus.ping()
    except BusUnavailable:
        return False
    return True


def bots_are_here(redis_url: str, wanted: frozenset[int]) -> bool:
    """Return whether all these bots are connected to a gateway."""
    from arena.bus import Bus, BusUnavailable

    try:
        with Bus(redis_url) as bus:
            return wanted <= {session.bot for session in bus.presences() if session.connected}
    except BusUnavailable:
        return False
