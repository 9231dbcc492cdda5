"""Write the contents of the box for the site's verifier (`make box`), from the tables of the rules.

A browser that verifies a match sets the game up again, so it needs to know what is in the box. With `--check`, write
nothing and fail if the checked-in file differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.rules import Ruleset, components
from arena.rules.notation import STRIDE, TILE_NAMES

TARGET = Path(__file__).resolve().parents[2] / "webui/site/static/site/verify/box.js"
HEADER = """\
// What is in the box, in the order in which a set-up writes it down before it shuffles.
// Generated from the tables in arena/rules by `make box`; do not edit.

/** @import { Box, Seating, TileRow } from "../../../types/replay.d.ts" */
"""
WIDTH = 120
GLUE = "\0"
"""Stands for a space at which a line may not be broken."""
EXPANSIONS = ((), ("artisans",), ("whims",), ("artisans", "whims"))


def generate() -> str:
    """Return the JavaScript module."""
    sections = [HEADER, *_constants()]
    sections.append("/** By the number of players. @type {Record<string, Seating>} */")
    sections.append(_export("SEATINGS", {str(players): json.dumps(_seating(players)) for players in components.CAMELS}))
    sections.append('/** By the expansions in play, joined by "+". @type {Record<string, Box>} */')
    sections.append(_export("BOXES", {"+".join(expansions): _box(expansions) for expansions in EXPANSIONS}))
    return "\n".join(sections)


def _constants() -> Iterator[str]:
    """Yield what is the same in every game."""
    constants = {
        "START_GOLD": components.START_GOLD,
        "PALMS": components.PALMS,
        "PALACES": components.PALACES,
        "RESOURCE_ROW": components.RESOURCE_ROW,
        "DJINN_ROW": components.DJINN_ROW,
        "MEEPLES_PER_TILE": components.MEEPLES_PER_TILE,
        "TRIBES": components.TRIBES,
        "IMPASSABLE": components.IMPASSABLE,
    }
    for name, value in constants.items():
        yield f"export const {name} = {json.dumps(value)};"
    pairs = list(zip(components.RESOURCES, components.RESOURCE_COPIES, strict=True))
    yield "/** The cards, and how many there are of each. @type {[string, number][]} */"
    yield f"export const RESOURCES = {_value(pairs, 0)};"
    yield "/** Kind, colour, value, number of copies, sides with mountains. @type {TileRow[]} */"
    yield f"export const TILES_OF_ARTISANS = {_value(components.TILES_OF_ARTISANS, 0)};\n"


def _seating(players: int) -> dict[str, int]:
    """Return what the number of players decides."""
    return {
        "camels": components.CAMELS[players],
        "markers": components.MARKERS[players],
        "spots": len(Ruleset(players).track.costs),
    }


def _box(expansions: tuple[str, ...]) -> str:
    """Return the object of everything that the expansions in play decide."""
    ruleset = Ruleset(4, expansions)
    columns, rows = ruleset.shape
    fields = {
        "columns": columns,
        "rows": rows,
        "tiles": ruleset.tiles,
        "inner": _inner(ruleset),
        "meeples": list(zip(components.TRIBES, ruleset.meeples, strict=True)),
        "djinns": [components.DJINNS[number].id for number in ruleset.djinns],
        "whims": [components.WHIMS[number].id for number in ruleset.whim_cards],
        "items": [(item.id, item.copies) for item in components.ITEMS] if ruleset.artisans else [],
        "tents": ruleset.tents,
    }
    lines = [f"    {name}: {_value(value, 4)}," for name, value in fields.items()]
    return "\n".join(["{", *lines, "  }"])


def _inner(ruleset: Ruleset) -> dict[str, Any] | None:
    """Return the block in which the tiles of Artisans lie: its corners, and the number of other tiles in it."""
    block = ruleset.inner
    if block is None:
        return None
    return {
        "from": TILE_NAMES[block.columns[0] * STRIDE + block.rows[0]],
        "to": TILE_NAMES[block.columns[-1] * STRIDE + block.rows[-1]],
        "others": block.others,
    }


def _export(name: str, entries: Mapping[str, str]) -> str:
    """Return an exported object."""
    lines = [f"  {json.dumps(key)}: {text}," for key, text in entries.items()]
    return "\n".join([f"export const {name} = {{", *lines, "};", ""])


def _value(value: Any, indent: int) -> str:
    """Return a value as JSON. A list that is too long for one line is broken between its elements."""
    text = json.dumps(value)
    if len(text) <= WIDTH // 2:
        return text
    elements = [json.dumps(element).replace(" ", GLUE) for element in value]
    margin = " " * (indent + 2)
    lines = textwrap.fill(
        ", ".join(elements), WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )
    return f"[\n{lines.replace(GLUE, ' ')},\n{' ' * indent}]"


def main() -> int:
    """Write the module, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the checked-in file differs")
    arguments = parser.parse_args()
    module = generate()
    if not arguments.check:
        TARGET.write_text(module, encoding="utf-8")
    elif TARGET.read_text(encoding="utf-8") != module:
        print(f"{TARGET.name} differs from the tables of the rules: run `make box`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
