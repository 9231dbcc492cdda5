"""A complete state for the house players to think in, made from a view by guessing what the seat cannot know."""

from __future__ import annotations

from arena.rules import State, Stream, View
from arena.rules.determinize import Hidden


def imagine(view: View, stream: Stream) -> State:
    """The first deal of what the view leaves open, even where `determinize` would deal again.

    House players have thought in it from their first version on, and their play never changes.
    """
    return Hidden(view).deal(stream)
