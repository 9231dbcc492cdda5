"""The site reads positions as values, not as documents: a misspelt name fails mypy, not a page."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import webui

WEBUI = Path(webui.__file__).parent
OTHERS = {
    ("analysis/play_pages.py", "at"),
    ("events/forms.py", "kind"),
    ("events/forms.py", "players"),
    ("events/words.py", "kind"),
    ("following/pages.py", "from"),
    ("game_statistics/pages.py", "players"),
    ("profiles/front.py", "kind"),
    ("profiles/own_pages.py", "format"),
    ("ratings/standings.py", "kind"),
    ("replays/pages.py", "view"),
    ("site/docs/http_api.py", "format"),
    ("site/docs/http_api.py", "items"),
    ("site/learn/lesson.py", "players"),
    ("staff/people_pages.py", "kind"),
    ("staff/runner_pages.py", "kind"),
    ("words/decisions.py", "lifted"),
}
"""Reads of something else by a name that positions have too: parameters of an address, fields
of a form or of an order of a match, and words of a sentence."""


PAGE_MODULES = {
    "words",
    "forms",
    "consequences",
    "emails",
    "front",
    "standings",
    "statistics",
    "digests",
}
"""Modules of the upper floor that are called by what they make for pages."""


def keys_of(schema: Any) -> Iterator[str]:
    """The names of all properties that a schema describes."""
    if isinstance(schema, dict):
        for name, part in schema.items():
            if name == "properties":
                yield from part
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)


def string_reads(text: str) -> Iterator[tuple[int, str]]:
    """Line and key of each read `x["key"]` and `x.get("key", …)` of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key: ast.expr | None = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            key = node.args[0] if node.args else None
        else:
            continue
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield node.lineno, key.value


def is_shown_by(path: Path) -> bool:
    """Return whether a module shows things. The lower floor of a subject reads the documents of its rows."""
    subject, name = path.relative_to(WEBUI).parts[0], path.stem
    if subject in {"site", "words", "board", "replays"}:
        return True
    return name.endswith("pages") or name in PAGE_MODULES


def test_no_page_reads_a_position_by_string_keys() -> None:
    schema = json.loads((files("arena.rules") / "schemas" / "position.schema.json").read_text())
    keys = {*keys_of(schema), "cards", "view"}
    assert {"seats", "gold", "meeples", "turn", "lifted", "bid_order"} <= keys
    found = {
        (str(path.relative_to(WEBUI)), key)
        for path in WEBUI.rglob("*.py")
        if is_shown_by(path)
        for _, key in string_reads(path.read_text())
        if key in keys
    }
    assert found == OTHERS


def test_the_search_sees_both_forms() -> None:
    text = 'a["seats"][0]["gold"]\nb.get("turn", {})\nc["written"] = 1\n'
    assert set(string_reads(text)) == {(1, "gold"), (1, "seats"), (2, "turn")}
