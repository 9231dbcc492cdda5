"""Readiness checks of the processes of an arena, from outside. Each is one try, of about a second at most."""

from __future__ import annotations

import http.client
import socket
import ssl
from pathlib import Path
from typing import Any

TRY_S = 1.0


def redis_answers(address: str | tuple[str, int]) -> bool:
    """Whether a Redis without a password answers PING on this unix socket or port."""
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
    """Whether the site answers with its front page."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=TRY_S)
    try:
        line.request("GET", "/")
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


def gateway_serves(port: int, chain: Path | None = None) -> bool:
    """Whether the gateway's health service answers SERVING; with TLS if it has this certificate chain."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    address = f"127.0.0.1:{port}"
    options: list[tuple[str, Any]] = [("grpc.use_local_subchannel_pool", 1)]
    try:
        if chain is None:
            channel = grpc.insecure_channel(address, options)
        else:
            options += [("grpc.ssl_target_name_override", _name_shown(port, chain))]
            channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(chain.read_bytes()), options)
        with channel:
            request = health_pb2.HealthCheckRequest()
            answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=TRY_S)
    except (OSError, grpc.RpcError):
        return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _name_shown(port: int, chain: Path) -> str:
    """A name in the certificate of this port, which has to be that of the chain; OSError otherwise."""
    context = ssl.create_default_context(cafile=str(chain))
    context.check_hostname = False  # a port of this machine, known by its certificate
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", port), TRY_S) as line, context.wrap_socket(line) as secure:
        certificate: Any = secure.getpeercert()
    return next((name for kind, name in certificate.get("subjectAltName", ()) if kind == "DNS"), "localhost")


def worker_answers(node: str) -> bool:
    """Whether this Celery worker answers a ping."""
    from workers.app import app

    # After a restart of Redis the first ping meets a connection of before.
    broker: Any = app.connection_for_write()
    try:
        return bool(app.control.ping([node], timeout=TRY_S))
    except (OSError, *broker.connection_errors):
        return False


def is_written_since(file: Path, since: float) -> bool:
    """Whether this file, or one with a longer name, was written since then (wall clock)."""
    return any(path.stat().st_mtime >= since for path in file.parent.glob(f"{file.name}*"))


def bots_are_here(redis_url: str, wanted: frozenset[int]) -> bool:
    """Whether all these bots are connected to a gateway."""
    from arena.bus import Bus, BusUnavailable

    try:
        with Bus(redis_url) as bus:
            return wanted <= {session.bot for session in bus.presences() if session.connected}
    except BusUnavailable:
        return False
