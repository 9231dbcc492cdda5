"""The question of stories that later subjects answer."""

from __future__ import annotations

from typing import Final, NamedTuple

from webui.core.subjects import Hook


class HeldRecord(NamedTuple):
    """A record of the arena that a match holds."""

    words: str
    """The record and its value, in the active language."""
    players: int
    """Number of players of the games over which it is a record."""


records_of_match: Final = Hook[[str], list[HeldRecord]]()
"""Return the records of the arena that this match, which everybody may see, holds."""
