"""Damaged positions: each has one wrong value, key or item. The reader's errors are compared.

`python -m tests.kit.damage` prints the answers, one JSON line each, in whatever form the rules run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from arena._native import form
from arena.rules import PositionError, Ruleset, format_position, parse_position
from tests.kit.games import random_states, seed_of

RULESETS = (Ruleset(2), Ruleset(3, ("whims",)), Ruleset(5, ("artisans", "whims")))
WRONG = (None, True, -1, 1, 99, "", "y", "A1", "fish", "enki", [], ["enki"], [1], {}, {"fish": 1})
STRIDE = 53
"""One in this many damages is tried: all of them take a minute."""


def positions() -> Iterator[Any]:
    """Yield positions of three rulesets, from all over a game."""
    for ruleset in RULESETS:
        for state in islice(random_states(ruleset, seed_of("damage", *ruleset)), 0, None, 61):
            if state.due is None:
                yield format_position(state)


def paths(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every value in a document."""
    yield path
    if isinstance(node, dict | list):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield from paths(node[key], (*path, key))


def damages(document: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every place in a document, with every damage of it."""
    for path in list(paths(document))[1:]:
        for wrong in (*WRONG, "gone", "more"):
            yield path, wrong


def damaged(text: str, path: tuple[Any, ...], wrong: Any) -> Any:
    """Return a text's document with another value at a path; `gone` removes it, `more` adds one beside it."""
    node = document = json.loads(text)
    for key in path[:-1]:
        node = node[key]
    if wrong == "gone":
        del node[path[-1]]
    elif wrong != "more":
        node[path[-1]] = wrong
    elif isinstance(node, dict):
        node["more"] = None
    else:
        node.append(node[path[-1]])
    return document


def answers(stride: int = STRIDE) -> Iterator[list[str]]:
    """Yield the code and the message of each error, or the result where the document can be read all the same."""
    for number, document in enumerate(positions()):
        text = json.dumps(document)
        for path, wrong in islice(damages(document), number % stride, None, stride):
            try:
                yield ["", json.dumps(format_position(parse_position(damaged(text, path, wrong))))]
            except PositionError as error:
                yield [error.code, str(error)]


if __name__ == "__main__":
    print(form())
    for answer in answers():
        print(json.dumps(answer))
