"""The Swiss system at tables of two to five: everybody plays every round, against who has as many points.

What a draw goes by, the most important first:

1. A bye: as many as entrants are left over when all tables are full, for those who have had the fewest, then for
   those whose last one is longest ago. Nobody has a second one while somebody present has had none.
2. No pair meets twice. Pairs were drawn together, whether they played or not. Where it cannot be avoided, as few
   pairs as possible meet again, and those that have met least often. Also in the rounds ahead (`swiss_ahead`): in a
   field of up to `AHEAD` a round is drawn that leaves as many rounds without a repeat as a search finds possible. If it
   finds no such round with the byes of 3, others have them, as 1 allows.
3. Byes are for those with the fewest points, and among these for the lowest in the ranking.
4. The sum of the differences of points over all pairs that meet is as small as possible; then the sum of their squares.
5. Seats: the sum over entrants and seats of the squares of how often each sat there is as small as possible, with the
   entrants of a table in their best order. There is no limit: someone whose opponents all need the same seat gets
   another one. In a deal block everybody sits everywhere, and seats are by lot.
6. Strength: entrants of equal points that fill tables are a bracket, ranked by strength. A table has one of each
   quarter of it (each half for two seats, and so on), of equal ranks in their quarters: of eight 1–5, 2–6, 3–7, 4–8.
   Those left over make a bracket of one table with the first of the next group. Who meets somebody of another bracket
   meets the nearest one.
7. A lot from the round's stream.

For two seats and up to 64 entrants 3 to 7 are kept exactly, for more of either as `swiss_search` says.

The first four are the order of the FIDE Handbook (C.04.1, and C.04.3, the Dutch system, of which this differs on
purpose). FIDE minimises differences bracket by bracket from the top, this over the whole field. FIDE's colours are to
alternate and have absolute limits, seats here are balanced only. FIDE spares those who floated in the last two rounds,
this does not. FIDE takes a game that was not played as not met.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from arena.events.formats.base import BaseFormat
from arena.events.formats.seating import shuffled, take_seats
from arena.events.formats.swiss_ahead import Outlook, Parts
from arena.events.formats.swiss_field import Groups, SwissField
from arena.events.formats.swiss_search import best_groups, exchanged
from arena.events.values import Chance, Draw, History, Table

AHEAD: Final = 64
"""In a larger field only the round itself is looked at."""
TRIES: Final = 12
"""Of how many rounds by lot that leave enough rounds ahead the best is taken, if the best of all does not."""


@dataclass(frozen=True, slots=True)
class Swiss(BaseFormat):
    """So many rounds by the Swiss system. Anybody may leave and enter between them; it is over early if there are
    fewer than a table needs."""

    LIMITS: ClassVar[Mapping[str, tuple[int, int]]] = {"rounds": (1, 50)}
    rounds: int = 5

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """As agreed, however many take part."""
        return self.rounds

    def admits(self, history: History) -> bool:
        """Until the last round is drawn."""
        return len(history.rounds) < self.rounds

    def draw(self, history: History, chance: Chance) -> Draw | None:
        """The next round."""
        if len(history.rounds) >= self.rounds or len(history.present) < history.players:
            return None
        field = SwissField(history, chance)
        groups = self._with_rounds_ahead(field, best_groups(field, chance), self.rounds - len(history.rounds), chance)
        tables = sorted(groups.tables, key=lambda table: min(field.place[number] for number in table))
        seats = [take_seats(table, field.taken, chance) for table in tables]
        return Draw(
            tuple(Table(number, order) for number, order in enumerate(seats, start=1)), tuple(sorted(groups.byes))
        )

    def _with_rounds_ahead(self, field: SwissField, best: Groups, left: int, chance: Chance) -> Groups:
        """The best round, or another one if it repeats a pair or more rounds without a repeat can follow another."""
        count, players = len(field.ranked), field.players
        if count > AHEAD:
            left = 1
        # By the theorem of Hajnal and Szemerédi there is a round without a repeat wherever everybody has met at most
        # count / players - 1 others: none of the rounds that are left can be in want of one.
        most_met = (players - 1) * (self.rounds - 1)
        if not field.has_repeat(best) and (left == 1 or players * (most_met + 1) <= count):
            return best
        numbers = sorted(field.ranked)
        outlook = _outlook(field, numbers)
        longest = outlook.rounds(left)
        if not longest:  # somebody meets again: from other tables on, exchanges may find fewer
            return min([best, *_from_lots(field, best, chance)], key=field.cost_of)

        def goes_on(groups: Groups) -> bool:
            if field.has_repeat(groups):
                return False
            after = outlook.after(_parts(groups, numbers))
            return len(after.rounds(len(longest) - 1)) >= len(longest) - 1

        if goes_on(best):
            return best
        found = []
        for _ in range(TRIES):
            lots = shuffled((number for number in numbers if number not in best.byes), chance)
            parts = _outlook(field, lots, byes=0).first()
            if parts is not None:
                raw = _groups(parts, lots, best.byes)
                found += [groups for groups in (exchanged(field, raw), raw) if goes_on(groups)][:1]
        if found:
            return min(found, key=field.cost_of)
        last = _groups(longest[0], numbers)
        return last if field.is_their_turn(last.byes) else best


def _from_lots(field: SwissField, best: Groups, chance: Chance) -> list[Groups]:
    """What exchanges make of tables by lot. For two seats the best round is known."""
    if field.players == 2 or len(field.ranked) > AHEAD:
        return []
    found = []
    for _ in range(TRIES):
        lots = shuffled((number for number in field.ranked if number not in best.byes), chance)
        tables = (lots[at : at + field.players] for at in range(0, len(lots), field.players))
        found.append(exchanged(field, Groups(tuple(map(tuple, tables)), best.byes)))
    return found


def _outlook(field: SwissField, numbers: list[int], byes: int | None = None) -> Outlook:
    """Who of these may still meet, at the places that they have in the list."""
    everybody = (1 << len(numbers)) - 1
    unmet = [everybody & ~(1 << at) for at in range(len(numbers))]
    at_of = {number: at for at, number in enumerate(numbers)}
    for a, b in field.met:
        if a in at_of and b in at_of:
            unmet[at_of[a]] &= ~(1 << at_of[b])
            unmet[at_of[b]] &= ~(1 << at_of[a])
    may_rest = sum(1 << at for number, at in at_of.items() if field.may_rest(number))
    return Outlook(field.players, field.byes if byes is None else byes, tuple(unmet), may_rest)


def _parts(groups: Groups, numbers: list[int]) -> Parts:
    at_of = {number: at for at, number in enumerate(numbers)}
    tables = tuple(sum(1 << at_of[number] for number in table) for table in groups.tables)
    return tables, sum(1 << at_of[number] for number in groups.byes)


def _groups(parts: Parts, numbers: list[int], byes: tuple[int, ...] = ()) -> Groups:
    def members(mask: int) -> tuple[int, ...]:
        return tuple(number for at, number in enumerate(numbers) if mask >> at & 1)

    tables, resting = parts
    return Groups(tuple(members(table) for table in tables), byes or members(resting))
