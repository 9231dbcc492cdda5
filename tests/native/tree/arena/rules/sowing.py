"""What works on values of another module."""

from __future__ import annotations

from arena.rules.state import State

BONUS = 3


def put(state: State, tile: int) -> State:
    draft = state.copy()
    one: int = 1
    draft.pieces |= one << tile
    return draft


def total(state: State) -> int:
    result = BONUS
    for number in state.meeples:
        result += number
    return result
