"""Where a bot process dials in, and as what."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a bot process dials in, and as what."""

    server: str
    """`host:port`, or `https://host:port` for TLS."""
    token: str
    process: str
    """The name of this process: unique among those of the bot, the same after a restart."""
    max_matches: int = 4
    certificate: Path | None = None
    """The certificate chain (PEM) that the server shows, whatever its address. None: one for that address."""
    receipts: Path | None = None
    """The folder for what is kept of each offer; None: nothing is kept."""

    def __post_init__(self) -> None:
        check_server(self.server)


def check_server(server: str) -> None:
    """Raise ValueError if a bot cannot dial this address: it would be tried for ever."""
    address = server.removeprefix("https://")
    if "/" in address or (address == server and not re.search(r":\d+$", address)):
        raise ValueError(f"{server!r} is not an address for bots: write host:port, or https://host:port for TLS")
