"""The marathon: for some time, whoever is free is paired again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arena.events.formats.base import BaseFormat
from arena.events.formats.seating import meetings, seats_taken, shuffled, take_seats
from arena.events.tiebreaks import scores
from arena.events.values import Chance, Draw, History, Table


@dataclass(frozen=True, slots=True)
class Marathon(BaseFormat):
    """Tables are drawn whenever enough entrants are free, as many as these fill; the service ends it.

    Those play who have played the fewest tables, then whose last one was drawn longest ago, then by lot; whoever does
    not fill a table waits, and is among the first next time. Table by table, the one of them who has waited longest
    gets partners one after the other: not those of its last table where others are free, then those met least often,
    then the nearest in points a game (of finished games; without any, half of what can be won), then by lot. From the
    second partner on, this is summed over all who sit there already. Seats are balanced within the table.
    """

    LIMITS: ClassVar[Mapping[str, tuple[int, int]]] = {}

    @property
    def is_continuous(self) -> bool:
        """Tables are drawn whenever there are enough free entrants."""
        return True

    def number_of_rounds(self, players: int, entrants: int) -> None:
        """Open: as many as there is time for."""
        return None

    def draw(self, history: History, chance: Chance) -> Draw | None:
        """The tables that can begin now."""
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
        tables: list[Table] = []
        while waiting:
            seated = [waiting.pop(0)]
            while len(seated) < history.players:
                partner = min(waiting, key=lambda number: _distance(number, seated, last, met, rate))
                waiting.remove(partner)
                seated.append(partner)
            tables.append(Table(len(tables) + 1, take_seats(seated, taken, chance)))
        return Draw(tuple(tables))


def _distance(
    number: int,
    table: list[int],
    last: Mapping[int, tuple[int, int]],
    met: Mapping[tuple[int, int], int],
    rate: Mapping[int, int],
) -> tuple[int, int, int]:
    """How little somebody suits a table: less is better."""
    again = sum(number in last and last[number] == last.get(other) for other in table)
    meetings = sum(met[min(number, other), max(number, other)] for other in table)
    return again, meetings, sum(abs(rate[number] - rate[other]) for other in table)


def _rates(history: History) -> dict[int, int]:
    """Thousandths of halves of points a game, rounded down, by entrant."""
    return {
        number: score.halves * 1000 // score.games if score.games else (history.players - 1) * 1000
        for number, score in scores(history).items()
    }
