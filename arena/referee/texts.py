"""Texts that bots write, as the log keeps them."""

from __future__ import annotations

from typing import Final

from arena.referee.terms import MAX_NOTE

MAX_SENTENCE: Final = 200
"""Characters of a sentence in the log."""


def storable(text: str) -> str:
    """What a bot wrote, as any database keeps it: PostgreSQL refuses NUL, and no bot may break its match with one."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def sentence(text: str) -> str:
    """A sentence that may quote a bot, cut to `MAX_SENTENCE` characters."""
    return storable(text)[:MAX_SENTENCE]


def note(text: str) -> str:
    """A bot's note, cut to `MAX_NOTE` bytes of UTF-8 at a character."""
    return storable(text).encode()[:MAX_NOTE].decode(errors="ignore")
