"""A second, slow implementation of the rules with both expansions: the oracle for the fast one.

It works directly on position documents (`naqala/position/1`), tests every candidate action text one by one, and shares
no code and no data table with `arena.rules`. If the two agree, two independent readings of the specification agree.
"""

from tests.kit.slow.chance import ChanceMismatch, GivenChance, StreamChance
from tests.kit.slow.game import SlowGame, perft
from tests.kit.slow.legal import legal
from tests.kit.slow.play import apply
from tests.kit.slow.score import result, score
from tests.kit.slow.setup import new_position
from tests.kit.slow.sowing import sowings
from tests.kit.slow.stream import Stream
from tests.kit.slow.view import view, view_event

__all__ = [
    "ChanceMismatch",
    "GivenChance",
    "SlowGame",
    "Stream",
    "StreamChance",
    "apply",
    "legal",
    "new_position",
    "perft",
    "result",
    "score",
    "sowings",
    "view",
    "view_event",
]
