"""Values of fairness reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suspicion:
    """Two accounts that may have one owner."""

    accounts: tuple[str, str]
    reasons: tuple[str, ...]
    """What the guess rests on, in English."""
