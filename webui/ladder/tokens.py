"""The form of a token, and what is kept of it."""

import hashlib
import secrets

TOKEN_START = "naqala_"  # noqa: S105 - no token
"""Every token begins so: secret scanners and people know it for what it is."""

PREFIX_LENGTH = len(TOKEN_START) + 4
SCOPES = ("play",)


def new_token() -> str:
    """256 random bits after the start."""
    return TOKEN_START + secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """SHA-256, hex. A token cannot be guessed, so it needs no slow hash as a password does."""
    return hashlib.sha256(token.encode()).hexdigest()
