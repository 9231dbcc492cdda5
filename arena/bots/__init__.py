"""The Python client for bot authors: derive a class from `Bot`, write `choose`, and call `run`."""

import os

from arena.host import loading as _loading

# Set this before gRPC is loaded, which reads it then. Otherwise gRPC prints every failed handshake beside our own log.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

# An arena starts a bot for each seat of each match, and waits for it. structlog would load rich, for colours.
with _loading.loading(), _loading.hidden("rich"):
    from arena.bots.bot import Ask, Bot, End, Fault, MatchInfo
    from arena.bots.channel import Refused, Settings
    from arena.bots.client import Client
    from arena.bots.process import run
    from arena.bots.view import Seat, Tile, Turn, View

__all__ = [
    "Ask", "Bot", "Client", "End", "Fault", "MatchInfo", "Refused", "Seat", "Settings", "Tile", "Turn", "View",
    "run",
]  # fmt: skip
