"""The league: divisions that play a round robin each season. Then the best are promoted and the worst relegated.

Division 1 is the highest. In the first season, divisions are filled by strength. Every division has `size` entrants
except the lowest, which takes the remainder. It has at least as many entrants as a table
has seats. When it would reach `size` and that number together, it is split in two.

A season is a round robin (`round_robin`) of each division, side by side. After it, the last `moves` of each division
change places with the first `moves` of the division below, but at most half of either. Entrants that have left are
removed. Their places go to the first of the division below: those just relegated, then those that stayed there. New
entrants join from below, the stronger first.

The standings show the current season. They are by division, then by these values:

- points per game,
- points,
- points won in games among equals,
- Sonneborn-Berger,
- wins.

If all of these are equal, the earlier entrant is promoted first, and the later one relegated first. The terms'
tie-breaks have no effect.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import ClassVar

from arena.events.errors import TermsError
from arena.events.fields import NumberRule, term
from arena.events.formats.base import EventFormat
from arena.events.formats.heats import seeds
from arena.events.formats.round_robin import by_mean, next_round
from arena.events.formats.schedules import rounds_for
from arena.events.standings import standings
from arena.events.values import ChanceStream, Draw, EventTable, History, Round, TieBreak


@dataclass(frozen=True, slots=True)
class Season:
    """A season that has begun."""

    divisions: tuple[tuple[int, ...], ...]
    """Entrants of each division by seed; the highest division first."""
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class League(EventFormat):
    """`seasons` of round robins in divisions of `size`, with `cycles` meetings of each pair; `moves` are promoted or
    relegated."""

    kind: ClassVar[str] = "league"
    TIE_BREAKS: ClassVar[tuple[TieBreak, ...]] = ("head_to_head", "sonneborn_berger", "wins")
    size: int = term(NumberRule(2, 60), "Number of entrants in a division.", default=8)
    moves: int = term(
        NumberRule(0, 30), "Number of entrants that move up after a season. As many move down.", default=2
    )
    seasons: int = term(NumberRule(1, 100), "Number of seasons.", default=2)
    cycles: int = term(
        NumberRule(1, 10), "Number of times in a season that every entrant meets every other one.", default=1
    )

    def check(self, players: int, entrants: int) -> None:
        """Raise `TermsError` unless every division has a full table and nobody can be both promoted and relegated."""
        EventFormat.check(self, players, entrants)  # `super()` does not work in a dataclass with slots
        if self.size < players:
            raise TermsError("BAD_NUMBER", "format.size", f"must be at least {players}, the seats of a table")
        if 2 * self.moves > self.size:
            raise TermsError("BAD_NUMBER", "format.moves", f"must be at most half of the size, {self.size // 2}")

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """Return the number of rounds: those of the longest division, in each season."""
        divisions = self._cut(range(entrants), players)
        return self.seasons * max(rounds_for(len(members), players, self.cycles) for members in divisions)

    def admits(self, history: History) -> bool:
        """Return whether the last season has not begun yet."""
        return len(self.begun(history)) < self.seasons

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the next round of each division that has one.

        If none has, return the first round of the next season.
        """
        begun = self.begun(history)
        number = len(begun)
        if begun and (tables := self._tables(history, begun[-1], chance)):
            return Draw(tables, label=_label(number, len(begun[-1].rounds) + 1))
        if number == self.seasons:
            return None
        following = Season(self._divisions(history, begun, history.present), ())
        tables = self._tables(history, following, chance)
        return Draw(tables, label=_label(number + 1, 1)) if tables else None

    def order(self, history: History) -> list[list[int]] | None:
        """Return the ranking by division and points per game; entrants without a division are last."""
        begun = self.begun(history)
        if not begun:
            return None
        groups = [
            group
            for at, division in enumerate(begun[-1].divisions)
            for group in by_mean(_of_division(history, begun[-1], at), division, history.present)
        ]
        placed = {number for group in groups for number in group}
        return [*groups, [entrant.number for entrant in history.entrants if entrant.number not in placed]]

    def counted(self, history: History) -> History:
        """Return the history with only the rounds of the current season."""
        begun = self.begun(history)
        return replace(history, rounds=begun[-1].rounds if begun else ())

    def begun(self, history: History) -> list[Season]:
        """Return all seasons that have begun, from the first.

        An entrant that has had a table in a season belongs to that table's division. This stays so if a result of an
        earlier season changes.
        """
        seed_of = seeds(history)
        seasons: list[Season] = []
        for _, group in groupby(history.rounds, key=lambda round: round.label.partition(",")[0]):
            rounds = tuple(group)
            drawn = {number: table.group for round in rounds for table in round.tables for number in table.seats}
            planned = self._divisions(history, seasons, rounds[0].present)
            members: dict[str, list[int]] = {_name(at): [] for at in range(len(planned))}
            for at, division in enumerate(planned):
                for number in division:
                    members[drawn.get(number, _name(at))].append(number)
            divisions = (tuple(sorted(division, key=seed_of.__getitem__)) for division in members.values())
            seasons.append(Season(tuple(divisions), rounds))
        return seasons

    def _divisions(
        self, history: History, begun: Sequence[Season], present: Collection[int]
    ) -> tuple[tuple[int, ...], ...]:
        """Return the divisions of the season after `begun`, by seed."""
        seed_of = seeds(history)
        ladder: list[int] = []
        if begun:
            ranks = [
                [number for number in _ranked(history, begun[-1], at, present) if number in present]
                for at in range(len(begun[-1].divisions))
            ]
            moves = [min(self.moves, len(above) // 2, len(below) // 2) for above, below in pairwise(ranks)]
            for at, (up, down) in enumerate(zip([0, *moves], [*moves, 0], strict=True)):
                came_down = ranks[at - 1][len(ranks[at - 1]) - up :]
                came_up = ranks[at + 1][:down] if down else []
                ladder += [*came_down, *ranks[at][up : len(ranks[at]) - down], *came_up]
        newcomers = sorted(set(present) - set(ladder), key=seed_of.__getitem__)
        divisions = self._cut([*ladder, *newcomers], history.players)
        return tuple(tuple(sorted(division, key=seed_of.__getitem__)) for division in divisions)

    def _cut(self, ladder: Sequence[int], players: int) -> list[Sequence[int]]:
        """Cut a ladder into divisions of `size`; the lowest has the remainder."""
        full = max(0, (len(ladder) - players) // self.size)
        return [*(ladder[at * self.size : (at + 1) * self.size] for at in range(full)), ladder[full * self.size :]]

    def _tables(self, history: History, season: Season, chance: ChanceStream) -> tuple[EventTable, ...]:
        tables: list[EventTable] = []
        for at, division in enumerate(season.divisions):
            for seats in next_round(division, _of_division(history, season, at), self.cycles, chance):
                tables.append(EventTable(len(tables) + 1, seats, _name(at)))
        return tuple(tables)


def _name(at: int) -> str:
    return f"division {at + 1}"


def _label(season: int, round: int) -> str:
    """Return the label of a round. The part before the comma identifies the season (see `begun`)."""
    return f"season {season}, round {round}"


def _of_division(history: History, season: Season, at: int) -> History:
    """Return the history of one division: the rounds of a season in which it had tables, with only those tables."""
    rounds = [
        replace(round, tables=tuple(table for table in round.tables if table.group == _name(at)))
        for round in season.rounds
    ]
    return replace(history, rounds=tuple(round for round in rounds if round.tables))


def _ranked(history: History, season: Season, at: int, present: Collection[int]) -> list[int]:
    """Return a division in the order of its standings. `present` are the entrants that stayed, for `by_mean`."""
    part = _of_division(history, season, at)
    order = by_mean(part, season.divisions[at], present)
    return [row.entrant for row in standings(part, League.TIE_BREAKS, {}, order)]
