"""The values of a story, and their JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

VERSION: Final = 2
"""Version of the evaluator. Increase it when the same record gives another evaluation."""
_MILLE: Final = 1000


class DecidedBy(StrEnum):
    """The thing that alone made up the winner's margin."""

    NOTHING = "NOTHING"
    """Nothing alone made up the margin."""
    DJINN = "DJINN"
    """One Djinn: without it the winner would not have won."""
    TILE = "TILE"
    """One tile, with the palms and palaces on it."""
    SOURCE = "SOURCE"
    """One source of points: the winner led the runner-up in it by at least the margin."""
    FORFEIT = "FORFEIT"
    """A forfeit: the seat that forfeited had as many points or more, or no other seat was left."""
    TIE = "TIE"
    """A tie: several seats share the win."""


class TurningKind(StrEnum):
    """Kind of event that changed the chances in a turn."""

    LEAD = "LEAD"
    """The seat takes the lead in points."""
    DJINN = "DJINN"
    """The seat gains a Djinn; `what` is its id."""
    TILE = "TILE"
    """The seat takes a tile; `what` is its name."""
    OUTBID = "OUTBID"
    """The seat bids the most and acts first."""
    BID = "BID"
    """The seat gains most from the bids of the round."""
    GAIN = "GAIN"
    """The seat gains chances in some other way."""
    SLIP = "SLIP"
    """The seat's own turn costs it chances."""


@dataclass(frozen=True)
class Point:
    """Every seat's chance to win at one moment."""

    index: int
    """Index of the event that follows the moment; at the end, the number of events."""
    chances: tuple[float, ...]
    """Chance of each seat to win. The chances add up to 1; a shared win counts in equal parts."""
    error: float
    """Largest standard error of the chances: how much they would differ with other draws."""


@dataclass(frozen=True)
class TurningPoint:
    """A turn that changed the chances more than most."""

    index: int
    """Index of the turn's first decision."""
    until: int
    """Index of the event after the turn."""
    round: int
    seat: int
    """The seat whose turn it was; for a bidding, the seat whose chance rose most."""
    kind: TurningKind
    what: str
    """Id of the Djinn or name of the tile; otherwise empty."""
    gain: int
    """VP that the seat gained in the turn."""
    swing: float
    """Chance to win that the seat gained in the turn; negative if it lost some."""


@dataclass(frozen=True)
class Loss:
    """The points that a sowing of a match cost its seat."""

    index: int
    """Index of the sowing's first decision."""
    seat: int
    points: float
    """VP that the best sowing promised more; negative if what was played was better than it."""


@dataclass(frozen=True)
class StoryValues:
    """Summary of a whole match."""

    winners: tuple[int, ...]
    """Seats that won, numbered from 1."""
    margin: int
    """VP by which the winner led the next seat that did not forfeit; 0 if several share the win."""
    lead_changes: int
    """Number of times the sole lead passed to another seat, counted at the end of each turn and each bid."""
    decided_by: DecidedBy
    decided_what: str
    """Id of the Djinn, name of the tile, or source of points; otherwise empty."""
    excitement: float
    """Excitement from 0 to 1."""


@dataclass(frozen=True)
class Evaluation:
    """The chances along a match, its turning points, its summary, and what its sowings cost."""

    points: tuple[Point, ...]
    turning_points: tuple[TurningPoint, ...]
    values: StoryValues
    losses: tuple[Loss, ...] = ()


def points_document(
    points: tuple[Point, ...], turning_points: tuple[TurningPoint, ...], losses: tuple[Loss, ...] = ()
) -> dict[str, Any]:
    """Return all three as a JSON object. Chances and errors are in thousandths, losses in tenths of a VP."""
    return {
        "points": [[p.index, [round(_MILLE * c) for c in p.chances], round(_MILLE * p.error)] for p in points],
        "turns": [
            [t.index, t.until, t.round, t.seat, str(t.kind), t.what, t.gain, round(_MILLE * t.swing)]
            for t in turning_points
        ],
        "losses": [[loss.index, loss.seat, round(10 * loss.points)] for loss in losses],
    }


def parse_points(document: dict[str, Any]) -> tuple[tuple[Point, ...], tuple[TurningPoint, ...]]:
    """Read a document written by `points_document`. Chances and errors are exact to the thousandth."""
    points = tuple(
        Point(index, tuple(chance / _MILLE for chance in chances), error / _MILLE)
        for index, chances, error in document["points"]
    )
    turns = tuple(
        TurningPoint(index, until, number, seat, TurningKind(kind), what, gain, swing / _MILLE)
        for index, until, number, seat, kind, what, gain, swing in document["turns"]
    )
    return points, turns


def parse_losses(document: dict[str, Any]) -> tuple[Loss, ...]:
    """Read the losses of a document written by `points_document`. Stories of version 1 have none."""
    return tuple(Loss(index, seat, tenths / 10) for index, seat, tenths in document.get("losses", ()))
