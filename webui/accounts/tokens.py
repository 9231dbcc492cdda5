"""The form of tokens and recovery codes, the scopes of tokens, and what is kept of them."""

import hashlib
import secrets
from base64 import b32encode

TOKEN_START = "naqala_"  # noqa: S105 - no token
"""Every token begins with it, so that people and secret scanners recognise one."""

API_TOKEN_START = TOKEN_START + "api_"
"""So does every API token."""

SHOWN_LENGTH = 4
"""Characters after the start that its owner sees later."""
BOT_SCOPES = ("play",)
API_SCOPES = ("read", "bots", "challenges", "events", "webhooks")


def new_token(start: str = TOKEN_START) -> str:
    """256 random bits after the start."""
    return start + secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """SHA-256, hex. A token cannot be guessed, so it needs no slow hash as a password does."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_recovery_code() -> str:
    """80 random bits in four groups, to be written down on paper."""
    text = b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join(text[at : at + 4] for at in range(0, 16, 4))


def recovery_digest(code: str) -> str:
    """SHA-256, hex, of a recovery code however it is typed. It cannot be guessed, so it needs no slow hash either."""
    return hashlib.sha256(code.lower().replace("-", "").replace(" ", "").encode()).hexdigest()
