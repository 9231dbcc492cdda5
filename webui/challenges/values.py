"""Challenges: what is asked for, and how pages show it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webui.bots.values import BotRef, VersionRef
from webui.core.errors import Refusal


class ChallengeRefusal(Refusal):
    """A challenge is not allowed."""

    code = "CHALLENGE_REFUSAL"


MOST_AT_ONCE = 4
"""How many challenges of others a bot plays at the same time, at most; its owner may set less."""


@dataclass(frozen=True)
class WantedSeat:
    """A bot at a seat that is asked for, with the id of its version; None: the newest one that is online."""

    bot_id: int
    version_id: int | None = None


@dataclass(frozen=True)
class ChallengeSeatLine:
    """A seat of a challenge."""

    seat: int
    bot: BotRef
    version: VersionRef | None


@dataclass(frozen=True)
class ChallengeLine:
    """A challenge, with its match if it has one."""

    id: str
    owner_id: int
    owner: str
    ruleset: Mapping[str, Any]
    state: str
    created_at: datetime
    expires_at: datetime
    """If it still waits then."""
    seats: tuple[ChallengeSeatLine, ...]
    match: str | None
    match_state: str
    """Empty without a match."""
    placements: tuple[int, ...]
    """Seat 1 first; empty while the match has no result."""


@dataclass(frozen=True)
class AcceptedChallenges:
    """Whose challenges a bot accepts."""

    accepts: str
    at_once: int
    friends: tuple[str, ...]
    """Names of accounts, in their order."""
