"""A class name means one thing: repeated names are listed here, each with its reason."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
REPEATED = {
    "Bot": "the base class of a bot author's bot (arena.bots); the row of a bot in the database (webui.bots)",
    "View": "what a seat sees, by the names of the notation (arena.rules); the same for bot authors (arena.bots)",
    "Event": "a tournament (arena.events); one event of a game's log (arena.rules)",
    "Trial": "a sequential test of two versions (arena.ratings); one run of a program in the page (webui.writing)",
    "Terms": "the terms of a tournament (arena.events); those of a match (arena.referee)",
}
MOST = 15
SKIPPED = {"migrations", "starters", "sources", "v1", "node_modules"}


def class_names() -> dict[str, set[str]]:
    """Return the files that define each class name."""
    found = defaultdict[str, set[str]](set)
    for package in ("arena", "webui", "workers"):
        for path in (ROOT / package).rglob("*.py"):
            if not SKIPPED.intersection(path.relative_to(ROOT).parts):
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.ClassDef) and node.name not in {"Meta", "Config"}:
                        found[node.name].add(str(path.relative_to(ROOT)))
    return found


def test_each_class_has_a_name_of_its_own_or_a_reason() -> None:
    repeated = {name: sorted(paths) for name, paths in class_names().items() if len(paths) > 1}
    assert set(repeated) == set(REPEATED), repeated
    assert len(repeated) <= MOST
