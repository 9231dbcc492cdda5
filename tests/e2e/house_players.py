"""House players as a user's own bots: `python -m tests.e2e.house_players SERVER SEATS TOKEN…`; SEATS as `2,3,4`."""

import asyncio
import sys
from itertools import cycle

from arena.bots import Client, Settings
from arena.bots.house_bots import house_bot

PLAYERS = ("greedy", "random", "greedy-trader", "random", "random")


async def play(server: str, seats: tuple[int, ...], tokens: list[str]) -> None:
    """Play at tables with these numbers of seats, with one of the players for each token, until killed."""
    async with asyncio.TaskGroup() as group:
        for player, token in zip(cycle(PLAYERS), tokens, strict=False):
            bot = type("HousePlayer", (house_bot(player),), {"player_counts": seats})
            group.create_task(Client(bot, Settings(server, token, process="house-players")).run())


if __name__ == "__main__":
    asyncio.run(play(sys.argv[1], tuple(map(int, sys.argv[2].split(","))), sys.argv[3:]))
