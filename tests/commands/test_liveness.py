"""The judgement of a silent process: what counts against it, and when it is restarted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.host.processor import ProcessorUse
from webui.commands.services.liveness import BUSY_SHARE, MOST_DOUBLINGS, Judgement, judge, pressure, silence_s

times = st.floats(0, 1e6)
shares = st.floats(0, 1)
uses = st.builds(ProcessorUse, times, st.booleans(), st.booleans())
WAITS = ProcessorUse(10.1, is_waiting=True)


@pytest.mark.parametrize(
    ("after", "busy", "expected"),
    [
        pytest.param(ProcessorUse(20, is_waiting=True), 0.0, 10, id="it works in vain"),
        pytest.param(ProcessorUse(20, is_waiting=True), 1.0, 10, id="it works in vain on a busy machine"),
        pytest.param(ProcessorUse(40, is_waiting=True), 0.0, 10, id="three threads work in vain"),
        pytest.param(ProcessorUse(10), 0.0, 10, id="deadlocked on a machine at rest"),
        pytest.param(ProcessorUse(10), 1.0, 1, id="idle on a busy machine"),
        pytest.param(WAITS, 1.0, 0.1, id="starved"),
        pytest.param(WAITS, 0.0, 0.1, id="starved within the limits of its container"),
        pytest.param(ProcessorUse(5), 0.0, 10, id="a child that had worked has ended"),
        pytest.param(ProcessorUse(10, is_stopped=True), 1.0, 10, id="stopped"),
        pytest.param(None, 1.0, 10, id="not known"),
    ],
)
def test_what_counts(after: ProcessorUse | None, busy: float, expected: float) -> None:
    assert silence_s(ProcessorUse(10.0), after, 10, busy) == pytest.approx(expected)


@given(uses, uses, st.floats(0, 1e4), shares)
def test_no_more_counts_than_has_passed(a: ProcessorUse, b: ProcessorUse, passed_s: float, busy: float) -> None:
    assert 0 <= silence_s(a, b, passed_s, busy) <= passed_s * (1 + 1e-9)


@given(times, times, st.floats(0, 1e4), shares)
def test_waiting_never_counts_and_working_always_does(
    used_s: float, worked_s: float, passed_s: float, busy: float
) -> None:
    before, after = ProcessorUse(used_s), ProcessorUse(used_s + worked_s, is_waiting=True)
    assert silence_s(before, after, passed_s, busy) == pytest.approx(min(worked_s, passed_s), abs=1e-6)
    not_waiting = silence_s(before, ProcessorUse(used_s + worked_s), passed_s, busy)
    assert not_waiting >= min(worked_s, passed_s) - 1e-6


@given(st.lists(shares, min_size=1, max_size=50), shares)
def test_a_process_that_does_not_wait_is_restarted_at_last(parts: list[float], busy: float) -> None:
    """However a process divides its time between working and wanting nothing, its silence is found out."""
    used_s = silent_s = 0.0
    passed = 0
    while judge(silent_s, 30, hangs=0, is_stopped=False) is Judgement.WAIT:
        later_s = used_s + parts[passed % len(parts)]
        silent_s += silence_s(ProcessorUse(used_s), ProcessorUse(later_s), 1, busy)
        used_s, passed = later_s, passed + 1
        assert passed <= 30 / BUSY_SHARE + 2


@given(times, st.integers(0, 100))
def test_each_hang_gives_more_patience_up_to_a_limit(silent_s: float, hangs: int) -> None:
    now = judge(silent_s, 30, hangs=hangs, is_stopped=False)
    if now is Judgement.WAIT:
        assert judge(silent_s, 30, hangs=hangs + 1, is_stopped=False) is Judgement.WAIT
    if silent_s > 30 * 2**MOST_DOUBLINGS:
        assert now is Judgement.RESTART
        assert judge(silent_s, 30, hangs=hangs, is_stopped=True) is Judgement.CONTINUE


def test_pressure_is_that_of_the_scarcest_resource() -> None:
    assert pressure((1.0, 2.0, 3.0), (1.1, 2.5, 3.0), 1) == pytest.approx(0.5)
    assert pressure((1.0,), (9.0,), 1) == 1
    assert pressure((), (), 1) == 0
    assert pressure((1.0,), (2.0,), 0) == 0
