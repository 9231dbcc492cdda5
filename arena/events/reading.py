"""Readers for the data of facts. Each raises `FactRefused` with what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.events.fields import FactRefused
from arena.events.terms import Course
from arena.events.values import Draw, Entrant, EventTable, TableGame


def _refuse(message: str) -> FactRefused:
    return FactRefused("BAD_FACT", message)


def read_seed(data: Mapping[str, Any], name: str) -> bytes:
    """Read 32 bytes in hex."""
    value = data.get(name)
    try:
        found = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        found = b""
    if len(found) != 32:
        raise _refuse(f"`{name}` must be 64 hex digits")
    return found


def read_entrant(data: Mapping[str, Any], number: int) -> Entrant:
    """Read a new entrant, which gets this number."""
    name, owner, version = data.get("name"), data.get("owner", ""), data.get("version", "")
    strength = data.get("strength", 0)
    if not isinstance(name, str) or not name or not isinstance(owner, str) or not isinstance(version, str):
        raise _refuse("`name` must be a text that is not empty, `owner` and `version` must be texts")
    if type(strength) is not int:
        raise _refuse("`strength` must be a whole number")
    return Entrant(number, name, version, owner, strength)


def read_field(data: Mapping[str, Any], present: frozenset[int]) -> list[tuple[int, str, int]]:
    """Read the frozen field: every entrant present, with version and strength."""
    field = data.get("field")
    if not isinstance(field, list) or not all(
        isinstance(row, list)
        and len(row) == 3
        and type(row[0]) is int
        and isinstance(row[1], str)
        and type(row[2]) is int
        for row in field
    ):
        raise _refuse("`field` must be a list of [entrant, version, strength]")
    if sorted(row[0] for row in field) != sorted(present):
        raise _refuse("`field` must list every entrant present exactly once")
    return [(row[0], row[1], row[2]) for row in field]


def read_drawn(data: Mapping[str, Any], players: int, present: frozenset[int]) -> tuple[Draw, dict[int, str]]:
    """Read a round that was drawn, and the versions that play it if versions are free."""
    tables = [_table(value, k) for k, value in enumerate(_list(data, "tables"), start=1)]
    byes = tuple(_list(data, "byes", int))
    label = data.get("label", "")
    if not isinstance(label, str):
        raise _refuse("`label` must be a text")
    for table in tables:
        if len(table.seats) != players or len(set(table.seats)) != players:
            raise _refuse(f"table {table.number} must have {players} different entrants")
    for number in {seat for table in tables for seat in table.seats} | set(byes):
        if number not in present:
            raise _refuse(f"entrant {number} is not present in the event")
    versions = {}
    for row in _list(data, "versions"):
        is_row = isinstance(row, list) and len(row) == 2 and type(row[0]) is int and isinstance(row[1], str)
        if not is_row or row[0] not in present:
            raise _refuse("`versions` must be a list of [entrant, version]")
        versions[row[0]] = row[1]
    return Draw(tuple(tables), byes, label), versions


def draw_document(draw: Draw) -> dict[str, Any]:
    """Return the data of the fact `drawn`."""
    tables = [{"seats": list(t.seats), "group": t.group} if t.group else list(t.seats) for t in draw.tables]
    written: dict[str, Any] = {"tables": tables, "byes": list(draw.byes), "label": draw.label}
    return {name: value for name, value in written.items() if value or name == "tables"}


def _table(value: Any, number: int) -> EventTable:
    group = ""
    if isinstance(value, Mapping):
        group, value = value.get("group", ""), value.get("seats")
    if not isinstance(value, list) or not all(type(seat) is int for seat in value) or not isinstance(group, str):
        raise _refuse(f"table {number} must be a list of entrants")
    return EventTable(number, tuple(value), group)


def _list(data: Mapping[str, Any], name: str, kind: type = object) -> list[Any]:
    value = data.get(name, [])
    # Exact types, because booleans are not numbers here.
    if not isinstance(value, list) or not all(type(item) is kind or kind is object for item in value):
        raise _refuse(f"`{name}` must be a list" + (" of whole numbers" if kind is int else ""))
    return value


def read_game(data: Mapping[str, Any], seats: tuple[int, ...]) -> TableGame:
    """Read a result: placements by seat, scores if the game was played, and the entrants that were absent."""
    placements, scores, out = _list(data, "placements", int), data.get("scores"), _list(data, "out", int)
    if len(placements) != len(seats) or not all(_is_place(place, placements) for place in placements):
        raise _refuse("`placements` must have a place for each seat, 1 for the best; tied seats share the better place")
    if scores is not None and (
        not isinstance(scores, list) or len(scores) != len(seats) or not all(type(score) is int for score in scores)
    ):
        raise _refuse("`scores` must be a number for each seat")
    if not set(out) <= set(seats):
        raise _refuse("`out` must name entrants of this table")
    return TableGame(seats, tuple(placements), None if scores is None else tuple(scores), frozenset(out))


def _is_place(place: int, places: list[int]) -> bool:
    return place == 1 + sum(other < place for other in places)


def read_course(data: Mapping[str, Any]) -> Course:
    """Read the new course of an event."""
    return Course.parse(data.get("course"))


def read_round(data: Mapping[str, Any], most: int) -> int:
    """Read the number of a round that was drawn."""
    number = data.get("round")
    if type(number) is not int or not 1 <= number <= most:
        raise FactRefused("NO_ROUND", f"there is no round {number!r}")
    return number
