"""The knockout: the best of each heat advance, until one heat is the final.

All heats are full. Seed 1 is the strongest entrant, and the best seeds meet last. If the number of entrants does not
fit, the best seeds have a bye, and the best losers may advance as well (`heats.plan`). A bye counts as a heat won. A
heat is decided by points, then by the sum of scores, then by the better seed, so it never ends in a tie.

An entrant that has left or was disqualified does not advance. The next one of its heat takes its place; if there is
none, the best of those already eliminated does. Every elimination therefore follows from a result, and heats stay
full. With
double elimination the place stays empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Final

from arena.events.errors import TermsError
from arena.events.fields import FlagRule, NumberRule, term
from arena.events.formats import double_elimination
from arena.events.formats.base import EventFormat
from arena.events.formats.heats import HeatPlan, finish, in_bracket_order, is_over, merits, plan, seeds, snake, tables
from arena.events.formats.seating import meetings
from arena.events.values import ChanceStream, Draw, History, Round

CONSOLATION: Final = "consolation"


@dataclass(slots=True)
class _Field:
    """Entrants that are in and out after some rounds."""

    alive: list[int]
    """Entrants of the next round, or of the one still being played; the best ranked first."""
    out: list[list[int]] = field(default_factory=list)
    """Groups of equals, those that went furthest first."""
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Knockout(EventFormat):
    """The best `advance` of each heat go on to the next round.

    `double` adds a lower bracket for entrants with one loss; its winner meets the winner of the upper bracket.
    `consolation` adds heats in which eliminated entrants play for the lower places.
    """

    kind: ClassVar[str] = "knockout"
    advance: int = term(NumberRule(1, 4), "Number of entrants that advance from a heat.", default=1)
    double: bool = term(
        FlagRule(), "An entrant who has lost once continues in a lower bracket. Only for two seats.", default=False
    )
    consolation: bool = term(FlagRule(), "Eliminated entrants play on for their places.", default=False)

    def check(self, players: int, entrants: int) -> None:
        """Raise `TermsError` unless there is one full heat that eliminates somebody.

        Double elimination needs two seats.
        """
        EventFormat.check(self, players, entrants)  # `super()` does not work in a dataclass with slots
        if self.advance >= players:
            raise TermsError("BAD_NUMBER", "format.advance", f"must be less than the {players} seats of a heat")
        if self.double and players != 2:
            raise TermsError(
                "BAD_CHOICE", "format.double", f"is for 2 seats, not {players}: set game.players = 2, or double = false"
            )
        if self.double and self.consolation:
            raise TermsError(
                "BAD_CHOICE", "format.consolation", "must be false with double elimination, which has a lower bracket"
            )

    def number_of_rounds(self, players: int, entrants: int) -> int:
        """Return the number of rounds up to the final, including a reset final that may not be needed."""
        if self.double:
            return double_elimination.number_of_rounds(entrants)
        alive, rounds = entrants, 0
        while alive >= players:
            alive, rounds = plan(alive, players, self.advance).goes_on, rounds + 1
        return rounds

    def admits(self, history: History) -> bool:
        """Return whether the first heats have not been drawn yet."""
        return not history.rounds

    def draw(self, history: History, chance: ChanceStream) -> Draw | None:
        """Return the heats of the next round."""
        if self.double:
            return double_elimination.draw(history, chance)
        now = self._field(history)
        if now.is_over or len(now.alive) < history.players:
            return None
        round_ = plan(len(now.alive), history.players, self.advance)
        before = meetings(history)
        heats = snake(now.alive[round_.byes :], round_.heats, before)
        drawn = tables(in_bracket_order(heats, round_, history.players, self.advance), history, chance)
        for group in now.out if self.consolation else ():
            stay = [number for number in group if number in history.present]
            if count := len(stay) // history.players:
                lesser = snake(stay[len(stay) % history.players :], count, before)
                drawn += tables(lesser, history, chance, CONSOLATION, len(drawn) + 1)
        return Draw(
            tuple(drawn), tuple(sorted(now.alive[: round_.byes])), _label(round_, len(now.alive), history.players)
        )

    def order(self, history: History) -> list[list[int]]:
        """Return the ranking: entrants still in, then those eliminated, the latest first.

        Entrants of one round are ranked by their place in the heat.
        """
        if self.double:
            return double_elimination.order(history)
        now = self._field(history)
        groups = [now.alive, *now.out] if now.alive else now.out
        placed = set(chain(*groups))
        never = [entrant.number for entrant in history.entrants if entrant.number not in placed]
        return [*groups, never] if never else groups

    def goes_on(self, history: History, number: int) -> frozenset[int]:
        """Return the entrants that advance from round `number`; none while it is not finished."""
        if self.double:
            return double_elimination.winners(history, number)
        if number < len(history.rounds):
            return frozenset(_main(history.rounds[number]))
        now = self._field(history)
        is_open = any(not is_over(table, history) for table in history.rounds[number - 1].tables)
        return frozenset() if is_open else frozenset(now.alive)

    def _field(self, history: History) -> _Field:
        """Fold all rounds. An entrant that played in a later round has advanced, whatever has happened since."""
        seed_of = seeds(history)
        if not history.rounds:
            return _Field(history.seeded)
        now = _Field(sorted(_main(history.rounds[0]), key=lambda number: seed_of[number]))
        for round in history.rounds[:-1]:
            self._fold(now, history, round, _main(history.rounds[round.number]), seed_of)
        last = history.rounds[-1]
        if all(is_over(table, history) for table in last.tables):
            self._fold(now, history, last, None, seed_of)
        return now

    def _fold(
        self, now: _Field, history: History, round: Round, going: set[int] | None, seed_of: dict[int, int]
    ) -> None:
        _split(now, round, history.players, seed_of)
        mains = [table for table in round.tables if table.group != CONSOLATION]
        merit = {number: value for table in mains for number, value in merits(table, seed_of).items()}
        heats = [finish(table, seed_of) for table in mains]
        heats.sort(key=lambda heat: min(now.alive.index(number) for number in heat))
        waiting = [number for number in now.alive if number in round.byes]
        round_ = plan(len(now.alive), history.players, self.advance)
        if not round_.goes_on:
            now.alive, now.out, now.is_over = [], [[number] for number in heats[0]] + now.out, True
            return
        if going is None:
            going = self._going(now, round_, waiting, heats, merit, history.present)
        rows = [[heat[place] for heat in heats if heat[place] not in going] for place in range(history.players)]
        gone = [number for number in waiting if number not in going]
        now.out = [[number for number in group if number not in going] for group in [gone, *rows, *now.out]]
        now.out = [group for group in now.out if group]
        now.alive = _inherit(waiting, heats, going, seed_of)

    def _going(
        self,
        now: _Field,
        round_: HeatPlan,
        waiting: Sequence[int],
        heats: Sequence[Sequence[int]],
        merit: Mapping[int, tuple[int, ...]],
        present: frozenset[int],
    ) -> set[int]:
        first = [number for heat in heats for number in [n for n in heat if n in present][: self.advance]]
        place = {number: k for heat in heats for k, number in enumerate(heat)}
        others = sorted(set(place) - set(first), key=lambda number: (place[number], merit[number]))
        ranked = chain(waiting, first, others, *now.out)
        return set([number for number in ranked if number in present][: round_.goes_on])


def _main(round: Round) -> set[int]:
    """Return the entrants of a round, without those of consolation heats."""
    return {seat for table in round.tables if table.group != CONSOLATION for seat in table.seats} | set(round.byes)


def _inherit(
    waiting: Sequence[int], heats: Sequence[Sequence[int]], going: set[int], seed_of: Mapping[int, int]
) -> list[int]:
    """Return the ranks for the next round: byes, the first of each heat in the order of the heats, then the second,
    and so on.

    Nobody's rank depends on who wins elsewhere. For two seats this is the standard bracket.
    """
    rest = [[number for number in heat if number in going] for heat in heats]
    ranked = [number for number in waiting if number in going]
    for place in range(max(map(len, heats))):
        ranked += [heat[place] for heat in rest if len(heat) > place]
    return ranked + sorted(going - set(ranked), key=lambda number: seed_of[number])


def _split(now: _Field, round: Round, players: int, seed_of: dict[int, int]) -> None:
    """Split each group of eliminated entrants by place in its consolation heats; entrants without such a heat stay in
    front."""
    groups = []
    for group in now.out:
        # A disqualification also changes earlier heats, so some entrants of a table may belong to another group by
        # now.
        heats = [
            [number for number in finish(table, seed_of) if number in group]
            for table in round.tables
            if table.group == CONSOLATION
        ]
        seated = set(chain(*heats))
        rows = [[number for number in group if number not in seated], *([] for _ in range(players - 1))]
        for heat in heats:
            for place, number in enumerate(heat):
                rows[place].append(number)
        groups += [row for row in rows if row]
    now.out = groups


def _label(round_: HeatPlan, alive: int, players: int) -> str:
    if not round_.goes_on:
        return "final"
    return "semi-final" if round_.goes_on == players else f"round of {alive}"
