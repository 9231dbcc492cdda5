"""A complete state for the house players to think with: a view with its hidden parts guessed."""

from __future__ import annotations

from arena.rules import State, Stream, View
from arena.rules.determinize import Hidden


def imagine(view: View, stream: Stream) -> State:
    """Return the first deal of the hidden parts of a view, even where `determinize` would reject it and deal again.

    House players have used this from their first version on, and their play must never change.
    """
    return Hidden(view).deal(stream)
