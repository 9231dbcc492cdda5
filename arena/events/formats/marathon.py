"""The marathon: free entrants are paired again and again until time is up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arena.events.formats.base import EventFormat
from arena.events.formats.seating import meetings, seats_taken, shuffled, take_seats
from arena.events.tiebreaks import scores
from arena.events.values import ChanceStream, Draw, EventTable, History


@dataclass(frozen=True, slots=True)
class Marathon(EventFormat):
    """Draw tables whenever enough entrants are free, as many as they fill. The service ends the event.

    Entrants that have played the fewest tables are drawn first, then those whose last table is oldest, then by lot. An
    entrant left over waits and is among the first next time. At each table the entrant that has waited longest gets
    partners one after another, by these criteria:

    1. not a partner from its last table, if others are free,
    2. the partner met least often,
    3. the partner nearest in points per game; an entrant without finished games counts as having half the points,
    4. by lot.

    From the second partner on, each criterion is summed over all who already sit there. Seats are balanced within the
    table.
    """

    kind: ClassVar[str] = "marathon"

    @property
    def is_continuous(self) -> bool:
        """True: tables are drawn whenever enough entrants are free."""
        return True

    def number_of_rounds(self, players: int, entrants: int) -> None:
        """Return None: the number of rounds depends on the time available."""
        return None

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the tables that can begin now."""
        count = len(history.present) // history.players
        if not count:
            return None
        played = dict.fromkeys(history.present, 0)
        last: dict[int, tuple[int, int]] = {}
        for round in history.rounds:
            for table in round.tables:
                for number in table.seats:
                    last[number] = (round.number, table.number)
                    played[number] = played.get(number, 0) + 1
        lot = shuffled(sorted(history.present), chance)
        by_wait = sorted(lot, key=lambda number: (played[number], last.get(number, (0, 0))[0]))
        waiting = by_wait[: count * history.players]
        met, rate, taken = meetings(history), _rates(history), seats_taken(history)
        tables: list[EventTable] = []
        while waiting:
            seated = [waiting.pop(0)]
            while len(seated) < history.players:
                partner = min(waiting, key=lambda number: _distance(number, seated, last, met, rate))
                waiting.remove(partner)
                seated.append(partner)
            tables.append(EventTable(len(tables) + 1, take_seats(seated, taken, chance)))
        return Draw(tuple(tables))


def _distance(
    number: int,
    table: list[int],
    last: Mapping[int, tuple[int, int]],
    met: Mapping[tuple[int, int], int],
    rate: Mapping[int, int],
) -> tuple[int, int, int]:
    """Return how badly an entrant suits a table; less is better."""
    again = sum(number in last and last[number] == last.get(other) for other in table)
    meetings = sum(met[min(number, other), max(number, other)] for other in table)
    return again, meetings, sum(abs(rate[number] - rate[other]) for other in table)


def _rates(history: History) -> dict[int, int]:
    """Return each entrant's points per game, in thousandths of half points, rounded down."""
    return {
        number: score.halves * 1000 // score.games if score.games else (history.players - 1) * 1000
        for number, score in scores(history).items()
    }
