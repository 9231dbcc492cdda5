"""What a draw of a large Swiss event takes: `python -m tests.bench.events`.

1,000 entrants, ten rounds with random results, two and four seats. Printed are the mean and the longest draw in seconds
of processor time, and how many pairs met twice. Beside it, one draw each: py4swiss (the FIDE Dutch system, compiled
matching) of a smaller event, with ours of the same, and networkx's matching alone on a graph of 1,000 with 20 edges
each, a smaller problem than the draw's if it were solved in one piece.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TypeVar

import networkx as nx

from arena.events.formats.swiss import Swiss
from tests.kit.fide import fide_draw
from tests.kit.histories import field, played, stream

ENTRANTS = 1000
ROUNDS = 10
BESIDE = 200
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it returns, and seconds of processor time."""
    began = time.process_time()
    value = work()
    return value, time.process_time() - began


def draws(players: int) -> None:
    history, random, times = field(ENTRANTS, players), Random(1), []
    for number in range(ROUNDS):
        draw, took = timed(lambda history=history, number=number: Swiss(ROUNDS).draw(history, stream(number)))
        assert draw is not None
        times.append(took)
        history = played(history, draw, random)
    met = Counter(pair for round in history.rounds for table in round.tables for pair in table.pairs)
    again = sum(count - 1 for count in met.values())
    name = f"{ENTRANTS} entrants, {players} seats"
    print(f"{name:44} {sum(times) / ROUNDS:8.2f} {max(times):8.2f} {again:8}")


def beside() -> None:
    history, random, ours, theirs = field(BESIDE, 2), Random(1), [], []
    for number in range(ROUNDS):
        draw, took = timed(lambda history=history, number=number: Swiss(ROUNDS).draw(history, stream(number)))
        assert draw is not None
        ours.append(took)
        theirs.append(timed(lambda history=history: fide_draw(history, ROUNDS))[1])
        history = played(history, draw, random)
    for name, times in ((f"{BESIDE} entrants, 2 seats", ours), (f"{BESIDE} entrants, py4swiss", theirs)):
        print(f"{name:44} {sum(times) / ROUNDS:8.2f} {max(times):8.2f}")


def matching() -> None:
    random = Random(1)
    graph: nx.Graph[int] = nx.Graph()
    for a in range(ENTRANTS):
        for step in range(1, 11):
            graph.add_edge(a, (a + step) % ENTRANTS, weight=-random.randrange(1 << 64))
    _, took = timed(lambda: nx.max_weight_matching(graph, maxcardinality=True))
    print(f"{f'networkx alone, {ENTRANTS} vertices, 20 edges each':44} {took:8.2f}")


def main() -> None:
    print(f"{'seconds a draw':44} {'mean':>8} {'longest':>8} {'repeats':>8}")
    draws(2)
    draws(4)
    beside()
    matching()


if __name__ == "__main__":
    main()
