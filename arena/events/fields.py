"""Values of a kind read from an event's document, or a `TermsError` that says where it is wrong and what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from unicodedata import category

from arena.events.errors import TermsError

MAX_TEXT: Final = 2000
UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories of what is not seen, or turns what is seen around."""


def object_of(value: Any, where: str, keys: Iterable[str]) -> Mapping[str, Any]:
    """A table or JSON object with no other keys than these."""
    if not isinstance(value, Mapping):
        raise TermsError("BAD_TYPE", where, "must be a table of keys and values")
    if unknown := sorted(map(str, set(value) - set(keys))):
        known = ", ".join(sorted(keys))
        raise TermsError("UNKNOWN_KEY", where, f"unknown: {', '.join(unknown[:5])}; known here: {known}")
    return value


def text_of(value: Any, where: str, *, least: int = 0, most: int = MAX_TEXT) -> str:
    """A text of so many characters, without control characters but line breaks."""
    if not isinstance(value, str) or not least <= len(value) <= most:
        raise TermsError("BAD_TEXT", where, f"must be a text of {least} to {most} characters")
    if any(category(c) in UNSEEN and c != "\n" for c in value):
        raise TermsError("BAD_TEXT", where, "must have no control or formatting characters")
    return value


def number_of(value: Any, where: str, least: int, most: int) -> int:
    """A whole number within these limits; true and false are none."""
    if type(value) is not int or not least <= value <= most:
        raise TermsError("BAD_NUMBER", where, f"must be a whole number from {least} to {most}")
    return value


def flag_of(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TermsError("BAD_TYPE", where, "must be true or false")
    return value


def choice_of(value: Any, where: str, choices: Iterable[str]) -> str:
    """One of a few words."""
    choices = tuple(choices)
    if value not in choices or not isinstance(value, str):
        raise TermsError("BAD_CHOICE", where, f"must be one of {', '.join(choices)}")
    return value


def texts_of(value: Any, where: str, most: int) -> tuple[str, ...]:
    """A list of at most so many different texts."""
    if not isinstance(value, list | tuple) or len(value) > most or not all(isinstance(item, str) for item in value):
        raise TermsError("BAD_TYPE", where, f"must be a list of at most {most} texts")
    if len(set(value)) != len(value):
        raise TermsError("TWICE", where, "something stands there twice")
    return tuple(value)
