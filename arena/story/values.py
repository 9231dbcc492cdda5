"""What a story says, as plain values, and its document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

VERSION: Final = 1
"""Of the evaluator: another one that says something else of the same record has another number."""
_MILLE: Final = 1000


class DecidedBy(StrEnum):
    """What alone made up the margin of the winner."""

    NOTHING = "NOTHING"
    """Nothing alone did."""
    DJINN = "DJINN"
    """One Djinn: without it the winner would not have won."""
    TILE = "TILE"
    """One tile, with the palms and palaces on it."""
    SOURCE = "SOURCE"
    """One source of points, in which the winner was ahead of the next by the margin at least."""
    FORFEIT = "FORFEIT"
    """A seat that forfeited had as many points or more, or nobody else was left."""
    TIE = "TIE"
    """Several seats share the win."""


class Kind(StrEnum):
    """What happened in a turn that changed the chances."""

    LEAD = "LEAD"
    """The seat takes the lead in points."""
    DJINN = "DJINN"
    """It gains a Djinn; `what` is its id."""
    TILE = "TILE"
    """It takes a tile; `what` is its name."""
    OUTBID = "OUTBID"
    """It bids the most, and acts first."""
    BID = "BID"
    """It gains most by the bids of all."""
    GAIN = "GAIN"
    """It gains points, and chances."""
    SLIP = "SLIP"
    """Its own turn costs it chances."""


@dataclass(frozen=True)
class Point:
    """The chances of the seats at one moment."""

    index: int
    """Of the event before which it lies; the number of events for the end."""
    chances: tuple[float, ...]
    """To win, by seat; their sum is 1. A shared win counts in equal parts."""
    error: float
    """The standard error of the least certain of them: how much they would differ with other draws."""


@dataclass(frozen=True)
class TurningPoint:
    """A turn that changed the chances more than most."""

    index: int
    """Of its first decision."""
    until: int
    """The index of the event that follows its end."""
    round: int
    seat: int
    """Whose turn it was; of bids, whose chances they raised most."""
    kind: Kind
    what: str
    """Of a Djinn its id, of a tile its name; else empty."""
    gain: int
    """VP of the seat at its end, less those before it."""
    swing: float
    """The chance of the seat at its end, less that before it."""


@dataclass(frozen=True)
class Values:
    """A whole match in a few values."""

    winners: tuple[int, ...]
    """The seats that won, from 1."""
    margin: int
    """VP of the winner above the next seat that did not forfeit; 0 where several share the win."""
    lead_changes: int
    """How often another seat led alone at the end of a turn than the last one that did; a bid is a turn of its own."""
    decided_by: DecidedBy
    decided_what: str
    """The id of the Djinn, the name of the tile, the source of points; else empty."""
    excitement: float
    """0 to 1."""


@dataclass(frozen=True)
class Evaluation:
    """The chances along a match, what turned it, and what it was like."""

    points: tuple[Point, ...]
    turning_points: tuple[TurningPoint, ...]
    values: Values


def points_document(points: tuple[Point, ...], turning_points: tuple[TurningPoint, ...]) -> dict[str, Any]:
    """Both as JSON: chances and errors in thousandths."""
    return {
        "points": [[p.index, [round(_MILLE * c) for c in p.chances], round(_MILLE * p.error)] for p in points],
        "turns": [
            [t.index, t.until, t.round, t.seat, str(t.kind), t.what, t.gain, round(_MILLE * t.swing)]
            for t in turning_points
        ],
    }


def parse_points(document: dict[str, Any]) -> tuple[tuple[Point, ...], tuple[TurningPoint, ...]]:
    """What `points_document` has written, to the thousandth."""
    points = tuple(
        Point(index, tuple(chance / _MILLE for chance in chances), error / _MILLE)
        for index, chances, error in document["points"]
    )
    turns = tuple(
        TurningPoint(index, until, number, seat, Kind(kind), what, gain, swing / _MILLE)
        for index, until, number, seat, kind, what, gain, swing in document["turns"]
    )
    return points, turns
