"""Defaults shared by most formats; a format overrides those that do not fit."""

from __future__ import annotations

from typing import ClassVar

from arena.events.errors import TermsError
from arena.events.values import History, TieBreak


class BaseFormat:
    """A format in rounds, ranked by points and the terms' tie-breaks, which bots may enter at any time."""

    __slots__ = ()
    TIE_BREAKS: ClassVar[tuple[TieBreak, ...]] = ()

    @property
    def is_continuous(self) -> bool:
        """False: this format is played in rounds."""
        return False

    def check(self, players: int, entrants: int) -> None:
        """Raise `TermsError` unless there are enough entrants for one full table."""
        if entrants < players:
            raise TermsError("TOO_FEW", "format", f"{players} seats need {players} entrants, not {entrants}")

    def admits(self, history: History) -> bool:
        """Return True: bots may enter at any time."""
        return True

    def order(self, history: History) -> list[list[int]] | None:
        """Return None: the standings are by points."""
        return None
