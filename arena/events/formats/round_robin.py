"""The round robin: everybody meets everybody equally often.

With two seats exactly so, `cycles` times. With three to five seats a cycle is as many rounds as bring the mean number
of meetings nearest to one (`schedules.rounds_for`); every round has as many tables as it can, and who sits out has
neither points nor a game. No two pairs' meetings differ by more than 2, but where that is impossible (ten entrants at
tables of five, two or three cycles) or is not found (eleven, two cycles): `RoundRobin.schedule` shows all meetings and
their spread. Numbers of games differ by at most 1 after every round, and so do an entrant's seats; as not all may have
the same number of games, the standings compare points per game.

The field is that of the first round, seeded; nobody enters later. The schedule follows from the number of
entrants alone, without a lot. If somebody leaves:

- with two seats the schedule stays: its opponents sit out, and those who stay meet each other as often as agreed;
- with more, the rounds that remain are drawn one by one among those who stay: who has had the most games sits out,
  and tables are of those who met least, seats by what each had so far. Their numbers of games still differ by at most
  1; meetings and seats are as even as that allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from arena.events.errors import TermsError
from arena.events.formats.base import BaseFormat
from arena.events.formats.heats import seeds
from arena.events.formats.schedules import Schedule, next_tables, rounds_for, schedule
from arena.events.formats.seating import all_tables, meetings, seats_taken, take_seats
from arena.events.tiebreaks import scores
from arena.events.values import Chance, Draw, History, Table

MOST_ENTRANTS: Final = 64


@dataclass(frozen=True, slots=True)
class RoundRobin(BaseFormat):
    """Everybody meets everybody `cycles` times."""

    LIMITS: ClassVar[Mapping[str, tuple[int, int]]] = {"cycles": (1, 10)}
    cycles: int = 1

    def check(self, players: int, entrants: int) -> None:
        """At least one full table, and no more than can meet each other in reasonable time."""
        BaseFormat.check(self, players, entrants)  # `super()` does not know classes with slots
        if entrants > MOST_ENTRANTS:
            many = f"is for at most {MOST_ENTRANTS} entrants, not {entrants}: set entry.entrants"
            raise TermsError("TOO_MANY", "format", many)

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """As many as bring the mean number of meetings of a pair nearest to `cycles`."""
        return rounds_for(entrants, players, self.cycles)

    def admits(self, history: History) -> bool:
        """Until the first round is drawn, whose field is that of all."""
        return not history.rounds and len(history.present) < MOST_ENTRANTS

    def schedule(self, players: int, entrants: int) -> Schedule:
        """Everything that will be drawn if nobody leaves, by seeds from 0."""
        return schedule(entrants, players, self.cycles)

    def draw(self, history: History, chance: Chance) -> Draw | None:
        """The next round of the schedule."""
        seed_of = seeds(history)
        field = sorted(history.rounds[0].present if history.rounds else history.present, key=seed_of.__getitem__)
        tables = next_round(field, history, self.cycles, chance)
        return Draw(tuple(Table(k, seats) for k, seats in enumerate(tables, start=1))) if tables else None

    def order(self, history: History) -> list[list[int]]:
        """By points per game."""
        return by_mean(history, [entrant.number for entrant in history.entrants], history.present)


def next_round(field: Sequence[int], history: History, cycles: int, chance: Chance) -> list[tuple[int, ...]]:
    """The next tables of a round robin, seat 1 first; none if it is over.

    `field`: all who began, in the order of their seeds. The history has the rounds and tables of this round robin only.
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
    """The first round with a pair that is there, and has not met as often as up to it."""
    met = meetings(history)
    for tables in rounds:
        pairs = {table: (min(table), max(table)) for table in tables if history.present.issuperset(table)}
        if found := [table for table, pair in pairs.items() if not met[pair]]:
            return found
        met.subtract(pairs.values())
    return []


def _redrawn(here: Sequence[int], history: History, chance: Chance) -> list[tuple[int, ...]]:
    """A round among those who are still there, whatever the schedule was."""
    met, taken = meetings(history), seats_taken(history)
    games = Counter(number for table in all_tables(history) for number in table.seats)
    matrix = [[met[min(one, other), max(one, other)] for other in here] for one in here]
    tables = next_tables(matrix, [games[number] for number in here], range(len(here)), history.players)
    return [take_seats([here[at] for at in table], taken, chance) for table in tables]


def by_mean(history: History, members: Iterable[int], present: Collection[int]) -> list[list[int]]:
    """These entrants by points per game, groups of equals, the best first.

    Who has left before it had as many games as those who stayed is counted as if it had lost the others.
    """
    members = list(members)
    score = scores(history)
    least = min((score[number].games for number in members if number in present and score[number].games), default=1)
    groups: dict[Fraction, list[int]] = {}
    for number in members:
        groups.setdefault(Fraction(score[number].halves, max(score[number].games, least)), []).append(number)
    return [groups[mean] for mean in sorted(groups, reverse=True)]
