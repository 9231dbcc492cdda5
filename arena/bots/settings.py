"""Settings of a bot process: the server to connect to, and the credentials."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a bot process, for `Client`.

    Raises ValueError if `server` is not an address that a bot can dial.

    >>> Settings("localhost:50051", token="…", process="laptop-1").max_matches
    4
    >>> Settings("http://localhost", token="…", process="laptop-1")
    Traceback (most recent call last):
        ...
    ValueError: 'http://localhost' is not an address for bots: write host:port, or https://host:port for TLS
    """

    server: str
    """`host:port`, or `https://host:port` for TLS."""
    token: str
    process: str
    """Name of this process: unique among the processes of the bot, and the same after a restart."""
    max_matches: int = 4
    certificate: Path | None = None
    """Certificate chain (PEM) that the server must show, whatever its address. `None`: any valid one for that
    address."""
    receipts: Path | None = None
    """Folder for the receipts of offers; `None` to keep none."""

    def __post_init__(self) -> None:
        check_server(self.server)


def check_server(server: str) -> None:
    """Raise ValueError if a bot cannot dial this address; otherwise it would retry forever."""
    address = server.removeprefix("https://")
    if "/" in address or (address == server and not re.search(r":\d+$", address)):
        raise ValueError(f"{server!r} is not an address for bots: write host:port, or https://host:port for TLS")
