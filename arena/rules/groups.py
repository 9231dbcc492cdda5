"""Groups of meeples and hands of cards, packed into integers, and their text forms (notation.md, "letters").

A group has one byte per tribe, a hand six bits per resource. Adding two groups adds them tribe by tribe.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from arena.rules.components import GOODS, RESOURCES, TRIBES

GROUP_BITS = 8
HAND_BITS = 6
UNITS = tuple(1 << GROUP_BITS * tribe for tribe in range(len(TRIBES)))
"""One meeple of each tribe, as a group."""
CARDS = tuple(1 << HAND_BITS * resource for resource in range(len(RESOURCES)))
"""One card of each resource, as a hand."""
GROUP_FIELD = (1 << GROUP_BITS) - 1
HAND_FIELD = (1 << HAND_BITS) - 1


def bit(number: int) -> int:
    """Return the set of one tile, Djinn or other numbered thing. In C, a literal `1 << number` has only 32 bits."""
    one: int = 1
    return one << number


def unit(tribe: int) -> int:
    """Return one meeple of a tribe, as a group. It is `UNITS[tribe]`, computed so that the C compiler sees a number."""
    one: int = 1
    return one << 8 * tribe


def group_size(group: int) -> int:
    """Return the number of meeples in a group: the sum of its digits in base 256, which is the group modulo 255."""
    return group % 255


def count(group: int, tribe: int) -> int:
    """Return how many meeples of the tribe a group holds (1.2)."""
    return group >> 8 * tribe & 255  # GROUP_BITS and GROUP_FIELD, as numbers that a C compiler sees


def tribes_of(group: int) -> list[int]:
    """Return the tribes with at least one meeple in a group, in notation order."""
    return [tribe for tribe in range(len(TRIBES)) if count(group, tribe)]


class Profile(NamedTuple):
    """Properties that decide how a group can be sown: its size, its tribes, and whether it holds two of one tribe."""

    size: int
    tribes: tuple[int, ...]
    pair: bool


@lru_cache(maxsize=1 << 14)
def profile(group: int) -> Profile:
    """Return the profile of a group. Profiles are cached, because the same groups occur again and again."""
    tribes = tuple(tribes_of(group))
    size = group_size(group)
    return Profile(size, tribes, size > len(tribes))


@lru_cache(maxsize=1 << 14)
def format_group(group: int) -> str:
    """Return the letters of a group: `wwr` for two Elders and an Assassin, `-` for the empty group."""
    return "".join(letter * count(group, tribe) for tribe, letter in enumerate(TRIBES)) or "-"


@lru_cache(maxsize=1 << 14)
def parse_group(text: str) -> int:
    """Return the group that a text names. Raise ValueError unless it is in the notation's form."""
    # A byte holds at most 255 meeples of a tribe, and a C number at most eight bytes.
    fits = len(text) <= len(TRIBES) * GROUP_FIELD
    group = sum(UNITS[TRIBES.index(letter)] for letter in text) if text != "-" and fits else 0
    if format_group(group) != text:
        raise ValueError(f"{text!r} is not a group of meeples: letters in the order {TRIBES}, or - for none")
    return group


def cards_of(hand: int, resource: int) -> int:
    """Return how many cards of the resource a hand holds (1.3)."""
    return hand >> 6 * resource & 63  # HAND_BITS and HAND_FIELD, as numbers that a C compiler sees


def hand_of(cards: Iterable[int]) -> int:
    """Return the hand that holds these cards."""
    return sum([CARDS[card] for card in cards])


def hand_size(hand: int) -> int:
    """Return the number of cards in a hand."""
    return hand % HAND_FIELD


def goods_in(hand: int) -> int:
    """Return the kinds of merchandise in a hand, as a mask with one bit per kind: all that a suit can use (3.2 T5)."""
    goods: int = 0
    good: int
    for good in range(len(GOODS)):
        if cards_of(hand, good):
            goods |= bit(good)
    return goods
