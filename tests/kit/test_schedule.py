"""The tables of the schedule are about tests that are there."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.kit.schedule import LONGEST, TOGETHER, begin_with_the_longest

ROOT = Path(__file__).parents[2]


def test_every_file_of_the_tables_is_there() -> None:
    assert [name for name in (*LONGEST, *TOGETHER) if not (ROOT / name).is_file()] == []


def test_the_longest_begin_and_all_others_stay_in_their_order() -> None:
    begun = [f"{LONGEST[1]}::test_c", "tests/b.py::test_b", f"{LONGEST[0]}::test_a[x]", "tests/a.py::test_a"]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in begun]
    begin_with_the_longest(items)
    assert [item.nodeid for item in items] == [begun[2], begun[0], begun[1], begun[3]]
