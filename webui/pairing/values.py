"""Values of pairing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rest:
    """A bot is left out of the pairing for a while."""

    failures: int
    """Offers that it, or a bot of its owner, declined or did not answer within a day."""
    seconds: float
    """From now."""
