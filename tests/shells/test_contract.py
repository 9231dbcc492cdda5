"""Each shell passes each scenario of the contract (`tests/shells/scenarios.py`)."""

from __future__ import annotations

import re

import pytest

from tests.shells.scenarios import SCENARIOS
from tests.shells.shells import Play, play_locally, play_with_doctor, play_with_workers

VOID = "aborted VOID"
"""The doctor's last message to a bot that has failed."""


@pytest.mark.parametrize("play", [play_with_workers, play_locally], ids=["workers", "local"])
@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_bot_is_told_what_the_contract_says(name: str, play: Play) -> None:
    scenario = SCENARIOS[name]
    done = await play(scenario)
    assert (done.told, done.forfeit) == (list(scenario.told), scenario.forfeit)


@pytest.mark.parametrize("name", SCENARIOS)
async def test_the_doctor_tells_the_same_until_the_bot_fails(name: str) -> None:
    scenario = SCENARIOS[name]
    done = await play_with_doctor(scenario)
    if scenario.doctor:
        assert re.search(scenario.doctor, done.sentence)
        told = tuple(one for one in done.told if one != VOID)
        assert told and told == scenario.told[: len(told)]
    else:
        assert (done.sentence, done.told) == ("", list(scenario.told))
