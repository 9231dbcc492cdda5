"""Values of pairing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rest:
    """A period during which a bot is left out of the pairing."""

    failures: int
    """Number of offers that it, or a bot of its owner, declined or did not answer within a day."""
    seconds: float
    """Seconds until the rest ends."""
