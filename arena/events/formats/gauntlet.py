"""The gauntlet: one bot plays a field of others, each equally often and at every seat in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.events.fields import NumberRule, term
from arena.events.formats.base import EventFormat
from arena.events.values import ChanceStream, Draw, EventTable, History


@dataclass(frozen=True, slots=True)
class Gauntlet(EventFormat):
    """Entrant 1 meets every other entrant equally often, and sits at each seat in turn.

    A round has one table. A cycle has as many rounds as there are other entrants; each of them is met `players` - 1
    times in it.
    """

    kind: ClassVar[str] = "gauntlet"
    cycles: int = term(NumberRule(1, 100), "Number of times that the first entrant meets every other one.", default=1)

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """Return the number of rounds: one for each other entrant in each cycle."""
        return self.cycles * (entrants - 1)

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the next table."""
        field = [number for number in sorted(history.present) if number != 1]
        number = len(history.rounds)
        if 1 not in history.present or len(field) < history.players - 1:
            return None
        if number >= self.number_of_rounds(history.players, len(field) + 1):
            return None
        met = dict.fromkeys(field, 0)
        for round in history.rounds:
            for table in round.tables:
                for seat in table.seats:
                    if seat in met:
                        met[seat] += 1
        others = sorted(field, key=lambda other: (met[other], other))[: history.players - 1]
        seats = [1, *others]
        turn = number % history.players
        return Draw((EventTable(1, (*seats[turn:], *seats[:turn])),))
