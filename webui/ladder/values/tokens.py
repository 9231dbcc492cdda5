"""Tokens, who shows them, and what was answered."""

from dataclasses import dataclass
from datetime import datetime


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
