"""Random games from a state to the end, for searches: many at once, without a step through Python in between."""

from __future__ import annotations

from arena.rules.chance import RandomSource, draw_chance
from arena.rules.legal import list_actions
from arena.rules.notation import Action
from arena.rules.scoring import Outcome, outcome
from arena.rules.state import State


def playouts(state: State, n: int, rng: RandomSource) -> list[Outcome]:
    """Play a state on to the end of the game, n times over, and give the outcome of each game (3.6).

    Every seat plays any of its legal actions, each as likely; chance that is due is drawn as by `draw_chance` (9). All
    is drawn from `rng`, so the same source gives the same games: those of n calls of `Line.playout`, in a fraction of
    the time. The state does not change. Of a state whose game is over, every outcome is its own.

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
    outcomes = []
    for _ in range(n):
        game = state.copy()
        play_on(game, rng)
        outcomes.append(outcome(game))
    return outcomes


def play_on(game: State, rng: RandomSource) -> None:
    """Play random actions in place until the game is over."""
    action: Action
    while True:
        if game.due is not None:
            action = draw_chance(game, rng)
        elif game.phase == "over":
            return
        else:
            actions = list_actions(game)
            action = actions[rng.randrange(len(actions))]
        game.advance(action)
