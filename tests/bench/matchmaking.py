"""How long the next matches take to find with many bots online, each with an owner of its own: `make bench`.

Named reference: sorting as many random numbers as there are bots.
"""

from __future__ import annotations

import random
import time

from arena.scheduling import Candidate, Load, TableFormat, next_matches

FORMATS = {TableFormat(players, (f"box {box}",)): 1 for players in (2, 3, 4, 5) for box in range(4)}
BOTS, WANTED = (300, 3000), (8, 100)


class Dice:
    """A stream of chance."""

    def __init__(self) -> None:
        self._random = random.Random(1)

    def below(self, n: int, /) -> int:
        """A number of 0 … n - 1."""
        return self._random.randrange(n)


def main() -> None:
    """Print a line for each number of bots and matches; all bots play all sixteen formats."""
    chance = random.Random(2)
    for bots in BOTS:
        places = [(format, bot) for format in FORMATS for bot in range(bots)]
        candidates = [
            Candidate(bot, bot, bot, False, 4, frozenset(FORMATS), {format: chance.gauss(25, 5) for format in FORMATS})
            for bot in range(bots)
        ]
        load = Load(
            made=dict.fromkeys(FORMATS, 10_000),
            seated={place: chance.randrange(10_000) for place in places},
            games={place: chance.randrange(60) for place in places},
        )
        numbers = [chance.random() for _ in range(bots)]
        began = time.perf_counter()
        sorted(numbers)
        reference = time.perf_counter() - began
        for wanted in WANTED:
            began = time.perf_counter()
            found = next_matches(candidates, load, FORMATS, wanted, Dice())
            taken = time.perf_counter() - began
            print(f"{bots:5} bots, {len(found):3} matches: {taken:5.2f} s, {taken / reference:6.0f} × sorting numbers")


if __name__ == "__main__":
    main()
