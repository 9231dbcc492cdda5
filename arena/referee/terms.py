"""The terms of a match, fixed before it begins: clock, policy, ruleset, and the server's secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

from arena.rules import Ruleset

MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000
"""Units of times, which are in nanoseconds."""
MAX_NONCE: Final = 32
"""Maximum number of bytes of a nonce."""
NONCE_HASH: Final = 32
"""Number of bytes of the hash of a nonce (SHA-256)."""
MAX_NOTE: Final = 1024
"""Maximum number of bytes of a note that are kept."""
MAX_CREDIT_MS: Final = 2_000
"""Maximum time of the network that one seat is not charged for in one match. The increment covers the rest."""


@dataclass(frozen=True, slots=True)
class _Document:
    """A value written as a JSON object of its fields. A missing field has its default; an unknown one is refused."""

    def document(self) -> dict[str, Any]:
        """Return the value as JSON."""
        return asdict(self)

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> Self:
        """Parse the value from JSON. Raise `ValueError` for an unknown field or an impossible value."""
        unknown = set(document) - {f.name for f in fields(cls)}
        if unknown:
            raise ValueError(f"unknown keys of a {cls.__name__.lower()}: {', '.join(sorted(unknown))}")
        return cls(**document)


@dataclass(frozen=True, slots=True)
class Clock(_Document):
    """Thinking time of a seat."""

    bank_ms: int = 60_000
    """Time of a seat when the match begins."""
    increment_ms: int = 1_000
    """Time added when a bid or a player turn of the seat begins. It is not added for each ask, so batches cost
    nothing."""
    cap_ms: int = 10_000
    """Maximum time for one ask."""

    def __post_init__(self) -> None:
        if self.bank_ms < 0 or self.increment_ms < 0 or self.cap_ms <= 0:
            raise ValueError(f"invalid clock: {self}")


@dataclass(frozen=True, slots=True)
class Policy(_Document):
    """Consequences for a seat that breaks the rules."""

    strikes: int = 3
    """Number of faults with which a seat forfeits."""
    grace_ms: int = 60_000
    """Time that a seat may be away over the whole match."""
    offer_ms: int = 10_000
    """Time that a bot may take to accept the match, and then to reveal its nonce."""
    house: str = "greedy"
    """House player that plays on for a seat that has forfeited."""

    def __post_init__(self) -> None:
        if self.strikes < 1 or self.grace_ms < 0 or self.offer_ms <= 0:
            raise ValueError(f"invalid policy: {self}")


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that a referee knows about a match before its log begins."""

    match: str
    ruleset: Ruleset
    server_seed: bytes
    clock: Clock = Clock()
    policy: Policy = Policy()
    deal: bytes | None = None

    @property
    def seats(self) -> range:
        """Numbers of the seats, from 1."""
        return range(1, self.ruleset.players + 1)
