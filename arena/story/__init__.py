"""What happened in a match that has finished: chances to win along it, turning points, and values. Pure.

`values.py` says what a story is, `moments.py` where it looks, `chances.py` how it judges, `turning.py` and `scores.py`
what it tells, `options.py` what a seat could have done instead.
"""

from __future__ import annotations

from arena.story.evaluate import evaluate
from arena.story.options import Option, alternatives, choice_of
from arena.story.values import (
    VERSION,
    DecidedBy,
    Evaluation,
    Kind,
    Point,
    TurningPoint,
    Values,
    parse_points,
    points_document,
)

__all__ = [
    "VERSION",
    "DecidedBy",
    "Evaluation",
    "Kind",
    "Option",
    "Point",
    "TurningPoint",
    "Values",
    "alternatives",
    "choice_of",
    "evaluate",
    "parse_points",
    "points_document",
]
