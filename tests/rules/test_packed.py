"""The functions that read packed numbers for bots raise one error for invalid numbers, in both forms of the rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.rules import RESOURCES, TRIBES, cards_of, count, goods_in, tiles_of


def test_by_hand() -> None:
    """The group has three of the last tribe and one of the first; the hand two of the last resource, one of the
    first.
    """
    group, hand = (3 << 40) + 1, (2 << 54) + 1
    assert [count(group, tribe) for tribe in range(len(TRIBES))] == [1, 0, 0, 0, 0, 3]
    assert [cards_of(hand, resource) for resource in range(len(RESOURCES))] == [1, *[0] * 8, 2]
    assert (goods_in(hand), tiles_of(1 << 41 | 1)) == (1, [0, 41])


@pytest.mark.parametrize(
    ("read", "numbers", "named"),
    [
        (count, (1, 8), "a tribe is a number from 0 to 5, not 8"),
        (count, (1, -1), "a tribe is"),
        (count, (2**70, 0), "a group is"),
        (cards_of, (1, 10), "a resource is a number from 0 to 9, not 10"),
        (cards_of, (-1, 0), "a hand is"),
        (goods_in, (2**70,), "a hand is"),
        (tiles_of, (-1,), "a set of tiles is"),
        (tiles_of, (2**70,), "a set of tiles is"),
    ],
)
def test_a_number_out_of_range(read: Callable[..., object], numbers: tuple[int, ...], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        read(*numbers)


@pytest.mark.parametrize(
    ("read", "numbers"),
    [(count, (0.5, 0)), (count, (1, 0.5)), (cards_of, (1, 0.5)), (goods_in, (1.0,)), (tiles_of, (2.5,))],
)
def test_no_whole_number(read: Callable[..., object], numbers: tuple[float, ...]) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        read(*numbers)
