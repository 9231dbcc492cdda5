"""Values of the stories of finished matches."""

from dataclasses import dataclass

from arena.story import Loss, Point, TurningPoint


@dataclass(frozen=True)
class StorySummary:
    """The values of a finished match, as lists, previews and channels show them."""

    excitement: float
    """Excitement, 0 to 1: how close the match was, how long it was open, and how often it turned."""
    lead_changes: int
    """Number of times that another seat was alone in the lead at the end of a turn."""
    margin: int
    """VP by which the winner is ahead of the next seat that did not forfeit. 0 if several seats share the win."""
    winners: tuple[int, ...]
    """Seats that won, from 1."""
    decided_by: str
    """Kind of thing that alone made up the margin, a `DecidedBy` (`arena.story`)."""
    decided_what: str
    """Id of that Djinn, name of that tile, or that source of points. Empty for other kinds."""


@dataclass(frozen=True)
class StoryPage:
    """The whole story of a match, for its page."""

    summary: StorySummary
    points: tuple[Point, ...]
    """Chances to win, from the set-up to the end."""
    turning_points: tuple[TurningPoint, ...]
    """Turning points, in the order of the match."""
    losses: tuple[Loss, ...]
    """Losses of the sowings, in the order of the match."""
