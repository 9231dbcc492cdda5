"""Ids of requests to the site: in every line that is logged for one, and in the answer."""

from __future__ import annotations

import re
import secrets
from typing import Final

HEADER: Final = "X-Request-ID"
SCOPE_KEY: Final = "arena.request_id"
"""The key of a request's scope under which its server puts what a proxy calls it, and of Django's `META` under which
its id is."""
_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def is_request_id(text: str) -> bool:
    """Whether a proxy's id is one that goes into logs and headers as it is."""
    return _ID.fullmatch(text) is not None


def new_request_id() -> str:
    """Random, 16 hexadecimal digits."""
    return secrets.token_hex(8)
