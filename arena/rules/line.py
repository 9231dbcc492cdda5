"""A line of play for searches: `apply` and `undo` in place, on states that are used again and again.

There is one implementation of the rules, and it writes on a copy (draft.py). `State.play` makes a new state for it each
time; a `Line` keeps one for each depth and copies into that, so that nothing is allocated, and to undo is to look at
the state before, which nobody has written on.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import SupportsIndex

from arena.rules.chance import RandomSource, draw_chance
from arena.rules.legal import LegalActions
from arena.rules.notation import Action
from arena.rules.state import State


class Line:
    """A state and the actions that were applied to it, the last of which can be undone.

    It trusts as `State.play` does: apply what is in `legal`, or what `line.state.check` lets pass. The state that it
    begins with does not change.

    >>> line = Line(start(Ruleset(2), bytes(32)))
    >>> for action in line.legal:
    ...     line.apply(action)
    ...     print(action, "leaves", line.state.seats[0].gold, "GC")
    ...     line.undo()
    bid 1 leaves 32 GC
    bid 2 leaves 38 GC
    bid 3 leaves 42 GC
    bid 4 leaves 45 GC
    bid 5 leaves 47 GC
    bid 6 leaves 49 GC
    bid 7 leaves 50 GC
    """

    __slots__ = ("_states", "depth", "state")

    def __init__(self, state: State) -> None:
        self._states = [state]
        self.state = state
        """The present state, to look at until the next `apply` or `undo`: then it may change. Keep a `copy()` of it."""
        self.depth = 0
        """How many actions and chance events have been applied, and not undone."""

    @property
    def legal(self) -> LegalActions:
        """The legal actions of the present state (8). They are found once, however often the line comes back to it."""
        return self.state.legal

    def apply(self, action: Action) -> None:
        """Play a legal action, or the chance event that is due."""
        states, depth = self._states, self.depth + 1
        if depth == len(states):
            states.append(State.__new__(State))
        self.state.play_into(states[depth], action)
        self.state, self.depth = states[depth], depth

    def undo(self, count: SupportsIndex = 1) -> None:
        """Take back the last action or chance event, or as many as are named; IndexError where there are fewer."""
        before: int = self.depth - 1
        if count != 1:  # a search undoes one at a time, and often
            number = index(count)
            before = self.depth - number if 0 <= number <= self.depth else -1
        if before < 0:
            raise IndexError(f"{count} actions cannot be undone: {self.depth} have been applied")
        self.depth = before
        self.state = self._states[self.depth]

    def settle(self, rng: RandomSource) -> int:
        """Draw and apply all chance that is due (9); how many events that were."""
        before = self.depth
        while self.state.due is not None:
            self.apply(draw_chance(self.state, rng))
        return self.depth - before

    def playout(self, rng: RandomSource, policy: Policy | None = None, until: Condition | None = None) -> int:
        """Play on to the end of the game, or `until` a decision is due in a state that meets a condition.

        The policy chooses for every seat; without one, every legal action is as likely. Chance is drawn as in `settle`.
        Returns how many actions and events were applied, for `undo`.

        >>> from random import Random
        >>> line = Line(start(Ruleset(2), bytes(32)))
        >>> line.playout(Random(1), until=lambda state: state.phase == "move")
        4
        >>> count = line.playout(Random(1))
        >>> line.state.is_over
        True
        >>> line.undo(count)
        >>> line.state.phase
        'move'
        """
        before, choose = self.depth, policy or uniform
        self.settle(rng)
        while not (self.state.is_over or (until is not None and until(self.state))):
            self.apply(choose(self.state, rng))
            self.settle(rng)
        return self.depth - before


Policy = Callable[[State, RandomSource], Action]
"""Chooses one of the legal actions of a state, which has at least one, for the seat that is to act."""
Condition = Callable[[State], bool]
"""Says of a state in which a decision is due whether a playout ends there."""


def uniform(state: State, rng: RandomSource) -> Action:
    """Any legal action, each as likely: the policy of a playout without one."""
    return state.legal[rng.randrange(len(state.legal))]
