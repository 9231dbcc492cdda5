"""House players that sit down at tables of five only: `python -m tests.e2e.table_of_five SERVER TOKEN…`."""

import asyncio
import sys
from itertools import cycle

from arena.bots import Client, Settings
from arena.bots.house_bots import house_bot

PLAYERS = ("greedy", "random", "greedy-trader", "random", "random")


async def play(server: str, tokens: list[str]) -> None:
    """Play with one of the players for each token, until killed."""
    async with asyncio.TaskGroup() as group:
        for player, token in zip(cycle(PLAYERS), tokens, strict=False):
            bot = type("OfFive", (house_bot(player),), {"player_counts": (5,)})
            group.create_task(Client(bot, Settings(server, token, process="five")).run())


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], sys.argv[2:]))
