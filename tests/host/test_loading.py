"""Python's garbage collector is off while modules are loaded."""

from __future__ import annotations

import gc

import pytest

from arena.host.loading import loading


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_the_collector_rests_in_the_block_alone() -> None:
    assert gc.isenabled()
    with loading():
        assert not gc.isenabled()
        with loading():
            pass
        assert not gc.isenabled(), "the outer block is not over"
    assert gc.isenabled()


def test_what_was_loaded_is_not_looked_at_again() -> None:
    with loading():
        ring = Ring()
    assert not any(found is ring for found in gc.get_objects())
    later = Ring()
    assert any(found is later for found in gc.get_objects())


def test_a_module_that_cannot_be_loaded_leaves_the_collector_as_it_was() -> None:
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()
