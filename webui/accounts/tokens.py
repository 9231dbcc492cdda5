"""The form of tokens and recovery codes, the scopes of tokens, and the hashes that are stored."""

import hashlib
import secrets
from base64 import b32encode

TOKEN_START = "naqala_"  # noqa: S105 - no token
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
