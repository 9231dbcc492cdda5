"""House bots: the arena's own players as ordinary bots, which see what every bot sees.

`python -m arena.bots.house_bots --server 127.0.0.1:50051` runs several in one process. Each is a separate client with
its own token and stream. `--certificate` names the certificate chain with which they verify a server with TLS.

The environment variable ARENA_HOUSE_TOKENS holds the tokens, as a JSON object that maps players to tokens. A list of
processes therefore does not show them.
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
from arena.bots.channel import Refused, Settings
from arena.bots.client import Client
from arena.bots.process import configure_logs
from arena.bots.view import View
from arena.host.heartbeat import EVERY_S, Heartbeat, heartbeat_file
from arena.host.redaction import catch_tracebacks
from arena.players import PLAYERS, VERSION, make_player
from arena.rules.components import EXPANSIONS

MATCHES = 4


def house_bot(player: str) -> type[Bot]:
    """Return a bot class that plays as this house player."""
    if player not in PLAYERS:
        raise ValueError(f"there is no house player {player!r}; there are {', '.join(sorted(PLAYERS))}")

    class HouseBot(Bot):
        """A house player."""

        version = VERSION
        expansions = EXPANSIONS

        def match_started(self) -> None:
            # A house player needs no secrecy. Its choices must be reproducible from what is public after the match.
            self._player = make_player(player, sha256(f"{self.match.id} {self.match.seat}".encode()).digest())

        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return self._player.choose(view, legal)

    HouseBot.__name__ = HouseBot.__qualname__ = f"HouseBot_{player.replace('-', '_')}"
    return HouseBot


async def run_house_bots(tokens: Mapping[str, str], server: str, certificate: Path | None) -> None:
    """Run one client for each player until SIGTERM or SIGINT.

    Both signals stop at once: running matches wait for a restart. Raises `Refused` as soon as the server refuses one
    client.
    """
    clients = [
        Client(house_bot(player), Settings(server, token, "house", MATCHES, certificate, nonce_key=token.encode()))
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
    parser.add_argument(
        "--server", required=True, help="address of the arena: host:port, or https://host:port with TLS"
    )
    parser.add_argument("--certificate", type=Path, help="PEM file with the server's certificate chain")
    arguments = parser.parse_args()
    try:
        tokens = json.loads(os.environ["ARENA_HOUSE_TOKENS"])
    except (KeyError, ValueError):
        parser.error("ARENA_HOUSE_TOKENS must be a JSON object that maps players to tokens")
    configure_logs()
    catch_tracebacks()
    try:
        asyncio.run(run_house_bots(tokens, arguments.server, arguments.certificate))
    except* Refused as refused:
        sys.exit(f"the arena refused a house bot: {refused.exceptions[0]}")


if __name__ == "__main__":
    main()
