"""Evaluate a finished match: each seat's chance to win over time, the turning points, and a summary. Pure.

`values.py` defines what a story holds. `moments.py` picks the states to judge, `chances.py` judges them, `turning.py`
and `scores.py` draw conclusions. `options.py` finds what a seat could have done instead, and
`accuracy.py` what its sowings cost. `finishing.py` plays a
position to its end.
"""

from __future__ import annotations

from arena.story.accuracy import Accuracy, accuracies
from arena.story.chances import chances
from arena.story.evaluate import evaluate
from arena.story.finishing import finish_game
from arena.story.options import Option, alternatives, choice_of, hints, suggestions
from arena.story.values import (
    VERSION,
    DecidedBy,
    Evaluation,
    Loss,
    Point,
    StoryValues,
    TurningKind,
    TurningPoint,
    parse_losses,
    parse_points,
    points_document,
)

__all__ = [
    "VERSION",
    "Accuracy",
    "DecidedBy",
    "Evaluation",
    "Loss",
    "Option",
    "Point",
    "StoryValues",
    "TurningKind",
    "TurningPoint",
    "accuracies",
    "alternatives",
    "chances",
    "choice_of",
    "evaluate",
    "finish_game",
    "hints",
    "parse_losses",
    "parse_points",
    "points_document",
    "suggestions",
]
