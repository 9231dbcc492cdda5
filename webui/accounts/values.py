"""Values of accounts: acts of the audit log, actors, sessions, second factors and tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Act(StrEnum):
    """What the audit log tells of."""

    ACCOUNT_MADE = "ACCOUNT_MADE"
    ACCOUNT_ERASED = "ACCOUNT_ERASED"
    SIGNED_IN = "SIGNED_IN"
    SIGNED_IN_ELSEWHERE = "SIGNED_IN_ELSEWHERE"
    """From a browser in which the user had never signed in."""
    SESSION_ENDED = "SESSION_ENDED"
    PASSWORD_CHANGED = "PASSWORD_CHANGED"
    EMAIL_CHANGED = "EMAIL_CHANGED"
    EMAIL_VERIFIED = "EMAIL_VERIFIED"
    APP_ADDED = "APP_ADDED"
    APP_REMOVED = "APP_REMOVED"
    PASSKEY_ADDED = "PASSKEY_ADDED"
    PASSKEY_REMOVED = "PASSKEY_REMOVED"
    CODES_MADE = "CODES_MADE"
    CODE_USED = "CODE_USED"
    DATA_EXPORTED = "DATA_EXPORTED"
    BOT_REGISTERED = "BOT_REGISTERED"
    BOT_PAUSED = "BOT_PAUSED"
    BOT_RESUMED = "BOT_RESUMED"
    BOT_CHANGED = "BOT_CHANGED"
    """Its description."""
    BOT_RETIRED = "BOT_RETIRED"
    """Or a version of it."""
    BOT_RETURNED = "BOT_RETURNED"
    """Or a version of it, from retirement."""
    CHALLENGES_SET = "CHALLENGES_SET"
    """Whose challenges a bot accepts."""
    TOKEN_ISSUED = "TOKEN_ISSUED"
    TOKEN_REVOKED = "TOKEN_REVOKED"
    WEBHOOK_ADDED = "WEBHOOK_ADDED"
    WEBHOOK_CHANGED = "WEBHOOK_CHANGED"
    WEBHOOK_REMOVED = "WEBHOOK_REMOVED"
    WEBHOOK_SECRET_MADE = "WEBHOOK_SECRET_MADE"
    """A new one for a webhook that has one."""
    EVENT_SHARED = "EVENT_SHARED"
    """The account organises an event, too."""
    EVENT_UNSHARED = "EVENT_UNSHARED"
    EVENT_HANDED_OVER = "EVENT_HANDED_OVER"
    """To the account."""
    ROLE_CHANGED = "ROLE_CHANGED"
    """Role and rights of staff."""
    PASSWORD_LINK_SENT = "PASSWORD_LINK_SENT"
    """By staff, to the confirmed address."""
    USER_LOCKED = "USER_LOCKED"
    USER_UNLOCKED = "USER_UNLOCKED"
    USER_MESSAGED = "USER_MESSAGED"
    BOT_LOCKED = "BOT_LOCKED"
    BOT_UNLOCKED = "BOT_UNLOCKED"
    BOT_CORRECTED = "BOT_CORRECTED"
    """Its name and description, by staff."""
    MATCH_VOIDED = "MATCH_VOIDED"
    """By staff or the operator; what the arena voids itself is in the match's own reason."""
    MATCH_AGAIN = "MATCH_AGAIN"
    """A new match in the place of one that ended without a result."""
    LADDER_CHANGED = "LADDER_CHANGED"
    """How the matchmaker plays a game, or how far spectators are behind."""


STAFF_ACTS = (
    Act.ROLE_CHANGED,
    Act.PASSWORD_LINK_SENT,
    Act.USER_LOCKED,
    Act.USER_UNLOCKED,
    Act.USER_MESSAGED,
    Act.BOT_LOCKED,
    Act.BOT_UNLOCKED,
    Act.BOT_CORRECTED,
    Act.MATCH_VOIDED,
    Act.MATCH_AGAIN,
    Act.LADDER_CHANGED,
)
"""What the people who run the arena do with what is not theirs."""


@dataclass(frozen=True)
class Actor:
    """Who does something, and from where."""

    user_id: int | None
    address: str = ""
    """An IPv4 address, or the /64 of an IPv6 address; empty if it is not known."""


OPERATOR = Actor(None)
"""The operator at the command line, or the arena itself."""


@dataclass(frozen=True)
class AuditLine:
    """An entry of the audit log."""

    id: int
    at: datetime
    actor: str
    """Name of the user; empty for the operator and the arena itself."""
    account: str
    act: Act
    subject: str
    address: str
    reason: str = ""
    """Of an act of staff: why."""
    changes: Mapping[str, Sequence[Any]] | None = None
    """Of an act of staff: what was before and after, by name."""


@dataclass(frozen=True)
class Passkey:
    """A passkey as its owner sees it."""

    id: int
    name: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True)
class SecondFactors:
    """What a user signs in with beside the password."""

    has_app: bool
    passkeys: list[Passkey]
    codes_left: int
    """Recovery codes that are not used yet."""

    @property
    def are_on(self) -> bool:
        """Whether the password alone does not sign in."""
        return self.has_app or bool(self.passkeys)


@dataclass(frozen=True)
class SessionLine:
    """A browser in which a user is signed in."""

    id: int
    session_key: str
    address: str
    agent: str
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True)
class Contact:
    """Who gets emails about an account."""

    pk: int
    """The id of the user."""
    username: str
    email: str
    """Empty: nobody."""
    language: str
    """Empty: none was chosen."""


@dataclass(frozen=True)
class BotIdentity:
    """Who a bot's token belongs to."""

    bot_id: int
    bot_name: str
    owner_id: int
    token_id: int
    is_house: bool


@dataclass(frozen=True)
class Caller:
    """Who shows a token to the HTTP API."""

    user_id: int
    token_id: int
    scopes: frozenset[str]
    bot: BotIdentity | None
    """The token is this bot's, and speaks for it alone; None: it is an API token, and speaks for the user."""


@dataclass(frozen=True)
class NewToken:
    """A token in clear text, to be shown once and forgotten."""

    token_id: int
    token: str


@dataclass(frozen=True)
class TokenLine:
    """A token as its owner sees it later."""

    id: int
    prefix: str
    label: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    last_address: str
    revoked_at: datetime | None
    has_expired: bool

    @property
    def is_valid(self) -> bool:
        """Whether it still opens anything."""
        return self.revoked_at is None and not self.has_expired


@dataclass(frozen=True)
class Answered:
    """What the HTTP API answered to a write."""

    status: int
    body: str
