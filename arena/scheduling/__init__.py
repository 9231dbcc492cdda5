"""Who plays whom. Pure: the state of things and a stream of chance in, pairings out."""

from arena.scheduling.ladder import (
    FAILURES_COUNT_S,
    NEWCOMER_GAMES,
    Candidate,
    Chance,
    Format,
    Load,
    Pairing,
    information,
    next_matches,
    rest_s,
)

__all__ = [
    "FAILURES_COUNT_S",
    "NEWCOMER_GAMES",
    "Candidate",
    "Chance",
    "Format",
    "Load",
    "Pairing",
    "information",
    "next_matches",
    "rest_s",
]
