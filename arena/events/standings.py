"""Standings: by points or by the format's own ranking, then by the tie-breaks in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from arena.events.tiebreaks import TieBreakValues
from arena.events.values import History, TieBreak


@dataclass(frozen=True, slots=True)
class StandingLine:
    """One row of the standings.

    >>> row = StandingLine(place=1, entrant=4, halves=7, games=2, byes=0, wins=1, tie_breaks=(), is_present=True)
    >>> row.points
    Fraction(7, 2)
    """

    place: int
    """1 is first; entrants that cannot be separated share the better place."""
    entrant: int
    halves: int
    """Points, in halves."""
    games: int
    byes: int
    wins: int
    tie_breaks: tuple[Fraction, ...]
    """Values in the order of the terms; `head_to_head` is among entrants with equal points."""
    is_present: bool
    """False for an entrant that has left or was disqualified."""

    @property
    def points(self) -> Fraction:
        """Points as displayed."""
        return Fraction(self.halves, 2)


def standings(
    history: History,
    tie_breaks: Sequence[TieBreak],
    lots: Mapping[int, int],
    order: Sequence[Sequence[int]] | None = None,
) -> list[StandingLine]:
    """Return the standings of an event, first place first.

    `lots` are the values of the tie-break `lot` by entrant. `order` is the ranking by the format itself, as groups of
    equals; None ranks by points. Disqualified entrants are last.
    """
    values = TieBreakValues(history, lots)
    groups = [[entrant.number for entrant in history.entrants]] if order is None else order
    out = [number for group in groups for number in group if number in history.disqualified]
    rows: list[StandingLine] = []
    for group in [*([number for number in group if number not in history.disqualified] for group in groups), out]:
        for equals in _by_points(values, group):
            ranked = sorted(((_key(values, tie_breaks, number, equals), number) for number in equals), key=_best_first)
            for key, tied in groupby(ranked, key=lambda item: item[0]):
                place = len(rows) + 1
                rows += [_row(values, number, place, key) for _, number in tied]
    return rows


def _best_first(item: tuple[tuple[Fraction, ...], int]) -> tuple[list[Fraction], int]:
    return [-value for value in item[0]], item[1]


def _by_points(values: TieBreakValues, group: Iterable[int]) -> list[list[int]]:
    def points(number: int) -> int:
        return -values.scores[number].halves

    return [list(equals) for _, equals in groupby(sorted(group, key=points), key=points)]


def _key(values: TieBreakValues, names: Iterable[TieBreak], number: int, group: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(
        values.among_equals(number, group) if name == "head_to_head" else values.value(name, number) for name in names
    )


def _row(values: TieBreakValues, number: int, place: int, key: tuple[Fraction, ...]) -> StandingLine:
    score = values.scores[number]
    is_present = number in values.history.present
    return StandingLine(place, number, score.halves, score.games, score.byes, score.wins, key, is_present)
