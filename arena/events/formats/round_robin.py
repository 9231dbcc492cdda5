"""The round robin: every pair of entrants meets equally often. The gauntlet, in which one bot meets all others.

With two seats every pair meets exactly `cycles` times. With three to five seats, the number of rounds is the one that
brings the mean number of meetings nearest to `cycles` (`schedules.rounds_for`). Every round has as many tables as
possible; an entrant that sits out gets no points and no game.

The meetings of two pairs differ by at most 2. Exceptions are schedules for which that is impossible (ten entrants at
tables of five, two or three cycles) or not found (eleven entrants, two cycles). `RoundRobin.schedule` shows all
meetings and their spread. After every round, numbers of games differ by at most 1, and so do the counts of an
entrant's seats. Entrants may have different numbers of games, so the standings compare points per game.

The field is that of the first round, seeded; nobody enters later. The schedule depends only on the number of entrants,
without a lot. If an entrant leaves:

- With two seats the schedule stays. Its opponents sit out, and the others meet as often as agreed.
- With more seats, each remaining round is drawn among those who stay. Entrants with the most games sit out, tables
  join entrants that have met least, and seats are balanced. Numbers of games still differ by at most 1; meetings and
  seats are as even as that allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from arena.events.errors import TermsError
from arena.events.fields import NumberRule, term
from arena.events.formats.base import EventFormat
from arena.events.formats.heats import seeds
from arena.events.formats.schedules import Schedule, next_tables, rounds_for, schedule
from arena.events.formats.seating import all_tables, meetings, seats_taken, take_seats
from arena.events.tiebreaks import scores
from arena.events.values import ChanceStream, Draw, EventTable, History

MOST_ENTRANTS: Final = 64


@dataclass(frozen=True, slots=True)
class RoundRobin(EventFormat):
    """Every pair of entrants meets `cycles` times."""

    kind: ClassVar[str] = "round_robin"
    cycles: int = term(NumberRule(1, 10), "Number of times that every entrant meets every other one.", default=1)

    def check(self, players: int, entrants: int) -> None:
        """Raise `TermsError` unless there is a full table and the schedule can be computed in reasonable time."""
        EventFormat.check(self, players, entrants)  # `super()` does not work in a dataclass with slots
        if entrants > MOST_ENTRANTS:
            many = f"allows at most {MOST_ENTRANTS} entrants, not {entrants}: lower entry.entrants"
            raise TermsError("TOO_MANY", "format", many)

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """Return the number of rounds that brings the mean number of meetings of a pair nearest to `cycles`."""
        return rounds_for(entrants, players, self.cycles)

    def admits(self, history: History) -> bool:
        """Return whether the first round has not been drawn and the field is not full."""
        return not history.rounds and len(history.present) < MOST_ENTRANTS

    def schedule(self, players: int, entrants: int) -> Schedule:
        """Return the whole schedule, by seeds from 0, if nobody leaves."""
        return schedule(entrants, players, self.cycles)

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the next round of the schedule."""
        seed_of = seeds(history)
        field = sorted(history.rounds[0].present if history.rounds else history.present, key=seed_of.__getitem__)
        tables = next_round(field, history, self.cycles, chance)
        return Draw(tuple(EventTable(k, seats) for k, seats in enumerate(tables, start=1))) if tables else None

    def order(self, history: History) -> list[list[int]]:
        """Return the ranking by points per game."""
        return by_mean(history, [entrant.number for entrant in history.entrants], history.present)


def next_round(field: Sequence[int], history: History, cycles: int, chance: ChanceStream) -> list[tuple[int, ...]]:
    """Return the next tables of a round robin, seat 1 first; none if it is over.

    `field` are all entrants that began, in the order of their seeds. `history` has only the rounds and tables of this
    round robin.
    """
    here = [number for number in field if number in history.present]
    if len(here) < history.players:
        return []
    plan = schedule(len(field), history.players, cycles)
    rounds = [[tuple(field[at] for at in table) for table in tables] for tables in plan.rounds]
    if history.players == 2:
        return _next_duels(rounds, history)
    number = len(history.rounds)
    if number >= len(rounds):
        return []
    return rounds[number] if len(here) == len(field) else _redrawn(here, history, chance)


def _next_duels(rounds: Sequence[Sequence[tuple[int, ...]]], history: History) -> list[tuple[int, ...]]:
    """Return the first round with a pair that is present and has met less often than the schedule says."""
    met = meetings(history)
    for tables in rounds:
        pairs = {table: (min(table), max(table)) for table in tables if history.present.issuperset(table)}
        if unplayed := [table for table, pair in pairs.items() if not met[pair]]:
            return unplayed
        met.subtract(pairs.values())
    return []


def _redrawn(here: Sequence[int], history: History, chance: ChanceStream) -> list[tuple[int, ...]]:
    """Draw a round among the entrants that are still present, without the schedule."""
    met, taken = meetings(history), seats_taken(history)
    games = Counter(number for table in all_tables(history) for number in table.seats)
    matrix = [[met[min(one, other), max(one, other)] for other in here] for one in here]
    tables = next_tables(matrix, [games[number] for number in here], range(len(here)), history.players)
    return [take_seats([here[at] for at in table], taken, chance) for table in tables]


def by_mean(history: History, members: Iterable[int], present: Collection[int]) -> list[list[int]]:
    """Group these entrants by points per game, the best group first.

    An entrant that left early counts as having lost the games that it has fewer than those who stayed.
    """
    members = list(members)
    score = scores(history)
    least = min((score[number].games for number in members if number in present and score[number].games), default=1)
    groups: dict[Fraction, list[int]] = {}
    for number in members:
        groups.setdefault(Fraction(score[number].halves, max(score[number].games, least)), []).append(number)
    return [groups[mean] for mean in sorted(groups, reverse=True)]


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
