"""The examples in the docstrings of `arena.events` are right, and everything that the package offers has one."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

from arena import events
from arena.events import exports, plan, verify
from tests.kit.events import SEED, Played

MODULES = [module.name for module in walk_packages(events.__path__, "arena.events.")]
EXPORTED = [getattr(events, name) for name in events.__all__]
OFFERED = [thing for thing in EXPORTED if inspect.isclass(thing) or inspect.isfunction(thing)] + [
    thing
    for module in (exports, plan, verify)
    for name, thing in inspect.getmembers(module, inspect.isfunction)
    if thing.__module__ == module.__name__ and not name.startswith("_")
]
"""Everything that the package exports, and the functions of the modules that its README lists beside it."""


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Names that the examples use: a knockout of two bots that is over."""
    played = Played({"kind": "knockout"}, 2, 2, name="Duel").to_the_end()
    return {"event": played.event, "facts": played.facts, "SEED": SEED}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str, names: dict[str, Any]) -> None:
    assert not doctest.testmod(import_module(name), extraglobs=names).failed


@pytest.mark.parametrize("thing", OFFERED, ids=lambda thing: thing.__name__)
def test_everything_that_is_offered_has_an_example(thing: Any) -> None:
    assert ">>> " in (inspect.getdoc(thing) or "")
