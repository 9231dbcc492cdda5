"""The JSON Schemas of positions and replays accept what the engine writes, and refuse what it would not write."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from arena.rules import format_position, replay_document
from tests.kit.games import RULESETS, random_game, random_states, seed_of
from tests.kit.records import troubled_match
from tests.rules.test_replay import SEATS

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
    schema = validator("position")
    phases = set()
    for number in range(24):
        for state in random_states(RULESETS[number % len(RULESETS)], seed_of("schema", number)):
            # Check every state in rare phases, and a sample of the others: the validator is slow.
            if state.phase not in ("bid", "move", "sow", "tile", "sell") or state.bag % 21 == 0:
                schema.validate(format_position(state))
                phases.add(state.phase)
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
