"""How addresses of pages name the positions of a match."""

from __future__ import annotations

from collections.abc import Iterable


def indices(decides: Iterable[bool]) -> list[int]:
    """The index of the event that follows each ply, for the events of a match (or so far): whether each is a decision.
    The first is one; ply 0 is the set-up, and after the last decision follows what would be next."""
    events = list(decides)
    return [index for index, is_decision in enumerate(events) if is_decision] + [len(events)]
