"""Deal blocks: as many games as seats, on one deal, in which everybody sits once at each seat."""

from __future__ import annotations

from itertools import islice, permutations
from math import factorial


def seats_of_block(players: int, block: int) -> list[tuple[int, ...]]:
    """Who sits where, seat 1 first, in each game of block 0, 1, …: the numbers 0 … players - 1.

    From game to game all move on by one seat, so that in a block the same one always follows the same other one; the
    circular orders come in turn from block to block: after (players - 1)! blocks all have followed all equally often.
    """
    order = (0, *next(islice(permutations(range(1, players)), block % factorial(players - 1), None)))
    return [(*order[turn:], *order[:turn]) for turn in range(players)]
