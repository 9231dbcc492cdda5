"""The test of a runner's capacity: a real runner plays more and more matches at once."""

from __future__ import annotations

import json
import os

import pytest

from arena.runner.capacity import (
    CapacityPlan,
    CapacityStep,
    capacity_document,
    capacity_text,
    is_saturated,
    measure_capacity,
)

PLAN = CapacityPlan(matches=2, seconds=1.0, think_s=0.0, cores=tuple(sorted(os.sched_getaffinity(0)))[:2])


@pytest.mark.asyncio(loop_scope="session")
async def test_a_runner_plays_more_matches_at_each_step() -> None:
    steps = await measure_capacity(PLAN)
    assert [step.matches for step in steps] == [1, 2]
    for step in steps:
        assert step.seconds >= PLAN.seconds and step.rate > 0
        assert step.starts.count >= 2 * step.matches
        assert step.charged.count == step.waits.count == step.decisions >= step.measured_decisions
        assert step.memory_bytes > 2**20 and step.processor_s >= 0
    report = capacity_document(PLAN, steps)
    assert json.loads(json.dumps(report)) == report
    assert report["cores"] == len(PLAN.cores) and len(report["steps"]) == 2
    assert len(capacity_text(report).splitlines()) == 5


def step_of(matches: int, decisions: int) -> CapacityStep:
    return CapacityStep(matches, seconds=10.0, measured_decisions=decisions)


def test_a_runner_is_saturated_where_more_matches_gain_nothing() -> None:
    one, two, four = step_of(1, 100), step_of(2, 190), step_of(4, 195)
    assert not is_saturated(one, two) and is_saturated(two, four)
    report = capacity_document(PLAN, [one, two, four])
    assert (report["saturated_at"], report["capacity"]["matches"]) == (2, 4)
    assert "more matches at once than 2 gain nothing" in capacity_text(report)
    open_end = capacity_document(PLAN, [one, two])
    assert open_end["saturated_at"] is None and "not saturated" in capacity_text(open_end)
