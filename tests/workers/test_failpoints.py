"""Parsing of failpoints. The tests of faults check that processes die there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workers import failpoints


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    yield
    failpoints.arm("")


def test_other_points_and_indexes_are_survived() -> None:
    failpoints.reach("after_append", 37)
    failpoints.arm("after_append@37")
    failpoints.reach("after_append", 36)
    failpoints.reach("before_append", 37)


@pytest.mark.parametrize("text", ["nowhere@3", "after_append", "after_append@", "after_append@x", "@3"])
def test_what_is_no_failpoint_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="after_append@37"):
        failpoints.arm(text)
