"""Ids of requests to the site. They are in every log line of a request, and in its answer."""

from __future__ import annotations

import re
import secrets
from typing import Final

HEADER: Final = "X-Request-ID"
SCOPE_KEY: Final = "arena.request_id"
"""Key of the request's id: in the scope, where the server puts the proxy's id, and in Django's `META`."""
_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def is_request_id(text: str) -> bool:
    """Return whether a proxy's id may be used unchanged in logs and headers."""
    return _ID.fullmatch(text) is not None


def new_request_id() -> str:
    """Return a random id of 16 hexadecimal digits."""
    return secrets.token_hex(8)
