"""What a decision would change, computed before it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from arena.events import Event, EventError, Fact, FactKind
from webui.ladder import queries
from webui.ladder.values import BadRequest
from webui.ladder.values.events import EventPage
from webui.site.events.words import number_words

MOST: Final = 64
"""Entrants that are listed."""


@dataclass(frozen=True)
class Moved:
    """An entrant whose place or points change."""

    name: str
    place: int
    new_place: int
    points: str
    new_points: str


@dataclass(frozen=True)
class Consequences:
    """What follows from a decision."""

    moved: list[Moved]
    more: int
    """Beyond those that are listed."""
    void: int
    """Results that no longer count."""
    again: int
    """Games that are played again."""
    decided: int
    """Games that are waited for, and are not played any more."""


def consequences(page: EventPage, kind: FactKind, data: Mapping[str, Any]) -> Consequences:
    """What the fact would change, on a copy; `BadRequest` if it cannot be."""
    before = Event(page.facts)
    after = Event(page.facts)
    try:
        after.apply(Fact(kind, data))
        if kind in (FactKind.WITHDRAWN, FactKind.DISQUALIFIED):
            for fact in queries.absences(before, data["entrant"]):
                after.apply(fact)
    except EventError as error:
        raise BadRequest(str(error)) from error
    old = {row.entrant: row for row in before.standings(before.seed)}
    new = {row.entrant: row for row in after.standings(after.seed)}
    moved = [
        Moved(
            before.entrants[number - 1].name,
            old[number].place,
            row.place,
            number_words(Fraction(old[number].halves, 2)),
            number_words(Fraction(row.halves, 2)),
        )
        for number, row in new.items()
        if (row.place, row.halves) != (old[number].place, old[number].halves)
    ]
    waited = {pairing.key for pairing in before.pairings()}
    left = {pairing.key for pairing in after.pairings()}
    return Consequences(
        moved[:MOST],
        max(0, len(moved) - MOST),
        void=len(before.games.keys() - after.games.keys()),
        again=len(left - waited),
        decided=len(waited - left),
    )
