"""The examples in the docstrings of `arena.ratings` are right, and everything that the package offers has one."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

from arena import ratings
from arena.ratings import batch, overall, sequential, standing

MODULES = [module.name for module in walk_packages(ratings.__path__, "arena.ratings.")]
EXPORTED = [getattr(ratings, name) for name in ratings.__all__]
OFFERED = [thing for thing in EXPORTED if inspect.isclass(thing) or inspect.isfunction(thing)] + [
    batch.RatedGame,
    batch.fit,
    batch.among,
    overall.overall,
    sequential.Answer,
    sequential.Estimate,
    sequential.Hypotheses,
    sequential.Trial,
    sequential.expected_score,
    sequential.halves_of_game,
    standing.standings,
]
"""Everything that the package exports, and what it offers by the name of a module."""


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name: str) -> None:
    assert not doctest.testmod(import_module(name)).failed


@pytest.mark.parametrize("thing", OFFERED, ids=lambda thing: thing.__name__)
def test_everything_that_is_offered_has_an_example(thing: Any) -> None:
    assert ">>> " in (inspect.getdoc(thing) or "")
