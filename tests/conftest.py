"""What holds for every test."""

from __future__ import annotations

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str) -> None:
    """A process that dies under a test ends the run: it is no failed test, and others may have died with it."""
    pytest.exit(f"the process died that ran {crashitem}", returncode=3)
