"""Seats with Djinns, and turns to use them in: parts of `builder.position`."""

from __future__ import annotations

from typing import Any

from arena.rules import State
from tests.kit.builder import MOVABLE, position

BLOCK = ["B2", "C2", "D2", "B3", "D3", "B4", "C4", "D4"]
RED = dict.fromkeys([*BLOCK, "C3"], "red")
KILLING = {"phase": "tribe", "at": "C3", "lifted": "rr", "kinds": {"C3": "sacred"}}
BUILDING = {"phase": "tribe", "at": "C3", "lifted": "bb", "kinds": {"C3": "village"}}
MOVING = {"tiles": MOVABLE}


def has(*djinns: str, elders: int = 0, fakirs: int = 0, **parts: Any) -> dict[str, Any]:
    """Return a seat with these Djinns."""
    return {"djinns": list(djinns), "elders": elders, "hand": {"fakir": fakirs} if fakirs else {}, **parts}


def doubled(djinn: str, parts: dict[str, Any], **me: Any) -> State:
    """Return a turn in which this Djinn has been used."""
    return position(**parts, doubled=[djinn], seats={1: has(djinn, used=[djinn], **me)})
