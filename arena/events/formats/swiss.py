"""The Swiss system at tables of two to five: everybody plays every round, against entrants with as many points.

Criteria of a draw, the most important first:

1. Byes: as many as entrants are left over when all tables are full. They go to entrants with the fewest byes, then to
   those whose last bye is oldest. Nobody has a second bye while somebody present has had none.
2. No pair meets twice. A pair counts as met once it was drawn, whether it played or not. If repeats are inevitable, as
   few pairs as possible meet again, and the pairs that have met least often. This includes later rounds
   (`swiss_ahead`): in a field of up to `AHEAD` entrants, the round drawn leaves as many rounds without a repeat as a
   search finds possible. If the search finds no such round with the byes of criterion 3, others have byes, as
   criterion 1 allows.
3. Byes go to those with the fewest points, and among these to the lowest in the ranking.
4. The sum of the differences in points over all pairs that meet is minimal, then the sum of their squares.
5. Seats: the sum of the squares of each entrant's counts of seats is minimal, with the entrants of a table in their
   best order. There is no absolute limit: an entrant whose opponents all need the same seat gets another one. In a
   deal block everybody sits everywhere, and seats are by lot.
6. Strength: entrants of equal points that fill tables form a bracket, ranked by strength. A bracket is cut into as many
   parts as a table has seats. A table has one entrant of each part, all of the same rank within their parts. For two
   seats and eight entrants: 1–5, 2–6, 3–7, 4–8. Entrants left over form a bracket of one table with the first of the
   next group. An entrant that meets another bracket meets its nearest entrants.
7. A lot from the round's stream.

For two seats and up to 64 entrants, criteria 3 to 7 are met exactly. For more of either, see `swiss_search`.

The order of the first four criteria is that of the FIDE Handbook (C.04.1, and C.04.3, the Dutch system). This format
differs from the Dutch system on purpose:

- FIDE minimises differences bracket by bracket from the top; this format minimises them over the whole field.
- FIDE's colours alternate and have absolute limits; seats here are only balanced.
- FIDE protects entrants that floated in the last two rounds; this format does not.
- FIDE treats an unplayed game as not met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from arena.events.fields import NumberRule, term
from arena.events.formats.base import EventFormat
from arena.events.formats.seating import shuffled, take_seats
from arena.events.formats.swiss_ahead import Parts, SwissOutlook
from arena.events.formats.swiss_field import Groups, SwissField
from arena.events.formats.swiss_search import best_groups, exchanged
from arena.events.values import ChanceStream, Draw, EventTable, History

AHEAD: Final = 64
"""Largest field for which later rounds are considered. In a larger field only the current round is."""
TRIES: Final = 12
"""Number of random rounds tried, if the best round of all does not leave enough rounds ahead; the best of them is
taken."""


@dataclass(frozen=True, slots=True)
class Swiss(EventFormat):
    """A fixed number of rounds by the Swiss system.

    Entrants may leave and enter between rounds. The event ends early if there are fewer entrants than a table needs.
    """

    kind: ClassVar[str] = "swiss"
    rounds: int = term(NumberRule(1, 50), "Number of rounds.", default=5)

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """Return the agreed number of rounds, whatever the number of entrants."""
        return self.rounds

    def admits(self, history: History) -> bool:
        """Return whether the last round has not been drawn yet."""
        return len(history.rounds) < self.rounds

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the next round."""
        if len(history.rounds) >= self.rounds or len(history.present) < history.players:
            return None
        field = SwissField(history, chance)
        groups = self._with_rounds_ahead(field, best_groups(field, chance), self.rounds - len(history.rounds), chance)
        tables = sorted(groups.tables, key=lambda table: min(field.place[number] for number in table))
        seats = [take_seats(table, field.taken, chance) for table in tables]
        return Draw(
            tuple(EventTable(number, order) for number, order in enumerate(seats, start=1)), tuple(sorted(groups.byes))
        )

    def _with_rounds_ahead(self, field: SwissField, best: Groups, left: int, chance: ChanceStream) -> Groups:
        """Return the best round, or another one if that repeats a pair or leaves fewer rounds without a repeat."""
        count, players = len(field.ranked), field.players
        if count > AHEAD:
            left = 1
        # By the theorem of Hajnal and Szemerédi, a round without a repeat exists if everybody has met at most count /
        # players - 1 others. None of the remaining rounds can fail then.
        most_met = (players - 1) * (self.rounds - 1)
        if not field.has_repeat(best) and (left == 1 or players * (most_met + 1) <= count):
            return best
        numbers = sorted(field.ranked)
        outlook = _outlook(field, numbers)
        longest = outlook.rounds(left)
        if not longest:  # a repeat is inevitable: from other tables on, exchanges may find fewer
            return min([best, *_from_lots(field, best, chance)], key=field.cost_of)

        def goes_on(groups: Groups) -> bool:
            if field.has_repeat(groups):
                return False
            after = outlook.after(_parts(groups, numbers))
            return len(after.rounds(len(longest) - 1)) >= len(longest) - 1

        if goes_on(best):
            return best
        rounds = []
        for _ in range(TRIES):
            lots = shuffled((number for number in numbers if number not in best.byes), chance)
            parts = _outlook(field, lots, byes=0).first()
            if parts is not None:
                raw = _groups(parts, lots, best.byes)
                rounds += [groups for groups in (exchanged(field, raw), raw) if goes_on(groups)][:1]
        if rounds:
            return min(rounds, key=field.cost_of)
        last = _groups(longest[0], numbers)
        return last if field.is_their_turn(last.byes) else best


def _from_lots(field: SwissField, best: Groups, chance: ChanceStream) -> list[Groups]:
    """Return rounds that exchanges make of random tables. For two seats the best round is already known."""
    if field.players == 2 or len(field.ranked) > AHEAD:
        return []
    rounds = []
    for _ in range(TRIES):
        lots = shuffled((number for number in field.ranked if number not in best.byes), chance)
        tables = (lots[at : at + field.players] for at in range(0, len(lots), field.players))
        rounds.append(exchanged(field, Groups(tuple(map(tuple, tables)), best.byes)))
    return rounds


def _outlook(field: SwissField, numbers: list[int], byes: int | None = None) -> SwissOutlook:
    """Return which of these entrants may still meet, each identified by its index in the list."""
    everybody = (1 << len(numbers)) - 1
    unmet = [everybody & ~(1 << at) for at in range(len(numbers))]
    at_of = {number: at for at, number in enumerate(numbers)}
    for a, b in field.met:
        if a in at_of and b in at_of:
            unmet[at_of[a]] &= ~(1 << at_of[b])
            unmet[at_of[b]] &= ~(1 << at_of[a])
    may_rest = sum(1 << at for number, at in at_of.items() if field.may_rest(number))
    return SwissOutlook(field.players, field.byes if byes is None else byes, tuple(unmet), may_rest)


def _parts(groups: Groups, numbers: list[int]) -> Parts:
    at_of = {number: at for at, number in enumerate(numbers)}
    tables = tuple(sum(1 << at_of[number] for number in table) for table in groups.tables)
    return tables, sum(1 << at_of[number] for number in groups.byes)


def _groups(parts: Parts, numbers: list[int], byes: tuple[int, ...] = ()) -> Groups:
    def members(mask: int) -> tuple[int, ...]:
        return tuple(number for at, number in enumerate(numbers) if mask >> at & 1)

    tables, resting = parts
    return Groups(tuple(members(table) for table in tables), byes or members(resting))
