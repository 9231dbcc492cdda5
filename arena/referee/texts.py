"""Texts written by bots, as the log stores them."""

from __future__ import annotations

from typing import Final

from arena.referee.terms import MAX_NOTE

MAX_SENTENCE: Final = 200
"""Maximum number of characters of a sentence in the log."""


def storable(text: str) -> str:
    """Return a bot's text in a form that any database stores.

    PostgreSQL refuses NUL, and no bot may break its match with one.
    """
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def sentence(text: str) -> str:
    """Return a sentence that may quote a bot, cut to `MAX_SENTENCE` characters."""
    return storable(text)[:MAX_SENTENCE]


def note(text: str) -> str:
    """Return a bot's note, cut to `MAX_NOTE` bytes of UTF-8 at a character boundary."""
    return storable(text).encode()[:MAX_NOTE].decode(errors="ignore")
