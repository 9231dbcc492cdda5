"""The site reads positions as values, not as documents: a misspelt name fails mypy, not a page."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import webui.site

SITE = Path(webui.site.__file__).parent
OTHERS = {
    ("challenges.py", "expansions"),
    ("challenges.py", "players"),
    ("docs/http_api.py", "format"),
    ("docs/http_api.py", "items"),
    ("events/consequences.py", "round"),
    ("events/form_values.py", "expansions"),
    ("events/form_values.py", "format"),
    ("events/form_values.py", "kind"),
    ("events/forms.py", "kind"),
    ("events/forms.py", "players"),
    ("events/words.py", "kind"),
    ("events/words.py", "round"),
    ("learn/lesson.py", "players"),
    ("notices.py", "at"),
    ("notices.py", "round"),
    ("standings.py", "kind"),
    ("templatetags/arena.py", "expansions"),
    ("templatetags/arena.py", "players"),
    ("views/fairness.py", "seats"),
    ("views/following.py", "from"),
    ("views/games.py", "view"),
    ("views/lists.py", "kind"),
    ("views/own_bots.py", "format"),
    ("views/staff_people.py", "kind"),
    ("words/decisions.py", "lifted"),
}
"""Reads of something else by a name that positions have too: parameters of an address, fields
of a form or of an order of a match, facts of an event, tables of a report, rulesets and words of a sentence."""


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


def test_no_page_reads_a_position_by_string_keys() -> None:
    schema = json.loads((files("arena.rules") / "schemas" / "position.schema.json").read_text())
    keys = {*keys_of(schema), "cards", "view"}
    assert {"seats", "gold", "meeples", "turn", "lifted", "bid_order"} <= keys
    found = {
        (str(path.relative_to(SITE)), key)
        for path in SITE.rglob("*.py")
        for _, key in string_reads(path.read_text())
        if key in keys
    }
    assert found == OTHERS


def test_the_search_sees_both_forms() -> None:
    text = 'a["seats"][0]["gold"]\nb.get("turn", {})\nc["written"] = 1\n'
    assert set(string_reads(text)) == {(1, "gold"), (1, "seats"), (2, "turn")}
