"""Checked access to groups, hands and sets of tiles, for bots: the functions of groups.py and geometry.py with checks.

The rules trust their own numbers. A bot may pass something that is not a whole number, or a number that no group has.
"""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from arena.rules import geometry, groups
from arena.rules.components import RESOURCES, TRIBES
from arena.rules.notation import TILE_NAMES


def count(group: SupportsIndex, tribe: SupportsIndex) -> int:
    """Return how many meeples of the tribe a group holds (1.2). Raise `ValueError` for an invalid group or tribe.

    >>> state = start(Ruleset(2), bytes(32))
    >>> {letter: count(state.meeples[0], tribe) for tribe, letter in enumerate(TRIBES)}
    {'y': 1, 'w': 1, 'g': 0, 'b': 0, 'r': 1, 'p': 0}
    """
    return groups.count(
        _checked("a group", group, 1 << groups.GROUP_BITS * len(TRIBES)), _checked("a tribe", tribe, len(TRIBES))
    )


def cards_of(hand: SupportsIndex, resource: SupportsIndex) -> int:
    """Return how many cards of the resource a hand holds (1.3). Raise `ValueError` for an invalid hand or resource.

    >>> seat = start(Ruleset(2), bytes(32)).seats[0]
    >>> cards_of(seat.hand, RESOURCES.index("fish"))
    0
    """
    return groups.cards_of(
        _checked("a hand", hand, 1 << groups.HAND_BITS * len(RESOURCES)),
        _checked("a resource", resource, len(RESOURCES)),
    )


def goods_in(hand: SupportsIndex) -> int:
    """Return the kinds of merchandise in a hand, as a mask with one bit per kind: all that a suit can use (3.2 T5).

    Raise `ValueError` for an invalid hand.

    >>> goods_in(start(Ruleset(2), bytes(32)).seats[0].hand).bit_count()
    0
    """
    return groups.goods_in(_checked("a hand", hand, 1 << groups.HAND_BITS * len(RESOURCES)))


def tiles_of(mask: SupportsIndex) -> list[int]:
    """Return the tiles of a set, ascending as actions are listed. Raise `ValueError` for any other value.

    >>> state = start(Ruleset(2), bytes(32))
    >>> [TILE_NAMES[tile] for tile in tiles_of(state.board.of_kind("oasis"))]
    ['A2', 'A4', 'A5', 'B4', 'C5', 'E3']
    """
    return geometry.tiles_of(_checked("a set of tiles", mask, 1 << len(TILE_NAMES)))


def _checked(what: str, value: SupportsIndex, end: int) -> int:
    """Return the value as a number from 0 to `end - 1`. Raise `TypeError` unless it is a whole number."""
    number = index(value)
    if not 0 <= number < end:
        raise ValueError(f"{what} is a number from 0 to {end - 1}, not {number}")
    return number
