"""What most formats say of themselves; the others say otherwise."""

from __future__ import annotations

from typing import ClassVar

from arena.events.errors import TermsError
from arena.events.values import History, TieBreak


class BaseFormat:
    """A format in rounds, by points and the terms' tie-breaks, into which bots may enter as long as it runs."""

    __slots__ = ()
    TIE_BREAKS: ClassVar[tuple[TieBreak, ...]] = ()

    @property
    def is_continuous(self) -> bool:
        """Rounds."""
        return False

    def check(self, players: int, entrants: int) -> None:
        """At least one full table."""
        if entrants < players:
            raise TermsError("TOO_FEW", "format", f"{players} seats need {players} entrants, not {entrants}")

    def admits(self, history: History) -> bool:
        """Anybody, at any time."""
        return True

    def order(self, history: History) -> list[list[int]] | None:
        """By points."""
        return None
