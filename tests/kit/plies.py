"""Positions of a match in the addresses of pages."""

from __future__ import annotations

from collections.abc import Iterable


def indices(decides: Iterable[bool]) -> list[int]:
    """Return the index of the event that follows each ply.

    `decides` says of each event of a match, so far, whether it is a decision; the first is one. Ply 0 is the set-up.
    After the last decision comes the index of the next event.
    """
    events = list(decides)
    return [index for index, is_decision in enumerate(events) if is_decision] + [len(events)]
