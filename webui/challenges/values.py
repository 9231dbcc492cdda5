"""Values of challenges: requests, and lines for pages."""

from dataclasses import dataclass
from datetime import datetime

from arena.rules import Ruleset
from webui.bots.values import BotRef, VersionRef
from webui.core.errors import Refusal


class ChallengeRefusal(Refusal):
    """The challenge is not allowed."""

    code = "CHALLENGE_REFUSAL"


MOST_AT_ONCE = 4
"""Maximum number of others' challenges that a bot plays at the same time. Its owner may set a lower one."""


@dataclass(frozen=True)
class WantedSeat:
    """A bot that is requested for a seat, with the id of its version. None: the newest version that is online."""

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
    ruleset: Ruleset
    state: str
    created_at: datetime
    expires_at: datetime
    """Time at which it expires if it still waits."""
    seats: tuple[ChallengeSeatLine, ...]
    match: str | None
    match_state: str
    """State of the match. Empty if there is none."""
    placements: tuple[int, ...]
    """Placements, seat 1 first. Empty while the match has no result."""


@dataclass(frozen=True)
class AcceptedChallenges:
    """The challenges that a bot accepts."""

    accepts: str
    at_once: int
    friends: tuple[str, ...]
    """Names of accounts, sorted."""
