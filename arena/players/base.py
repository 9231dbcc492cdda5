"""The interface of a house player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from arena.rules import View


class Player(Protocol):
    """Decides for one seat of one game."""

    def choose(self, view: View, legal: Sequence[str]) -> str | list[str]:
        """Return one of the legal actions for the seat of the view, or a list of actions to be played in turn."""
