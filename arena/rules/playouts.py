"""Random games from a state to the end, for searches: many in one call, without returning to Python in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from random import Random
from typing import SupportsIndex

from arena.rules.chance import RandomSource, draw_chance
from arena.rules.legal import list_parts
from arena.rules.notation import Action
from arena.rules.scoring import Outcome, outcome
from arena.rules.state import State


def playouts(state: State, n: SupportsIndex, rng: RandomSource) -> list[Outcome]:
    """Play a state to the end of the game `n` times, and return the outcome of each game (3.6).

    Every seat plays its legal actions with equal probability. Chance that is due is drawn as by `draw_chance` (9). All
    draws come from `rng`, so the same source gives the same games: those of n calls of `Line.playout`, in a fraction of
    the time. A `random.Random` itself is faster than other sources. The state does not change. If its game is over,
    every outcome is that game's. Raise `ValueError` for a negative number of games.

    A search looks at the ranks, or at how far a seat leads:

    >>> from random import Random
    >>> state = start(Ruleset(2), bytes(32))
    >>> outcomes = playouts(state, 100, Random(1))
    >>> sum(outcome.ranks[0] == 1 for outcome in outcomes)
    56
    >>> leads = [outcome.scores[0]["total"] - outcome.scores[1]["total"] for outcome in outcomes]
    >>> sum(leads) / len(leads)
    3.36
    """
    games = index(n)
    if games < 0:
        raise ValueError(f"n is the number of games, 0 or more, not {games}")
    outcomes = []
    for _ in range(games):
        game = state.copy()
        play_on(game, rng)
        outcomes.append(outcome(game))
    return outcomes


def play_on(game: State, rng: RandomSource) -> None:
    """Play random actions in place until the game is over."""
    action: Action
    bits = rng.getrandbits if type(rng) is Random else None
    while True:
        if game.due is not None:
            action = draw_chance(game, rng)
        elif game.phase == "over":
            return
        else:
            action = choose(list_parts(game), rng, bits)
        game.advance(action)


def choose(parts: list[Sequence[Action]], rng: RandomSource, bits: Callable[[int], int] | None) -> Action:
    """Return a random action of all parts; all are equally likely. The part is found by the sizes alone."""
    size: int = 0
    for part in parts:
        size += len(part)
    place: int = rng.randrange(size) if bits is None else below(bits, size)
    for part in parts:
        size = len(part)
        if place < size:
            break
        place -= size
    return part[place]


def below(bits: Callable[[int], int], n: int) -> int:
    """Return the number that `Random.randrange(n)` would give from the same `getrandbits`, without its checks.

    It draws as many bits as n has until they form a number below n, so all numbers are equally likely.
    """
    size: int = 0
    while n >> size:
        size += 1
    number: int = bits(size)
    while number >= n:
        number = bits(size)
    return number
