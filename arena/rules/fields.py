"""Read values of a kind from a JSON document. Each function raises `PositionError` and says which value is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from arena.rules.components import TRIBES
from arena.rules.errors import PositionError
from arena.rules.groups import parse_group
from arena.rules.notation import TILE_NUMBER
from arena.rules.state import State

_GROUP = f"group of meeples (letters in the order {TRIBES}, or -)"


def read_object(value: Any, where: str, keys: Iterable[str] | None) -> dict[str, Any]:
    """Return a JSON object with exactly these keys, or with any keys if `keys` is None."""
    if not isinstance(value, dict):
        raise PositionError("BAD_POSITION", f"{where} must be a JSON object")
    if keys is not None:
        wanted = frozenset(keys)  # for a frozenset this is the same object
        if value.keys() == wanted:
            return value
        for wrong, names in (("lacks", wanted - set(value)), ("has an unknown", set(value) - wanted)):
            if names:
                raise PositionError("BAD_POSITION", f"{where} {wrong} {', '.join(sorted(map(repr, names))[:5])}")
    return value


def read_list(value: Any, where: str, kind: type) -> Sequence[Any]:
    """Return a list whose items are all of a kind; `object` allows any."""
    if not isinstance(value, list) or not all([isinstance(item, kind) for item in value]):  # noqa: C419 - as fast as C
        raise PositionError(
            "BAD_POSITION", f"`{where}` must be a list" + (f" of {kind.__name__}" if kind is not object else "")
        )
    return value


def read_number(value: Any, where: str, least: int = 0, most: int = 1_000_000) -> int:
    """Return a whole number within these limits. True and false are not numbers."""
    if type(value) is not int or not least <= value <= most:
        raise PositionError("BAD_POSITION", f"`{where}` must be a whole number from {least} to {most}")
    return value


def read_one_of(value: Any, choices: Iterable[Any], where: str) -> Any:
    """Return a text that is one of `choices`, or None if that is one of them."""
    choices = tuple(choices)
    if not isinstance(value, str | None) or value not in choices:
        raise PositionError("BAD_POSITION", f"`{where}` must be one of {', '.join(repr(choice) for choice in choices)}")
    return value


def read_named(value: Any, where: str, read: Callable[[str], int], what: str) -> int:
    """Return `read(value)`. `what` names the wanted thing in the error."""
    try:
        return read(value)
    except (KeyError, TypeError, ValueError):
        raise PositionError("BAD_POSITION", f"`{where}`: {str(value)[:40]!r} is not a valid {what}") from None


def read_group(value: Any, where: str) -> int:
    """Return a packed group of meeples (groups.py)."""
    return read_named(value, where, parse_group, _GROUP)


def read_cards(value: Any, where: str, numbers: dict[str, int], what: str) -> tuple[int, ...]:
    """Return the numbers of a list of cards by name. `numbers` maps all known names to numbers."""
    names = read_list(value, where, str)
    try:
        return tuple([numbers[name] for name in names])
    except KeyError:
        return tuple([read_named(name, where, numbers.__getitem__, what) for name in names])


def read_tile(state: State, value: Any, where: str) -> int:
    """Return a tile that can be entered."""
    tile = read_named(value, where, TILE_NUMBER.__getitem__, "tile")
    if not state.board.geometry.passable >> tile & 1:
        raise PositionError("BAD_POSITION", f"`{where}`: this board has no tile {value} that can be entered")
    return tile


def read_seat(state: State, value: Any, where: str) -> int:
    """Return the number of a seat of this game, from 1."""
    return read_number(value, where, least=1, most=len(state.seats))
