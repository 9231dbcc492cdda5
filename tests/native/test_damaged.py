"""Damaged positions are refused in the same words in both forms of the rules."""

import os
import subprocess
import sys

import pytest

from arena import _native


def answers(pure: str) -> list[str]:
    """What `tests.kit.damage` prints in a process of its own: the form, then an answer a line."""
    code = [sys.executable, "-m", "tests.kit.damage"]
    return subprocess.run(
        code, env={**os.environ, "ARENA_PURE": pure}, capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.slow
def test_both_forms_say_the_same_of_damaged_positions() -> None:
    form, *compiled = answers("")
    if form != _native.COMPILED:
        missing = f"arena.rules is {form}: `make build` compiles it"
        assert os.environ.get("ARENA_REQUIRE_ALL") != "1", missing
        pytest.skip(missing)
    form, *plain = answers("1")
    assert form == _native.PURE
    assert compiled == plain
    assert len({answer.split(",")[0] for answer in compiled}) > 8, "the damages are of too few kinds"
