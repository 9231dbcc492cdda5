"""Texts written by bots, as the log stores them."""

from __future__ import annotations

import re
from typing import Final

from arena.referee.terms import MAX_NOTE

MAX_SENTENCE: Final = 200
"""Maximum number of characters of a sentence in the log."""
CONTROLS: Final = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")
"""Characters that steer a terminal or turn the direction of a text. Line feeds and tabs are not among them."""

SPACES: Final = str.maketrans("\n\t", "  ")


def harmless(text: str) -> str:
    """Return a bot's text without control characters, which could act on the terminal or page that shows it.

    PostgreSQL refuses NUL, too, and no bot may break its match with one.
    """
    return CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def sentence(text: str) -> str:
    """Return a sentence that may quote a bot, in one line and cut to `MAX_SENTENCE` characters."""
    return harmless(text[:MAX_SENTENCE]).translate(SPACES)


def note(text: str) -> str:
    """Return a bot's note, cut to `MAX_NOTE` bytes of UTF-8 at a character boundary."""
    return harmless(text[:MAX_NOTE]).encode()[:MAX_NOTE].decode(errors="ignore")
