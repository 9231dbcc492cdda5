"""The caches in memory go by the monotonic clock, so a clock that is set does not keep pages or drop them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.core.cache import caches

from webui.core.backends import MemoryCache


@pytest.mark.parametrize("step_s", [-3600, 3600])
def test_a_clock_that_is_set_changes_nothing(monkeypatch: pytest.MonkeyPatch, step_s: float) -> None:
    cache, real = MemoryCache(f"test {step_s}", {}), time.time
    cache.set("kept", 1, 300)
    cache.set("for ever", 2, None)
    cache.set("gone", 3, 0)
    monkeypatch.setattr(time, "time", lambda: real() + step_s)
    assert cache.get_many(["kept", "for ever", "gone"]) == {"kept": 1, "for ever": 2}
    monkeypatch.setattr(time, "monotonic", lambda: float("inf"))
    assert cache.get_many(["kept", "for ever", "gone"]) == {"for ever": 2}


@pytest.mark.parametrize("name", ["pages", "pictures", "live-frames"])
def test_these_caches_are_of_that_kind(name: str) -> None:
    found: Any = caches[name]
    assert isinstance(found, MemoryCache)
