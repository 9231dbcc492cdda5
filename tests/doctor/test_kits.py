"""Each starter kit, as `arena bot new` writes it and `make kits` builds it, passes every check of `arena doctor`."""

from __future__ import annotations

import json

import pytest

from arena.doctor import CHECKS
from tests.kit.command import arena
from tests.kit.kits import KITS, kit_command

NOT_FOR_THEM = "without-legal-list"
"""Checks that do not apply: the kits need the list of legal actions."""
SHORT_LIVED = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""The doctor starts a bot often: optimising Java code that runs for a few seconds costs more than it saves."""


@pytest.mark.e2e
@pytest.mark.parametrize("language", [language for language in KITS if language != "python"])
def test_a_kit_passes_everything(language: str) -> None:
    done = arena("doctor", "--json", "--", *kit_command(language), **SHORT_LIVED)
    found = json.loads(done.out)
    assert (done.code, done.err) == (0, ""), [check for check in found["checks"] if check["outcome"] == "failed"]
    assert [check["check"] for check in found["checks"] if check["outcome"] != "passed"] == [NOT_FOR_THEM]
    assert found["passed"] == len(CHECKS) - 1
