"""Readers for values of an event's document.

Each raises a `TermsError` that names the key and what is allowed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from unicodedata import category

from arena.events.errors import TermsError

MAX_TEXT: Final = 2000
UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of invisible characters, and of characters that reorder text."""


def object_of(value: Any, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    """Return a table or JSON object whose keys are all among `keys`."""
    if not isinstance(value, Mapping):
        raise TermsError("BAD_TYPE", where, "must be a table of keys and values")
    if unknown := sorted(map(str, set(value) - set(keys))):
        known = ", ".join(sorted(keys))
        raise TermsError("UNKNOWN_KEY", where, f"unknown keys: {', '.join(unknown[:5])}; allowed keys: {known}")
    return value


def text_of(value: Any, where: str, *, least: int = 0, most: int = MAX_TEXT) -> str:
    """Return a text of `least` to `most` characters. Line breaks are the only control characters allowed."""
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise TermsError("BAD_TEXT", where, f"must be a text of {least} to {most} characters")
    if any(category(c) in UNSEEN and c != "\n" for c in value):
        raise TermsError("BAD_TEXT", where, "must have no control or formatting characters")
    return value


def number_of(value: Any, where: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`; booleans are refused."""
    if type(value) is not int or not least <= value <= most:
        raise TermsError("BAD_NUMBER", where, f"must be a whole number from {least} to {most}")
    return value


def flag_of(value: Any, where: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise TermsError("BAD_TYPE", where, "must be true or false")
    return value


def choice_of(value: Any, where: str, choices: Iterable[str]) -> str:
    """Return one of `choices`."""
    choices = tuple(choices)
    if value not in choices or not isinstance(value, str):
        raise TermsError("BAD_CHOICE", where, f"must be one of {', '.join(choices)}")
    return value


def texts_of(value: Any, where: str, most: int) -> tuple[str, ...]:
    """Return a list of at most `most` different texts."""
    if not isinstance(value, list | tuple) or len(value) > most or not all(isinstance(item, str) for item in value):
        raise TermsError("BAD_TYPE", where, f"must be a list of at most {most} texts")
    if len(set(value)) != len(value):
        raise TermsError("TWICE", where, "must not contain the same text twice")
    return tuple(value)
