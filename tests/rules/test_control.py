"""Positions in phase `control` name what follows (notation.md, Position): a document plays on exactly as its state."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arena.rules import PositionError, Ruleset, State, Stream, format_position, parse_position, settle
from arena.rules import position as position_of
from arena.wire.views import decode_view, encode_view
from tests.kit.builder import legal, play, position
from tests.kit.games import random_states, seed_of

RULESETS = [Ruleset(players, ("artisans",)) for players in (2, 3, 4, 5)] + [Ruleset(4, ("artisans", "whims"))]
PHASES: list[dict[str, Any]] = [
    {"phase": "move"},
    {"phase": "tribe", "at": "D2", "lifted": "bb"},
    {"phase": "tribe", "at": "D2", "lifted": "rr"},
    {"phase": "tile", "at": "D2"},
    {"phase": "sell"},
]
"""Phases in which a power or an item may be used."""


def assert_plays_on(state: State, seed: bytes, decisions: int = 12) -> None:
    """Check that a state and its document lead to the same documents, with both pieces and the decisions after them."""
    document = format_position(state)
    assert decode_view(encode_view(position_of(state))) == position_of(state)
    for piece in ("camel", "tent"):
        rng, ours, streams = Random(seed), play(state, piece), (Stream(seed), Stream(seed))
        read = play(parse_position(document), piece)
        for _ in range(decisions):
            ours, read = settle(ours, streams[0]), settle(read, streams[1])
            assert format_position(read) == format_position(ours)
            if ours.is_over:
                break
            action = rng.choice(ours.legal)
            ours, read = ours.play(action), read.play(read.parse(action.text))


@given(st.sampled_from(RULESETS), st.binary(min_size=32, max_size=32))
@settings(max_examples=6, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_every_control_of_a_random_game_plays_on(ruleset: Ruleset, seed: bytes) -> None:
    for state in random_states(ruleset, seed):
        if state.phase == "control":
            assert_plays_on(state, seed)


def test_after_a_sowing_and_after_an_assassination() -> None:
    seen = set()
    for number in range(12):
        for state in random_states(RULESETS[number % 3], seed_of("control", number)):
            if state.phase == "control" and not state.back:
                turn = format_position(state)["turn"]
                assert set(turn) - {"doubled", "item_used"} == {"target", "next", "at"} | (
                    {"lifted"} if turn["next"] == "tribe" else set()
                )
                if turn["next"] not in seen:
                    assert_plays_on(state, bytes(32))
                seen.add(turn["next"])
    assert seen == {"tribe", "tile"}


@pytest.mark.parametrize("where", PHASES, ids=lambda where: f"{where['phase']} {where.get('lifted', '')}")
@pytest.mark.parametrize(
    ("seat", "first", "left"),
    [
        pytest.param({"djinns": ["leta"], "elders": 2}, ["use leta ww A6"], None, id="leta"),
        pytest.param({"djinns": ["utug"], "elders": 2}, ["use utug ww A1"], None, id="utug"),
        pytest.param({"items": ["scimitar"]}, ["item scimitar", "slay A1 y"], 1, id="the first killing"),
        pytest.param({"items": ["scimitar"]}, ["item scimitar", "slay B1 y", "slay A1 y"], 0, id="the second killing"),
    ],
)
def test_inside_a_power_or_an_item(
    where: dict[str, Any], seat: dict[str, Any], first: list[str], left: int | None
) -> None:
    tiles = {"A1": "y", "B1": "yy", "E2": "w", "E3": "ww"}
    state = play(position(expansions=("artisans",), players=3, tiles=tiles, seats={1: seat}, **where), *first)
    turn = {"target": first[-1].split()[-2 if left is not None else -1], "back": where["phase"]}
    turn |= {key: value for key, value in where.items() if key != "phase"}
    if left is not None:
        turn |= {"left": left, "item_used": True}
    assert (state.phase, legal(state), format_position(state)["turn"]) == ("control", ["camel", "tent"], turn)
    assert_plays_on(state, bytes(32))


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"lifted": "-"}, "two or more meeples of one tribe"),
        ({"lifted": "yw"}, "two or more meeples of one tribe"),
        ({"at": "C2"}, "must be the tile of the last drop"),
        ({"next": "sell"}, "`turn.next` must be one of"),
        ({"next": "tile"}, "has an unknown 'lifted'"),
        ({"left": 1}, "has an unknown 'left'"),
        ({"back": "sell"}, "has an unknown"),
        ({"next": None}, "`turn.next` must be one of"),
    ],
)
def test_a_turn_that_cannot_occur_is_refused(change: dict[str, Any], error: str) -> None:
    kinds = {"C3": "small-market"}
    state = position(
        expansions=("artisans",), players=3, phase="sow", origin="C1", came="C1", at="C2", hand="y", kinds=kinds,
        tiles={"C3": "yy"},
    )  # fmt: skip
    document = format_position(play(state, "drop C3 y"))
    assert document["turn"] == {"target": "C3", "next": "tribe", "at": "C3", "lifted": "yyy"}
    document["turn"] |= change
    with pytest.raises(PositionError, match=error):
        parse_position(document)
