"""A value."""

from __future__ import annotations


class State:
    __slots__ = ("meeples", "pieces")

    def __init__(self, meeples: tuple[int, ...]) -> None:
        self.meeples = meeples
        self.pieces = 0

    def copy(self) -> State:
        twin = State.__new__(State)
        twin.meeples = self.meeples
        twin.pieces = self.pieces
        return twin
