"""The connection to an arena."""

from pathlib import Path

import grpc
import grpc.aio

from arena.bots.errors import StreamLost
from arena.wire.service import trust

# Otherwise a dead peer is noticed only after a quarter of an hour.
OPTIONS = [
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # One connection for each client: two bots in one process must not share a connection and lose it together.
    ("grpc.use_local_subchannel_pool", 1),
]


def hint(why: str) -> str:
    """Return advice for a connection error; `why` is gRPC's explanation of it."""
    if "WRONG_VERSION_NUMBER" in why:  # BoringSSL's name for a reply without TLS
        return "the server does not use TLS on this port: remove https://, or use the port where bots connect with TLS"
    return "check the address for bots, which the site shows beside a new token; with TLS it is https://host:port"


def open_channel(server: str, certificate: Path | None = None) -> grpc.aio.Channel:
    """Open a channel to a server; `server` and `certificate` are as in `Settings`.

    Raises `StreamLost` if the certificate cannot be read.
    """
    if not server.startswith("https://"):
        return grpc.aio.insecure_channel(server, options=OPTIONS)
    credentials, options = grpc.ssl_channel_credentials(), OPTIONS
    if certificate is not None:
        try:  # read it every time, because it may have been renewed
            credentials, known_by = trust(certificate)
        except (OSError, ValueError) as error:
            raise StreamLost(f"the certificate {certificate} cannot be read: {error}") from error
        options = [*OPTIONS, *known_by]
    return grpc.aio.secure_channel(server.removeprefix("https://"), credentials, options=options)
