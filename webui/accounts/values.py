"""Values of accounts: acts of the audit log, actors, sessions, second factors and tokens."""

import hashlib
import secrets
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

# The form of tokens and recovery codes, the scopes of tokens, and the hashes that are stored.


TOKEN_START = "naqala_"
"""Start of every token, by which people and secret scanners recognise one."""

API_TOKEN_START = TOKEN_START + "api_"
"""Start of every API token."""

SHOWN_LENGTH = 4
"""Number of characters after the start that are shown to the owner later."""
BOT_SCOPES = ("play",)
API_SCOPES = ("read", "bots", "challenges", "events", "webhooks")


def new_token(start: str = TOKEN_START) -> str:
    """Return a new token: the start, and 256 random bits."""
    return start + secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """Return the SHA-256 of a token, in hex. Nobody can guess a token, so it needs no slow hash as passwords do."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_recovery_code() -> str:
    """Return 80 random bits in four groups, which can be written down on paper."""
    text = b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join(text[at : at + 4] for at in range(0, 16, 4))


def recovery_digest(code: str) -> str:
    """Return the SHA-256, in hex, of a recovery code; case, spaces and hyphens do not matter.

    Nobody can guess a code, so it needs no slow hash either.
    """
    return hashlib.sha256(code.lower().replace("-", "").replace(" ", "").encode()).hexdigest()


class Act(StrEnum):
    """An act that the audit log records."""

    ACCOUNT_MADE = "ACCOUNT_MADE"
    ACCOUNT_ERASED = "ACCOUNT_ERASED"
    SIGNED_IN = "SIGNED_IN"
    SIGNED_IN_ELSEWHERE = "SIGNED_IN_ELSEWHERE"
    """Sign-in from a browser in which the user had never signed in."""
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
    """Change of a bot's description."""
    BOT_RETIRED = "BOT_RETIRED"
    """Retirement of a bot or of one of its versions."""
    BOT_RETURNED = "BOT_RETURNED"
    """Return of a bot, or of one of its versions, from retirement."""
    SOURCE_PUBLISHED = "SOURCE_PUBLISHED"
    """Publication of the source of a hosted version."""
    SOURCE_UNPUBLISHED = "SOURCE_UNPUBLISHED"
    CHALLENGES_SET = "CHALLENGES_SET"
    """Change of the setting that says from whom a bot accepts challenges."""
    TOKEN_ISSUED = "TOKEN_ISSUED"
    TOKEN_REVOKED = "TOKEN_REVOKED"
    WEBHOOK_ADDED = "WEBHOOK_ADDED"
    WEBHOOK_CHANGED = "WEBHOOK_CHANGED"
    WEBHOOK_REMOVED = "WEBHOOK_REMOVED"
    WEBHOOK_SECRET_MADE = "WEBHOOK_SECRET_MADE"
    """New secret for a webhook that already has one."""
    EVENT_SHARED = "EVENT_SHARED"
    """Sharing of an event: the account becomes a co-organiser."""
    EVENT_UNSHARED = "EVENT_UNSHARED"
    EVENT_HANDED_OVER = "EVENT_HANDED_OVER"
    """Handover of an event to the account."""
    ROLE_CHANGED = "ROLE_CHANGED"
    """Change of the role and rights of staff."""
    PASSWORD_LINK_SENT = "PASSWORD_LINK_SENT"
    """Link for a new password that staff sent to the confirmed address."""
    USER_LOCKED = "USER_LOCKED"
    USER_UNLOCKED = "USER_UNLOCKED"
    USER_MESSAGED = "USER_MESSAGED"
    BOT_LOCKED = "BOT_LOCKED"
    BOT_UNLOCKED = "BOT_UNLOCKED"
    SOURCE_TAKEN_DOWN = "SOURCE_TAKEN_DOWN"
    """Published source of a hosted version that staff took down."""
    BOT_CORRECTED = "BOT_CORRECTED"
    """Correction of a bot's name and description by staff."""
    MATCH_VOIDED = "MATCH_VOIDED"
    """Voiding of a match by staff or the operator. If the arena itself voids a match, only the match states the
    reason.
    """
    MATCH_AGAIN = "MATCH_AGAIN"
    """New match in place of one that ended without a result."""
    SUBMISSION_WITHDRAWN = "SUBMISSION_WITHDRAWN"
    """Withdrawal of a version that was handed in, by staff."""
    SUBMISSION_LOCKED = "SUBMISSION_LOCKED"
    SUBMISSION_UNLOCKED = "SUBMISSION_UNLOCKED"
    RUNNER_PAUSED = "RUNNER_PAUSED"
    RUNNER_RESUMED = "RUNNER_RESUMED"
    RUNNER_REVOKED = "RUNNER_REVOKED"
    HOSTING_PAUSED = "HOSTING_PAUSED"
    HOSTING_RESUMED = "HOSTING_RESUMED"
    LADDER_CHANGED = "LADDER_CHANGED"
    """Change of how the matchmaker schedules a game, or of how far spectators are behind."""


STAFF_ACTS = (
    Act.ROLE_CHANGED,
    Act.PASSWORD_LINK_SENT,
    Act.USER_LOCKED,
    Act.USER_UNLOCKED,
    Act.USER_MESSAGED,
    Act.BOT_LOCKED,
    Act.BOT_UNLOCKED,
    Act.SOURCE_TAKEN_DOWN,
    Act.BOT_CORRECTED,
    Act.MATCH_VOIDED,
    Act.MATCH_AGAIN,
    Act.LADDER_CHANGED,
    Act.SUBMISSION_WITHDRAWN,
    Act.SUBMISSION_LOCKED,
    Act.SUBMISSION_UNLOCKED,
    Act.RUNNER_PAUSED,
    Act.RUNNER_RESUMED,
    Act.RUNNER_REVOKED,
    Act.HOSTING_PAUSED,
    Act.HOSTING_RESUMED,
)
"""Acts of the people who run the arena, on what belongs to others."""
RENAMING_ACTS = (Act.ACCOUNT_ERASED, Act.BOT_CORRECTED)
"""Acts that may change the name of a user or of a bot. No other act does."""


@dataclass(frozen=True)
class Actor:
    """The author of an act, and the address from which it was done."""

    user_id: int | None
    address: str = ""
    """IPv4 address, or the /64 of an IPv6 address. Empty if it is not known."""


OPERATOR = Actor(None)
"""The operator at the command line, or the arena itself."""


@dataclass(frozen=True)
class AuditLine:
    """An entry of the audit log."""

    id: int
    at: datetime
    actor: str
    """Name of the user. Empty for the operator and the arena itself."""
    account: str
    act: Act
    subject: str
    address: str
    reason: str = ""
    """Reason given for an act of staff."""
    changes: Mapping[str, Sequence[Any]] | None = None
    """Values before and after an act of staff, by name."""


@dataclass(frozen=True)
class Passkey:
    """A passkey as its owner sees it."""

    id: int
    name: str
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True)
class SecondFactors:
    """The second factors of a user."""

    has_app: bool
    passkeys: list[Passkey]
    codes_left: int
    """Number of unused recovery codes."""

    @property
    def are_on(self) -> bool:
        """Return whether a sign-in needs more than the password."""
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
    """The recipient of emails about an account."""

    pk: int
    """Id of the user."""
    username: str
    email: str
    """Email address. Empty if nobody receives emails."""
    language: str
    """Language of the emails. Empty if none was chosen."""


@dataclass(frozen=True)
class BotIdentity:
    """The bot that a token belongs to."""

    bot_id: int
    bot_name: str
    owner_id: int
    token_id: int
    is_house: bool


@dataclass(frozen=True)
class Caller:
    """A program that calls the HTTP API with a token."""

    user_id: int
    token_id: int
    scopes: frozenset[str]
    bot: BotIdentity | None
    """Bot whose token it is, and for which alone it speaks. None for an API token, which speaks for the user."""


@dataclass(frozen=True)
class NewToken:
    """A new token in clear text. It is shown once and not stored."""

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
        """Return whether the token can still be used."""
        return self.revoked_at is None and not self.has_expired


@dataclass(frozen=True)
class AnsweredWrite:
    """The answer of the HTTP API to a write."""

    status: int
    body: str
