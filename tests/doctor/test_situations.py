"""Each of the doctor's situations is what its name says, and a real decision."""

from __future__ import annotations

import pytest

from arena.doctor import CHECKS, GROUPS
from arena.doctor.situations import (
    DJINN_SITUATIONS,
    ITEM_SITUATIONS,
    PHASES,
    RARE_SITUATIONS,
    WHIM_SITUATIONS,
    Situation,
)
from arena.rules import Ruleset, State, format_position

SITUATIONS = [*PHASES, *RARE_SITUATIONS, *DJINN_SITUATIONS, *ITEM_SITUATIONS, *WHIM_SITUATIONS]
RULESETS = [
    Ruleset(2, ()),
    Ruleset(3, ("artisans",)),
    Ruleset(4, ("whims",)),
    Ruleset(5, ("artisans", "whims")),
    Ruleset(2, ("artisans", "whims")),
]


def states(ruleset: Ruleset, situations: list[Situation]) -> dict[str, State]:
    """Return the states by the part of the name after the hyphen."""
    return {
        situation.name.partition("-")[2]: situation.line(ruleset).state
        for situation in situations
        if set(situation.expansions) <= set(ruleset.expansions)
    }


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_situations_are_decisions(ruleset: Ruleset) -> None:
    for state in states(ruleset, SITUATIONS).values():
        assert len(state.legal) > 1


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_phases_and_cards(ruleset: Ruleset) -> None:
    phases = states(ruleset, PHASES)
    assert {name: state.phase for name, state in phases.items()} == {name: name for name in phases}
    assert len(phases) == (12 if ruleset.artisans else 7)
    for kind, situations in (("djinns", DJINN_SITUATIONS), ("items", ITEM_SITUATIONS), ("whims", WHIM_SITUATIONS)):
        for name, state in states(ruleset, situations).items():
            seat = format_position(state)["seats"][state.to_act - 1]
            assert name in (seat[kind]["open"] if kind == "whims" else seat[kind])


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_powers_can_be_used(ruleset: Ruleset) -> None:
    """Each Djinn whose power costs something, and each item that is used up, except the carpet, which is for sowing."""
    powers = ["anun-nak", "bouraq", "echidna", "enki", "iblis", "leta", "sibittis", "sloar", "utug"]
    djinns = states(ruleset, DJINN_SITUATIONS)
    for name in powers:
        assert any(action.text.startswith(f"use {name} ") for action in djinns[name].legal), name
    assert any(" f " in action.text for action in djinns["kumarbi"].legal)
    assert {len(action.text.split()) for action in djinns["lamia"].legal} == {2, 3}  # palm A1, palm A2 w
    assert {len(action.text.split()) for action in djinns["hagis"].legal} == {2, 3}
    items = states(ruleset, ITEM_SITUATIONS)
    for name in ("flute", "lamp", "scimitar", "talisman", "horn", "ring"):
        if items:
            assert any(f"{action.text} ".startswith(f"item {name} ") for action in items[name].legal), name


def test_rare_ones() -> None:
    rare = {situation.name: situation.line(RULESETS[0]).state for situation in RARE_SITUATIONS}
    hand = format_position(rare["hand-of-ten"])["turn"]["hand"]
    assert len(hand) == 10 and rare["hand-of-ten"].phase == "sow"
    assert {action.text for action in rare["poor-bid"].legal} <= {"bid 6", "bid 7"}
    assert rare["last-round"].ending == "no-moves"
    # Nine different goods: 2 ** 9 - 1 sets, and the end of the turn.
    assert len(rare["long-legal-list"].legal) == 512


def test_every_check_has_a_name_a_sentence_and_advice() -> None:
    names = [check.name for check in CHECKS]
    assert len(names) == len(set(names)) >= 40
    for check in CHECKS:
        assert check.name.replace("-", "").isalnum() and check.name.islower(), check.name
        assert check.what.endswith(".") and check.advice.endswith("."), check.name
    assert [check for checks in GROUPS.values() for check in checks] == CHECKS
