"""Values of fairness reports."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suspicion:
    """Two accounts that may have the same owner."""

    accounts: tuple[str, str]
    reasons: tuple[str, ...]
    """Reasons for the suspicion, in English."""
