"""What a Python bot author imports: derive from `Bot`, write `choose`, call `run`."""

import os

# Before gRPC is loaded, which reads it then: else it prints each handshake that fails, beside our own log.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")

from arena.bots.bot import Ask, Bot, End, Fault, MatchInfo
from arena.bots.client import Client
from arena.bots.errors import Refused
from arena.bots.process import run
from arena.bots.settings import Settings
from arena.bots.view import Seat, Tile, Turn, View

__all__ = [
    "Ask", "Bot", "Client", "End", "Fault", "MatchInfo", "Refused", "Seat", "Settings", "Tile", "Turn", "View",
    "run",
]  # fmt: skip
