"""Matchmaking: which bots play each other.

The package is pure: it takes the load and a random stream, and returns pairings.
"""

from arena.scheduling.ladder import (
    FAILURES_COUNT_S,
    NEWCOMER_GAMES,
    OWNER_SHARE,
    Candidate,
    LadderPairing,
    Load,
    RandomNumbers,
    TableFormat,
    information,
    next_matches,
    rest_s,
)

__all__ = [
    "FAILURES_COUNT_S",
    "NEWCOMER_GAMES",
    "OWNER_SHARE",
    "Candidate",
    "LadderPairing",
    "Load",
    "RandomNumbers",
    "TableFormat",
    "information",
    "next_matches",
    "rest_s",
]
