"""The interface of a house player, what all players share, and the simplest player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.rules import State, Stream, View
from arena.rules.determinize import Hidden


def imagine(view: View, stream: Stream) -> State:
    """Return the first deal of the hidden parts of a view, even where `determinize` would reject it and deal again.

    House players have used this from their first version on, and their play must never change.
    """
    return Hidden(view).deal(stream)


class Uniform:
    """A player that draws from the legal actions with a stream of its own."""

    def __init__(self, seed: bytes) -> None:
        self._stream = Stream(seed)

    def choose(self, view: View, legal: Sequence[str]) -> str:
        """Return any of the legal actions, all with the same probability."""
        return legal[self._stream.below(len(legal))]


class Player(Protocol):
    """Decides for one seat of one game."""

    def choose(self, view: View, legal: Sequence[str]) -> str | list[str]:
        """Return one of the legal actions for the seat of the view, or a list of actions to be played in turn."""
