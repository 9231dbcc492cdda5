"""The player `random`: every legal action is as likely."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules import Stream, View


class Uniform:
    """Draws from the legal actions with a stream of its own."""

    def __init__(self, seed: bytes) -> None:
        self._stream = Stream(seed)

    def choose(self, view: View, legal: Sequence[str]) -> str:
        """Any of the legal actions, each as likely as the others."""
        return legal[self._stream.below(len(legal))]
