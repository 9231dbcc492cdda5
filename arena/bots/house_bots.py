"""House bots: the arena's own players as ordinary bots, which see what every bot sees.

`python -m arena.bots.house_bots --server 127.0.0.1:50051` runs several in one process. Each is a client of its own,
with its own token and stream. `--certificate` names the certificate chain by which they know a server with TLS. The
tokens come in the environment variable ARENA_HOUSE_TOKENS, as a JSON object from player to token, so that no list of
processes shows them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.client import Client
from arena.bots.errors import Refused
from arena.bots.process import configure_logs
from arena.bots.settings import Settings
from arena.bots.view import View
from arena.host.heartbeat import EVERY_S, Heartbeat, heartbeat_file
from arena.host.tracebacks import catch_tracebacks
from arena.players import PLAYERS, VERSION, make_player
from arena.rules.components import EXPANSIONS

MATCHES = 4


def house_bot(player: str) -> type[Bot]:
    """A bot class that plays as one of the house players."""
    if player not in PLAYERS:
        raise ValueError(f"there is no house player {player!r}; there are {', '.join(sorted(PLAYERS))}")

    class HouseBot(Bot):
        """A house player."""

        version = VERSION
        expansions = EXPANSIONS

        def match_started(self) -> None:
            # Its own choices need no secrecy, but a match must be playable again from what is known after it.
            self._player = make_player(player, sha256(f"{self.match.id} {self.match.seat}".encode()).digest())

        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return self._player.choose(view, legal)

    HouseBot.__name__ = HouseBot.__qualname__ = f"HouseBot_{player.replace('-', '_')}"
    return HouseBot


async def run_house_bots(tokens: Mapping[str, str], server: str, certificate: Path | None) -> None:
    """Run one client for each player until SIGTERM or SIGINT. Both stop at once: running matches wait for a restart.

    Raises `Refused` as soon as the server refuses one of them.
    """
    clients = [
        Client(house_bot(player), Settings(server, token, "house", MATCHES, certificate))
        for player, token in tokens.items()
    ]

    def quit_all() -> None:
        for client in clients:
            client.quit()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, quit_all)
    beats = asyncio.create_task(_beat())
    try:
        async with asyncio.TaskGroup() as group:
            for client in clients:
                group.create_task(client.run())
    finally:
        beats.cancel()


async def _beat() -> None:
    heartbeat = Heartbeat(heartbeat_file())
    while True:
        heartbeat.beat()
        await asyncio.sleep(EVERY_S)


def main() -> None:
    """Run the house bots that the environment names."""
    parser = argparse.ArgumentParser(prog="python -m arena.bots.house_bots", description="House players as bots.")
    parser.add_argument("--server", required=True, help="host:port of the arena, with TLS https://host:port")
    parser.add_argument("--certificate", type=Path, help="PEM file of the chain that the server shows")
    arguments = parser.parse_args()
    try:
        tokens = json.loads(os.environ["ARENA_HOUSE_TOKENS"])
    except (KeyError, ValueError):
        parser.error("ARENA_HOUSE_TOKENS is not a JSON object from player to token")
    configure_logs()
    catch_tracebacks()
    try:
        asyncio.run(run_house_bots(tokens, arguments.server, arguments.certificate))
    except* Refused as refused:
        sys.exit(f"the arena refuses a house bot: {refused.exceptions[0]}")


if __name__ == "__main__":
    main()
