"""The JSON Schemas of positions and replays accept what the engine writes, and refuse what it would not write."""

from __future__ import annotations

import json
from importlib.resources import files
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from arena.rules import State, format_position, replay_document
from tests.kit.games import RULESETS, random_game, random_states, seed_of
from tests.kit.records import troubled_match
from tests.rules.test_replay import SEATS

SOME = 3
"""Number of states of each phase that are checked in a game."""
SCHEMAS = {
    name: json.loads((files("arena.rules") / "schemas" / f"{name}.schema.json").read_text())
    for name in ("position", "replay")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(f"{name}.schema.json", Resource.from_contents(schema)) for name, schema in SCHEMAS.items()]
)


def validator(name: str) -> Draft202012Validator:
    Draft202012Validator.check_schema(SCHEMAS[name])
    return Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


@pytest.mark.slow
def test_positions() -> None:
    """Check some states of each phase in a game of each ruleset: the validator is slow."""
    schema, sample = validator("position"), Random(1).sample
    phases = set()
    for number, ruleset in enumerate(RULESETS):
        states: dict[str, list[State]] = {}
        for state in random_states(ruleset, seed_of("schema", number)):
            states.setdefault(state.phase, []).append(state)
        for found in states.values():
            for state in sample(found, min(SOME, len(found))):
                schema.validate(format_position(state))
        phases |= set(states)
    base = {"bid", "move", "sow", "tribe", "tile", "choose", "sell", "over"}
    assert phases == base | {"control", "item", "flute", "horn", "scimitar"}


def test_replays() -> None:
    game = random_game(3, seed_of("schema"))
    validator("replay").validate(replay_document(game, match="m", seats=SEATS))
    validator("replay").validate(troubled_match())


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "nap"},
        {"turn": {}},
        {"bag": "wy"},
        {"extra": 1},
        {"seats": []},
        {"players": 6},
        {"turn_track": [None]},
    ],
)
def test_wrong_positions_are_refused(change: dict[str, Any]) -> None:
    position = format_position(next(iter(random_states(3, seed_of("schema")))))
    assert not validator("position").is_valid({**position, **change})
