"""The tables of the schedule name existing tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.kit.schedule import LONGEST, TOGETHER, WAITING, begin_with_the_longest, next_unit

ROOT = Path(__file__).parents[2]


def test_every_file_of_the_tables_is_there() -> None:
    assert [name for name in (*LONGEST, *TOGETHER) if not (ROOT / name).is_file()] == []
    assert [name for name in WAITING if not any((ROOT / name).glob("test_*.py"))] == []


def test_the_longest_begin_and_all_others_stay_in_their_order() -> None:
    begun = [f"{LONGEST[1]}::test_c", "tests/b.py::test_b", f"{LONGEST[0]}::test_a[x]", "tests/a.py::test_a"]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in begun]
    begin_with_the_longest(items)
    assert [item.nodeid for item in items] == [begun[2], begun[0], begun[1], begun[3]]


def test_one_process_takes_what_waits_and_another_what_computes_while_there_is_both() -> None:
    queue = [
        ("faults", f"{WAITING[0]}test_a.py::test_a"),
        ("tests/rules/test_b.py::test_b", "tests/rules/test_b.py::test_b"),
        ("tests/rules/test_c.py::test_c", "tests/rules/test_c.py::test_c"),
    ]
    assert next_unit(queue, waiting=True) == "faults"
    assert next_unit(queue, waiting=False) == queue[1][0]
    assert next_unit(queue[1:], waiting=True) == queue[1][0]
    assert next_unit(queue[:1], waiting=False) == "faults"
