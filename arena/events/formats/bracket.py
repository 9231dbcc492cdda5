"""The bracket of a knockout as a page shows it: stages of heats, who advances, and each entrant's earlier heat."""

from __future__ import annotations

from dataclasses import dataclass

from arena.events.formats.heats import finish, is_over, merits, seeds
from arena.events.formats.knockout import Knockout
from arena.events.values import History


@dataclass(frozen=True, slots=True)
class BracketPlace:
    """An entrant in a heat."""

    entrant: int
    halves: int
    """Points in the heat so far, in halves."""
    score: int
    """Sum of the entrant's scores in the heat."""
    goes_on: bool
    """Whether the entrant advances. It is known when the round is over; with double elimination, when the heat is."""
    comes_from: tuple[int, int] | None
    """Round and table of the entrant's previous heat; None for its first one."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A table of a knockout."""

    table: int
    group: str
    """Empty for the main bracket; otherwise `lower`, `final` or `consolation`."""
    is_over: bool
    places: tuple[BracketPlace, ...]
    """By placement if the heat is over, by seed otherwise."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A round of a knockout."""

    round: int
    label: str
    heats: tuple[Heat, ...]
    """In page order: heats whose winners meet in the next round are neighbours."""
    byes: tuple[int, ...]


def bracket(format: Knockout, history: History) -> tuple[Stage, ...]:
    """Return the stages of a knockout that have been drawn."""
    seed_of = seeds(history)
    last: dict[int, tuple[int, int]] = {}
    stages = []
    for round in history.rounds:
        goes_on = format.goes_on(history, round.number)
        heats = []
        for table in round.tables:
            merit = merits(table, seed_of)
            places = tuple(
                BracketPlace(
                    entrant=number,
                    halves=-merit[number][0],
                    score=-merit[number][2],
                    goes_on=number in goes_on and table.group != "consolation",
                    comes_from=last.get(number),
                )
                for number in finish(table, seed_of)
            )
            heats.append(Heat(table.number, table.group, is_over(table, history), places))
        last |= {seat: (round.number, table.number) for table in round.tables for seat in table.seats}
        stages.append(Stage(round.number, round.label, tuple(heats), round.byes))
    return tuple(stages)
