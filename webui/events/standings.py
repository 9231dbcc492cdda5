"""Standings and crosstable of an event, for templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from arena.events.formats.knockout import Knockout
from arena.events.formats.league import League
from arena.events.tiebreaks import duels
from webui.bots.values import BotRef
from webui.events.eligibility import is_fixed, playing
from webui.events.values import EventPage
from webui.events.words import TIE_BREAKS, group_name, number_words, tie_break_words

MOST_CROSSED: Final = 24
"""Maximum number of entrants for a crosstable."""


@dataclass(frozen=True)
class StandingRow:
    """An entrant in the standings."""

    place: int
    entrant: int
    movement: int
    """Number of places gained or lost since the previous round."""
    bot: BotRef
    version: str
    is_fixed: bool
    """Whether the version is fixed. Otherwise it is the one that would play if the event started now."""
    strength: int
    points: str
    games: int
    byes: int
    wins: int
    tie_breaks: list[str]
    """Values of the tie-breaks, without the lot, which has no readable value."""
    has_left: bool
    is_disqualified: bool
    group: str
    """Name of the division, in a league."""

    @property
    def fall(self) -> int:
        """Number of places lost."""
        return -self.movement


@dataclass(frozen=True)
class TieBreakHead:
    """The head of a column."""

    short: Any
    name: Any
    meaning: Any
    has_column: bool


def tie_break_heads(page: EventPage) -> list[TieBreakHead]:
    """Return the heads of the tie-breaks, in their order."""
    return [TieBreakHead(*TIE_BREAKS[name], has_column=name != "lot") for name in page.event.tie_breaks]


def rows(page: EventPage) -> list[StandingRow]:
    """Return the rows of the standings that may be shown."""
    names = page.event.tie_breaks
    groups = _divisions(page)
    versions = playing(page)
    standing_rows = []
    for line in page.standings:
        entrant = page.event.entrants[line.entrant - 1]
        values = zip(names, line.tie_breaks, strict=True)
        standing_rows.append(
            StandingRow(
                place=line.place,
                entrant=line.entrant,
                movement=page.movement.get(line.entrant, 0),
                bot=page.bots[line.entrant],
                version=versions.get(line.entrant, ""),
                is_fixed=is_fixed(page),
                strength=entrant.strength,
                points=number_words(line.points),
                games=line.games,
                byes=line.byes,
                wins=line.wins,
                tie_breaks=[tie_break_words(name, value) for name, value in values if name != "lot"],
                has_left=not line.is_present,
                is_disqualified=line.entrant in page.event.disqualified,
                group=groups.get(line.entrant, ""),
            )
        )
    return standing_rows


def _divisions(page: EventPage) -> dict[int, str]:
    """Return the division of each entrant in the current season of a league. Return nothing for another format."""
    format = page.event.terms.format
    if not isinstance(format, League) or not (seasons := format.begun(page.event.history(page.shown))):
        return {}
    divisions = enumerate(seasons[-1].divisions, start=1)
    return {entrant: group_name(f"division {number}") for number, division in divisions for entrant in division}


@dataclass(frozen=True)
class Cell:
    """The points that one entrant scored against another."""

    points: str
    games: int
    is_more: bool
    is_less: bool


@dataclass(frozen=True)
class CrossRow:
    """An entrant against each of the others, in the order of the standings. A cell is None for the entrant itself, and
    for an opponent that it never met."""

    place: int
    bot: BotRef
    points: str
    cells: Sequence[Cell | None]


def crosstable(page: EventPage) -> list[CrossRow]:
    """Return the points of each entrant against each other one.

    The list is empty for a large field, for a knockout, and before the first result.
    """
    if len(page.standings) > MOST_CROSSED or isinstance(page.event.terms.format, Knockout):
        return []
    won = duels(page.event.terms.format.counted(page.event.history(page.shown)))
    if not won:
        return []
    order = [line.entrant for line in page.standings]

    def cell(one: int, other: int) -> Cell | None:
        if (one, other) not in won:
            return None
        own, games = won[one, other]
        theirs = won[other, one][0]
        return Cell(number_words(Fraction(own, 2)), games, own > theirs, own < theirs)

    return [
        CrossRow(
            line.place,
            page.bots[line.entrant],
            number_words(line.points),
            [cell(line.entrant, other) for other in order],
        )
        for line in page.standings
    ]
