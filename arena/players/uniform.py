"""The player `random`: it chooses among the legal actions with equal probability."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules import Stream, View


class Uniform:
    """A player that draws from the legal actions with a stream of its own."""

    def __init__(self, seed: bytes) -> None:
        self._stream = Stream(seed)

    def choose(self, view: View, legal: Sequence[str]) -> str:
        """Return any of the legal actions, all with the same probability."""
        return legal[self._stream.below(len(legal))]
