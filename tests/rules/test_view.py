"""Views as values: both ways to write them, the schema, and a check that new fields stay hidden."""

from __future__ import annotations

import dataclasses
import json
from importlib.resources import files
from typing import Any

import pytest

from arena.rules import (
    PositionError,
    Ruleset,
    Seat,
    State,
    format_position,
    format_view,
    parse_position,
    parse_view,
    position,
    view,
)
from arena.rules.view import Position, View
from arena.rules.view_parts import FullSeat, SeatView, TileView, TurnView
from tests.kit.games import RULESETS, random_states, seed_of
from tests.kit.positions import phases, strange_position

BOTH = Ruleset(3, ("artisans", "whims"))
SECRET = "a secret of tomorrow"


def states(ruleset: Ruleset) -> list[State]:
    """Return one of eight states of a random game, its last state, and unusual states of every phase."""
    game = list(random_states(ruleset, seed_of("typed", *ruleset)))
    strange = [
        parse_position(strange_position(ruleset.players, 1, phase, ruleset.expansions))
        for phase in sorted(set(phases(ruleset.expansions)))
    ]
    return [*game[::8], game[-1], *strange]


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_json_gives_every_view_and_position_back(ruleset: Ruleset) -> None:
    for state in states(ruleset):
        whole = position(state)
        assert parse_view(json.loads(json.dumps(format_position(whole)))) == whole
        assert format_position(state) == format_position(whole) and isinstance(whole, Position)
        for seat in range(ruleset.players + 1):
            seen = view(state, seat)
            assert parse_view(json.loads(json.dumps(format_view(seen)))) == seen
            assert not isinstance(seen, Position) and seen.document == format_view(seen)


class SeatOfTomorrow(Seat):
    """A seat with a field that no view names yet."""

    __slots__ = ("plan",)


class StateOfTomorrow(State):
    """A state with a field that no view names yet."""

    __slots__ = ("omen",)


def tomorrow(state: State) -> State:
    """Return the same state with a new field in it and in its seats."""
    later = copied(state, StateOfTomorrow)
    later.seats = tuple(copied(seat, SeatOfTomorrow) for seat in state.seats)
    for new, field in ((later, "omen"), *((seat, "plan") for seat in later.seats)):
        setattr(new, field, SECRET)
    return later


def copied(value: Any, kind: type[Any]) -> Any:
    twin = kind.__new__(kind)
    for name in {name for base in type(value).__mro__ for name in getattr(base, "__slots__", ())}:
        setattr(twin, name, getattr(value, name))
    return twin


@pytest.mark.parametrize("ruleset", [Ruleset(2), BOTH], ids=str)
def test_a_field_of_tomorrow_is_hidden_until_somebody_shows_it(ruleset: Ruleset) -> None:
    for state in states(ruleset):
        later = tomorrow(state)
        for seat in range(ruleset.players + 1):
            assert view(later, seat) == view(state, seat)
            assert SECRET not in json.dumps(format_view(view(later, seat)))
        assert position(later) == position(state)


SCHEMA = json.loads((files("arena.rules") / "schemas" / "position.schema.json").read_text())


def described(*path: str) -> set[str]:
    """Return the properties that the schema gives to the objects at a path, whatever its conditions."""
    found: set[str] = set()

    def walk(schema: Any, rest: tuple[str, ...]) -> None:
        if isinstance(schema, list):
            for part in schema:
                walk(part, rest)
        elif isinstance(schema, dict):
            if not rest:
                found.update(schema.get("properties", {}))
            elif rest[0] in schema.get("properties", {}):
                walk(schema["properties"][rest[0]], rest[1:])
            elif rest[0] == "*":
                for deeper in ("items", "additionalProperties"):
                    walk(schema.get(deeper), rest[1:])
            for key in ("allOf", "anyOf", "oneOf", "then", "else"):
                walk(schema.get(key), rest)

    walk(SCHEMA, path)
    return found


@pytest.mark.slow
def test_the_schema_describes_what_is_written_and_nothing_else() -> None:
    written: dict[tuple[str, ...], set[str]] = {}

    def note(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, list):
            for one in value:
                note(one, (*path, "*"))
        elif isinstance(value, dict) and path in (("board", "tiles"), ("seats", "*", "hand")):  # keys are names
            for one in value.values():
                note(one, (*path, "*"))
        elif isinstance(value, dict):
            written.setdefault(path, set()).update(value)
            for key, one in value.items():
                note(one, (*path, key))

    for number in range(24):
        for state in random_states(RULESETS[number % len(RULESETS)], seed_of("schema", number)):
            note(format_position(state), ())
    assert {("board", "tiles", "*"), ("seats", "*"), ("seats", "*", "whims"), ("turn",), ("items",)} <= written.keys()
    for path, keys in written.items():
        assert keys == described(*path), path


def other(value: Any) -> Any:
    """Return a different value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, tuple):
        return (*value, "x")
    return f"{value or ''}x"


def test_every_field_is_written() -> None:
    setup = next(random_states(BOTH, seed_of("fields")))
    seen = dataclasses.replace(
        view(setup, 1),
        phase="control",
        turn=TurnView("A1", "A2", "A1", "y", "bb", 2, "sell", "B1", 1, 1, "tribe", ("iblis",), item_used=True),
    )
    city = next(tile for tile in seen.tiles.values() if tile.kind == "city")
    parts: list[tuple[Any, set[str], Any]] = [
        # The value, the fields that its place in the document corresponds to, and a function that puts it into the
        # view.
        (seen, {"seats", "tiles", "turn"}, lambda changed: changed),
        (city, {"name", "kind", "mountains", "tent"}, lambda t: dataclasses.replace(seen, tiles={city.name: t})),
        (seen.seats[1], {"number", "hand", "gold"}, lambda s: dataclasses.replace(seen, seats=(s,))),
        (seen.turn, set(), lambda turn: dataclasses.replace(seen, turn=turn)),
    ]
    for value, elsewhere, put in parts:
        for field in dataclasses.fields(value):
            if field.name not in elsewhere:
                changed = dataclasses.replace(value, **{field.name: other(getattr(value, field.name))})
                assert format_view(put(changed)) != format_view(put(value)), field.name
    for field, new in (("kind", "oasis"), ("mountains", "NW"), ("tent", True)):
        changed = dataclasses.replace(city, **{field: new})
        assert format_view(dataclasses.replace(seen, tiles={city.name: changed})) != format_view(
            dataclasses.replace(seen, tiles={city.name: city})
        )
    assert {type(seen.turn), type(city), type(seen.seats[0])} == {TurnView, TileView, SeatView}
    assert dataclasses.fields(FullSeat) and issubclass(Position, View)


@pytest.mark.parametrize("seat", [-1, 4])
def test_there_is_no_view_of_a_seat_that_there_is_not(seat: int) -> None:
    with pytest.raises(PositionError) as caught:
        view(next(random_states(Ruleset(3), seed_of("seat"))), seat)
    assert caught.value.code == "NO_SUCH_SEAT"
