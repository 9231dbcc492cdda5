"""The knockout: heats, of each of which the best go on, until one heat is the final.

All heats are full. Seed 1 is the strongest; the best seeded meet last. Where the number of entrants does not fit, the
best seeded have a bye (which counts as a heat won, as every bye does), and the best of those who lost may go on, too
(`heats.plan`). A heat is decided by the points of its games, then by the sum of its scores, then by the better seed: it
never ends level.

Who has left or was disqualified does not go on. The next one of its heat does, failing that the best of those who are
out: everybody who stays leaves by a result, and heats are full. With double elimination its place stays empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, Final

from arena.events.errors import TermsError
from arena.events.formats import double_elimination
from arena.events.formats.base import BaseFormat
from arena.events.formats.heats import Plan, finish, in_bracket_order, is_over, merits, plan, seeds, snake, tables
from arena.events.formats.seating import meetings
from arena.events.values import Chance, Draw, History, Round

CONSOLATION: Final = "consolation"


@dataclass(slots=True)
class _Field:
    """Who is in and who is out after some rounds."""

    alive: list[int]
    """In the next round, or in one that is not finished; the best ranked first."""
    out: list[list[int]] = field(default_factory=list)
    """Groups of equals, who came furthest first."""
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Knockout(BaseFormat):
    """Of each heat the best `advance` go on. `double`: who has lost once goes on in a lower bracket, whose winner
    meets that of the upper one. `consolation`: those who are out play for the places behind."""

    LIMITS: ClassVar[Mapping[str, tuple[int, int]]] = {"advance": (1, 4)}
    advance: int = 1
    double: bool = False
    consolation: bool = False

    def check(self, players: int, entrants: int) -> None:
        """At least one full heat, of which somebody leaves; double elimination as it is defined, for two."""
        BaseFormat.check(self, players, entrants)  # `super()` does not know classes with slots
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
        """Until the final; of double elimination with the reset final, which may not be needed."""
        if self.double:
            return double_elimination.number_of_rounds(entrants)
        alive, rounds = entrants, 0
        while alive >= players:
            alive, rounds = plan(alive, players, self.advance).goes_on, rounds + 1
        return rounds

    def admits(self, history: History) -> bool:
        """Until the first heats are drawn."""
        return not history.rounds

    def draw(self, history: History, chance: Chance) -> Draw | None:
        """The heats of the next round."""
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
        """Who is still in, then who went out, the later the better; of one round by the place in its heat."""
        if self.double:
            return double_elimination.order(history)
        now = self._field(history)
        groups = [now.alive, *now.out] if now.alive else now.out
        placed = set(chain(*groups))
        never = [entrant.number for entrant in history.entrants if entrant.number not in placed]
        return [*groups, never] if never else groups

    def goes_on(self, history: History, number: int) -> frozenset[int]:
        """Who goes on from round `number`, if that is finished."""
        if self.double:
            return double_elimination.winners(history, number)
        if number < len(history.rounds):
            return frozenset(_main(history.rounds[number]))
        now = self._field(history)
        is_open = any(not is_over(table, history) for table in history.rounds[number - 1].tables)
        return frozenset() if is_open else frozenset(now.alive)

    def _field(self, history: History) -> _Field:
        """The rounds folded. Who played in a later round has gone on, whatever has happened since."""
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
        round_: Plan,
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
    """Who is in a round, but for the consolation."""
    return {seat for table in round.tables if table.group != CONSOLATION for seat in table.seats} | set(round.byes)


def _inherit(
    waiting: Sequence[int], heats: Sequence[Sequence[int]], going: set[int], seed_of: Mapping[int, int]
) -> list[int]:
    """The ranks of the next round: byes, the first of each heat in the order of the heats, the second of each, and so
    on. So nobody's rank depends on who wins elsewhere, and for two seats that is the standard bracket."""
    rest = [[number for number in heat if number in going] for heat in heats]
    ranked = [number for number in waiting if number in going]
    for place in range(max(map(len, heats))):
        ranked += [heat[place] for heat in rest if len(heat) > place]
    return ranked + sorted(going - set(ranked), key=lambda number: seed_of[number])


def _split(now: _Field, round: Round, players: int, seed_of: dict[int, int]) -> None:
    """Split each group of those who are out by the places of its consolation heats; who had none stays in front."""
    found = []
    for group in now.out:
        # A disqualification changes earlier heats too, so that some of a table may be of another group by now.
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
        found += [row for row in rows if row]
    now.out = found


def _label(round_: Plan, alive: int, players: int) -> str:
    if not round_.goes_on:
        return "final"
    return "semi-final" if round_.goes_on == players else f"round of {alive}"
