"""Several house players in one process: `python -m arena.bots.household --server 127.0.0.1:50051`.

Each is a client of its own, with its own token and stream. The tokens come in the environment variable
ARENA_HOUSE_TOKENS, as a JSON object from player to token, so that no list of processes shows them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping

from arena.bots.client import Client, Refused, Settings
from arena.bots.house import house_bot
from arena.bots.running import configure_logs

MATCHES = 4


async def run_household(tokens: Mapping[str, str], server: str, *, matches: int = MATCHES) -> None:
    """Play with all of them until SIGTERM or SIGINT, which both mean at once: running matches wait for a restart.

    Raises `Refused` as soon as the server does not want one of them.
    """
    clients = [
        Client(house_bot(player), Settings(server=server, token=token, process="house", max_matches=matches))
        for player, token in tokens.items()
    ]

    def quit_all() -> None:
        for client in clients:
            client.quit()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, quit_all)
    async with asyncio.TaskGroup() as group:
        for client in clients:
            group.create_task(client.run())


def main() -> None:
    """Run the household of the environment."""
    parser = argparse.ArgumentParser(prog="python -m arena.bots.household", description="House players as bots.")
    parser.add_argument("--server", required=True, help="host:port of the arena")
    arguments = parser.parse_args()
    try:
        tokens = json.loads(os.environ["ARENA_HOUSE_TOKENS"])
    except (KeyError, ValueError):
        parser.error("ARENA_HOUSE_TOKENS is not a JSON object from player to token")
    configure_logs()
    try:
        asyncio.run(run_household(tokens, arguments.server))
    except* Refused as refused:
        sys.exit(f"the arena refuses a house player: {refused.exceptions[0]}")


if __name__ == "__main__":
    main()
