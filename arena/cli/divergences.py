"""Explains an invalid replay in a few lines: where it diverges, what it contains there, and what should follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from arena.rules import Divergence

MOST_FIELDS: Final = 5
MOST_ACTIONS: Final = 12
MOST_CHARACTERS: Final = 60


def describe(document: dict[str, Any], error: Divergence) -> list[str]:
    """Return lines about a divergence: message, event, position and legal actions; for a set-up the differences."""
    lines = [f"{_where(error.index)}: {error.message}"]
    events = document["events"]
    if 0 <= error.index < len(events):
        lines.append(f"  the replay has {_shown(events[error.index])}")
    position = error.position
    if error.code == "SETUP" and position is not None:
        found = list(_differences(document.get("setup"), position, ""))
        lines += [f"  {path}: {_shown(mine)}, the seed gives {_shown(due)}" for path, mine, due in found[:MOST_FIELDS]]
        lines += [f"  and {len(found) - MOST_FIELDS} more"] * (len(found) > MOST_FIELDS)
    elif position is not None:
        actor = f"seat {position['to_act']} is to act" if position["to_act"] else "nobody is to act"
        lines.append(f"  there: round {position['round']}, phase {position['phase']}, {actor}")
    if error.legal:
        more = f" and {len(error.legal) - MOST_ACTIONS} more" * (len(error.legal) > MOST_ACTIONS)
        lines.append(f"  legal: {', '.join(error.legal[:MOST_ACTIONS])}{more}")
    return lines


def _where(index: int) -> str:
    return f"event {index}" if index >= 0 else "before the first event"


_ABSENT: Final = object()


def _differences(mine: Any, due: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the values of two documents that differ: path, first value, second value."""
    if isinstance(mine, dict) and isinstance(due, dict):
        for key in dict.fromkeys([*due, *mine]):
            yield from _differences(mine.get(key, _ABSENT), due.get(key, _ABSENT), f"{path}.{key}".lstrip("."))
    elif isinstance(mine, list) and isinstance(due, list) and len(mine) == len(due):
        for place, pair in enumerate(zip(mine, due, strict=True)):
            yield from _differences(*pair, f"{path}[{place}]")
    elif mine is _ABSENT or due is _ABSENT or json.dumps(mine) != json.dumps(due):
        yield path or "the whole", mine, due


def _shown(value: Any) -> str:
    text = "nothing" if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
