"""Deal blocks: as many games on one deal as there are seats, so that every entrant sits once at each seat."""

from __future__ import annotations

from itertools import islice, permutations
from math import factorial


def seats_of_block(players: int, block: int) -> list[tuple[int, ...]]:
    """Return the entrants by seat, seat 1 first, in each game of block 0, 1, …. Entrants are the numbers 0 … players -
    1.

    All entrants move on by one seat from game to game. Within a block, each therefore always follows the same other
    one. The circular order changes from block to block: after (players - 1)! blocks, everybody has followed everybody
    equally often.
    """
    order = (0, *next(islice(permutations(range(1, players)), block % factorial(players - 1), None)))
    return [(*order[turn:], *order[:turn]) for turn in range(players)]
