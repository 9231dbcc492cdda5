"""Random games from a state to the end, for searches: many at once, without a step through Python in between."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from arena.rules.chance import RandomSource, draw_chance
from arena.rules.legal import list_actions
from arena.rules.notation import Action
from arena.rules.scoring import Outcome, outcome
from arena.rules.state import State


def playouts(state: State, n: int, rng: RandomSource) -> list[Outcome]:
    """Play a state on to the end of the game, n times over, and give the outcome of each game (3.6).

    Every seat plays any of its legal actions, each as likely; chance that is due is drawn as by `draw_chance` (9). All
    is drawn from `rng`, so the same source gives the same games: those of n calls of `Line.playout`, in a fraction of
    the time, and in less with a `random.Random` itself than with another source. The state does not change. Of a state
    whose game is over, every outcome is its own. `ValueError` for a negative number of games.

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
    if n < 0:
        raise ValueError(f"n is the number of games, 0 or more, not {n}")
    outcomes = []
    for _ in range(n):
        game = state.copy()
        play_on(game, rng)
        outcomes.append(outcome(game))
    return outcomes


def play_on(game: State, rng: RandomSource) -> None:
    """Play random actions in place until the game is over."""
    action: Action
    actions: list[Action]
    bits = rng.getrandbits if type(rng) is Random else None
    while True:
        if game.due is not None:
            action = draw_chance(game, rng)
        elif game.phase == "over":
            return
        else:
            actions = list_actions(game)
            action = actions[rng.randrange(len(actions)) if bits is None else below(bits, len(actions))]
        game.advance(action)


def below(bits: Callable[[int], int], n: int) -> int:
    """The number that `Random.randrange(n)` gives, drawn from `Random.getrandbits` as it draws it, without its checks.

    As many bits as n has are drawn until they are a number below n, so that each number is as likely.
    """
    size: int = 0
    while n >> size:
        size += 1
    number: int = bits(size)
    while number >= n:
        number = bits(size)
    return number
