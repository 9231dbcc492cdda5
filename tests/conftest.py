"""What holds for every test."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# How long an example took says nothing where others are at work. What CI tries can be repeated; every day is another.
settings.register_profile(
    "arena",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("ARENA_REQUIRE_ALL") == "1",
)
settings.load_profile("arena")


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """A process that dies under a test ends the run: it is no failed test, and others may have died with it."""
    pytest.exit(f"the process died that ran {crashitem}", returncode=3)
