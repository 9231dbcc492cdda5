"""What is told of a match that has finished."""

from dataclasses import dataclass

from arena.story import Point, TurningPoint


@dataclass(frozen=True)
class StorySummary:
    """The values of a finished match: all that a list, a preview or a channel tells of it."""

    excitement: float
    """0 to 1: how close it was, how long it was open, and how often it turned."""
    lead_changes: int
    """How often another seat led alone at the end of a turn."""
    margin: int
    """VP of the winner above the next seat that did not forfeit; 0 where several share the win."""
    winners: tuple[int, ...]
    """The seats that won, from 1."""
    decided_by: str
    """What alone made up the margin: a `DecidedBy` (`arena.story`)."""
    decided_what: str
    """The id of that Djinn, the name of that tile, that source of points; else empty."""


@dataclass(frozen=True)
class StoryPage:
    """A whole story, for the page of its match."""

    summary: StorySummary
    points: tuple[Point, ...]
    """Chances to win, from the set-up to the end."""
    turning_points: tuple[TurningPoint, ...]
    """In the order of the match."""
