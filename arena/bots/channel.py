"""The connection to an arena: its settings, how it is made, and how it ends."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arena.host.sockets import is_loopback, proxy_advice
from arena.wire.service import trust
from arena.wire.v1.bot_pb2 import Error

# A retry cannot help: the same hello would get the same answer.
FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.ABORTED,
}
CODES = {code.value[0]: code for code in grpc.StatusCode}
# Except for this reason: our hello was late because a machine is busy.
PASSING = {"HELLO_EXPECTED"}


class StreamLost(Exception):
    """Raised when the stream ended and is worth opening again."""


class Refused(Exception):
    """Raised when the server refuses this process.

    `reason` is stable, for programs. The message says what to do.

    >>> refused = Refused("BAD_TOKEN", "This token was revoked.")
    >>> print(refused.reason, "-", refused)
    BAD_TOKEN - This token was revoked. [BAD_TOKEN]
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{message} [{reason}]" if reason else message)
        self.reason = reason


def error_of(status: grpc.aio.AioRpcError, last: Error) -> StreamLost | Refused:
    """Return the exception for the status of an ended stream.

    `last` is the last error that the server sent before the end.
    """
    details = last.message or status.details() or ""
    # If a message of ours crossed the end of the stream, the status is INTERNAL, whatever the server said.
    code = CODES.get(last.code, status.code()) if last.fatal else status.code()
    if code in FINAL and last.reason not in PASSING:
        return Refused(last.reason or code.name, details)
    return StreamLost(f"{code.name}: {details}")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a bot process, for `Client`.

    Raises ValueError if `server` is not an address that a bot can dial.

    >>> Settings("localhost:50051", token="…", process="laptop-1").max_matches
    4
    >>> Settings("http://localhost", token="…", process="laptop-1")
    Traceback (most recent call last):
        ...
    ValueError: 'http://localhost' is not an address for bots: write https://host:port, or host:port on this machine
    """

    server: str
    """`https://host:port`; on this machine also `host:port`. `http://host:port` sends the token unencrypted."""
    token: str
    process: str
    """Name of this process: unique among the processes of the bot, and the same after a restart."""
    max_matches: int = 4
    certificate: Path | None = None
    """Certificate chain (PEM) that the server must show, whatever its address. `None`: any valid one for that
    address."""
    receipts: Path | None = None
    """Folder for the receipts of offers; `None` to keep none."""
    nonce_key: bytes = b""
    """Secret from which all nonces are derived, so that a process that restarts between its acceptance of a match and
    the reveal still knows its nonce. Empty: nonces are random, and a restart loses them.

    Use it only for bots of the arena itself. An arena that offers a match twice gets the same nonce twice, so it would
    know the nonce of another bot before the second reveal.
    """

    def __post_init__(self) -> None:
        parse_server(self.server)


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """A gateway's address, as gRPC wants it."""

    target: str
    """`host:port`; with TLS the port may be missing."""
    host: str
    is_tls: bool
    is_socket: bool = False
    """Whether it is a Unix socket, as in the sandbox of a hosted bot."""


SOCKET = "unix:"
ADDRESS = re.compile(r"(?:(https?)://)?((\[[^]/]+\]|[^][:/@]+)(:\d+)?)")


def parse_server(server: str) -> GatewayAddress:
    """Return the address that `server` names.

    Raises ValueError if a bot cannot dial it, because a bot would retry forever. Also raises ValueError if it neither
    is on this machine nor begins with `https://` or `http://`: a token must not be sent unencrypted by mistake.
    """
    if server.startswith(f"{SOCKET}/"):
        return GatewayAddress(server, "localhost", is_tls=False, is_socket=True)
    parts = ADDRESS.fullmatch(server)
    if parts is None or (parts[1] != "https" and not parts[4]):
        raise ValueError(
            f"{server!r} is not an address for bots: write https://host:port, or host:port on this machine"
        )
    scheme, target, host, _ = parts.groups()
    if scheme is None and not is_loopback(host):
        raise ValueError(
            f"{server!r} does not say whether to encrypt: write https://{target}, or http://{target} to send your token"
            " unencrypted"
        )
    return GatewayAddress(target, host, scheme == "https")


# Otherwise a dead peer is noticed only after a quarter of an hour.
OPTIONS = [
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # One connection for each client: two bots in one process must not share a connection and lose it together.
    ("grpc.use_local_subchannel_pool", 1),
]


# A runner freezes its bots between their turns. A frozen bot must not find its connection dead when it runs on.
SOCKET_OPTIONS = [("grpc.use_local_subchannel_pool", 1)]

NO_PROXY: tuple[str, Any] = ("grpc.enable_http_proxy", 0)
"""Option for a channel that never uses a proxy. gRPC would send even connections to this machine through one."""
PROXY_VARIABLES = ("grpc_proxy", "https_proxy", "http_proxy")
"""Environment variables in which gRPC looks for a proxy, in its order."""


def connection_advice(why: str, server: str) -> str:
    """Return advice for a failed connection to `server`; `why` is gRPC's explanation of it."""
    if "WRONG_VERSION_NUMBER" in why:  # BoringSSL's name for a reply without TLS
        return "the server does not use TLS on this port: write http://, or use the port for bots with TLS"
    advice = "check the address for bots, which the site shows beside a new token; with TLS it is https://host:port"
    return "; ".join(filter(None, (proxy_advice(parse_server(server).host, PROXY_VARIABLES), advice)))


def open_channel(server: str, certificate: Path | None = None) -> grpc.aio.Channel:
    """Open a channel to a server; `server` and `certificate` are as in `Settings`.

    Raises `StreamLost` if the certificate cannot be read, and ValueError for an address that cannot be dialled.
    """
    address = parse_server(server)
    options = SOCKET_OPTIONS if address.is_socket else OPTIONS
    if is_loopback(address.host):
        options = [*options, NO_PROXY]
    if not address.is_tls:
        return grpc.aio.insecure_channel(address.target, options=options)
    credentials = grpc.ssl_channel_credentials()
    if certificate is not None:
        try:  # read it every time, because it may have been renewed
            credentials, known_by = trust(certificate)
        except (OSError, ValueError) as error:
            raise StreamLost(f"the certificate {certificate} cannot be read: {error}") from error
        options = [*options, *known_by]
    return grpc.aio.secure_channel(address.target, credentials, options=options)
