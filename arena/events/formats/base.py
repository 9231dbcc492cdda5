"""The base of all formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from arena.events.errors import TermsError
from arena.events.fields import TermsTable
from arena.events.values import ChanceStream, Draw, History, TieBreak


class EventFormat(TermsTable, ABC):
    """A way to play an event. A format is a value: results depend only on its terms, the history and the stream.

    By default it is played in rounds and ranked by points and the tie-breaks of the event, and bots may enter at any
    time.
    """

    __slots__ = ()
    where: ClassVar[str] = "format"
    kind: ClassVar[str]
    """Name of the format in a document."""
    TIE_BREAKS: ClassVar[tuple[TieBreak, ...]] = ()
    """Tie-breaks of the format itself; empty: those of the terms."""

    def document(self) -> dict[str, Any]:
        """Return the format as JSON."""
        return {"kind": self.kind, **TermsTable.document(self)}

    @property
    def is_continuous(self) -> bool:
        """Whether tables are drawn whenever entrants are free, instead of in rounds."""
        return False

    def check(self, players: int, entrants: int) -> None:
        """Raise `TermsError` if the format cannot be played with this number of seats and entrants.

        By default there must be enough entrants for one full table.
        """
        if entrants < players:
            raise TermsError("TOO_FEW", "format", f"{players} seats need {players} entrants, not {entrants}")

    @abstractmethod
    def number_of_rounds(self, players: int, entrants: int) -> int | None:
        """Return the number of rounds if nobody leaves; None if it is open."""

    def admits(self, history: History) -> bool:
        """Return whether a bot that enters now can still be drawn."""
        return True

    @abstractmethod
    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the next round; None if the event is over. Equal histories and streams give equal draws.

        For a continuous format, return the tables that can begin now, or None if there are none.
        """

    def order(self, history: History) -> list[list[int]] | None:
        """Return the ranking by the format itself (such as a knockout's stages), as groups of equals; None ranks by
        points."""
        return None

    def counted(self, history: History) -> History:
        """Return the history with only the rounds whose points count: in a league, those of the current season."""
        return history
