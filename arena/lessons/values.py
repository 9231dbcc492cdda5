"""Results of a lesson's check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonFinding:
    """One decision that a check has judged, or one game."""

    index: int
    """Index of the decision in the record. -1 for a game."""
    played: str
    """Action that the bot played."""
    best: str
    """Action that was expected."""
    got: int
    """What the bot's action brought: points, kinds of goods or viziers."""
    most: int
    """What the expected action brings. In a game: the points of the opponent."""


@dataclass(frozen=True, slots=True)
class LessonVerdict:
    """The result of a check."""

    is_passed: bool
    judged: int
    """Number of decisions or games that were judged."""
    right: int
    """Number of them that were as expected."""
    least: int
    """Number of decisions that must be judged, or of games that must be won."""
    faults: int = 0
    """Number of faults of the bot. A lesson is passed without any."""
    findings: tuple[LessonFinding, ...] = ()
    """The first decisions that were not as expected, or all games."""
    share: int = 0
    """Lesson 5: percentage of the points of the best turns that the bot has got."""
