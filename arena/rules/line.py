"""A line of play for searches: `apply` and `undo` in place, on states that are used again and again.

There is one implementation of the rules, and it writes on a copy (draft.py). `State.play` makes a new state for each
copy. A `Line` keeps one state for each depth and copies into it, so nothing is allocated. To undo, it goes back to the
previous state, which has not changed.
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

    Like `State.play`, a line does not check actions: apply only an action of `legal`, or one that `line.state.check`
    accepts. The state that the line begins with does not change.

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
        """Current state. It may change at the next `apply` or `undo`: keep a `copy()` if you need it longer."""
        self.depth = 0
        """Number of actions and chance events that have been applied and not undone."""

    @property
    def legal(self) -> LegalActions:
        """Legal actions of the current state (8). They are found once, however often the line returns to the state."""
        return self.state.legal

    def apply(self, action: Action) -> None:
        """Play a legal action, or the chance event that is due."""
        states, depth = self._states, self.depth + 1
        if depth == len(states):
            states.append(State.__new__(State))
        self.state.play_into(states[depth], action)
        self.state, self.depth = states[depth], depth

    def undo(self, count: SupportsIndex = 1) -> None:
        """Undo the last `count` actions and chance events. Raise IndexError if fewer have been applied."""
        before: int = self.depth - 1
        if count != 1:  # a search often undoes one action
            number = index(count)
            before = self.depth - number if 0 <= number <= self.depth else -1
        if before < 0:
            raise IndexError(f"{count} actions cannot be undone: {self.depth} have been applied")
        self.depth = before
        self.state = self._states[self.depth]

    def settle(self, rng: RandomSource) -> int:
        """Draw and apply all chance that is due (9). Return the number of events."""
        before = self.depth
        while self.state.due is not None:
            self.apply(draw_chance(self.state, rng))
        return self.depth - before

    def playout(self, rng: RandomSource, policy: Policy | None = None, until: Condition | None = None) -> int:
        """Play to the end of the game, or `until` a decision is due in a state that meets a condition.

        `policy` chooses for every seat; without one, all legal actions are equally likely. Chance is drawn from `rng`.
        Return the number of actions and events applied, for `undo`.

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
"""Function that chooses one of the legal actions of a state, which has at least one, for the seat that is to act."""
Condition = Callable[[State], bool]
"""Function that returns whether a playout ends in a state in which a decision is due."""


def uniform(state: State, rng: RandomSource) -> Action:
    """Return a random legal action; all are equally likely. This is the policy of a playout without one."""
    return state.legal[rng.randrange(len(state.legal))]
