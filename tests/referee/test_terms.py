"""The terms of a match: clock and policy as documents, and impossible values."""

from __future__ import annotations

import pytest

from arena.referee import Clock, Policy


def test_documents_come_back_and_what_is_missing_has_its_default() -> None:
    clock, policy = Clock(5, 6, 7), Policy(1, 2, 3, "random")
    assert clock.document() == {"bank_ms": 5, "increment_ms": 6, "cap_ms": 7}
    assert Clock.parse(clock.document()) == clock and Policy.parse(policy.document()) == policy
    assert Clock.parse({"bank_ms": 5}) == Clock(bank_ms=5) == Clock(5, 1_000, 10_000)
    assert Policy.parse({}) == Policy(strikes=3, grace_ms=60_000, offer_ms=10_000, house="greedy")


def test_what_is_unknown_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^unknown keys of a clock: a, b$"):
        Clock.parse({"b": 1, "bank_ms": 5, "a": 2})


@pytest.mark.parametrize("wrong", [{"bank_ms": -1}, {"increment_ms": -1}, {"cap_ms": 0}])
def test_no_clock_runs_backwards(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="invalid clock"):
        Clock(**wrong)
    Clock(bank_ms=0, increment_ms=0, cap_ms=1)


@pytest.mark.parametrize("wrong", [{"strikes": 0}, {"grace_ms": -1}, {"offer_ms": 0}])
def test_no_policy_is_without_a_strike_or_time_for_an_offer(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="invalid policy"):
        Policy(**wrong)
    Policy(strikes=1, grace_ms=0, offer_ms=1)
