"""What is agreed before a match begins: clock, policy, ruleset, the server's secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

from arena.rules import Ruleset

MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000
"""Times are in nanoseconds."""
MAX_NONCE: Final = 32
"""Bytes of a nonce."""
NONCE_HASH: Final = 32
"""Bytes of the hash of a nonce (SHA-256)."""
MAX_NOTE: Final = 1024
"""Bytes of a note that are kept."""


@dataclass(frozen=True, slots=True)
class _Document:
    """A value written as a JSON object of its fields; a missing field has its default, an unknown one is refused."""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def parse(cls, document: Mapping[str, Any]) -> Self:
        """From JSON."""
        unknown = set(document) - {f.name for f in fields(cls)}
        if unknown:
            raise ValueError(f"unknown in a {cls.__name__.lower()}: {', '.join(sorted(unknown))}")
        return cls(**document)


@dataclass(frozen=True, slots=True)
class Clock(_Document):
    """Thinking time of a seat."""

    bank_ms: int = 60_000
    """What it has when the match begins."""
    increment_ms: int = 1_000
    """Added when a bid or a player turn of the seat begins; never per ask, so that batches cost nothing."""
    cap_ms: int = 10_000
    """The most that one ask may take."""

    def __post_init__(self) -> None:
        if self.bank_ms < 0 or self.increment_ms < 0 or self.cap_ms <= 0:
            raise ValueError(f"no clock can be set to {self}")


@dataclass(frozen=True, slots=True)
class Policy(_Document):
    """What happens to a seat that does not play as it should."""

    strikes: int = 3
    """Each fault costs one; with so many the seat forfeits."""
    grace_ms: int = 60_000
    """How long a seat may be gone over the whole match."""
    offer_ms: int = 10_000
    """How long a bot may take to accept the match, and then to reveal its nonce."""
    house: str = "greedy"
    """The house player that plays on for a seat that has forfeited."""

    def __post_init__(self) -> None:
        if self.strikes < 1 or self.grace_ms < 0 or self.offer_ms <= 0:
            raise ValueError(f"no policy can be {self}")


@dataclass(frozen=True, slots=True)
class Terms:
    """All that a referee knows of a match before its log begins."""

    match: str
    ruleset: Ruleset
    server_seed: bytes
    clock: Clock = Clock()
    policy: Policy = Policy()
    deal: bytes | None = None

    @property
    def seats(self) -> range:
        """The seats, from 1."""
        return range(1, self.ruleset.players + 1)
