"""The examples in the docstrings of `arena.research` are right."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from arena import rules

MODULES = ("arguments", "actions", "observations", "episodes", "aec", "single", "vector", "openspiel")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = import_module(f"arena.research.{name}")
    names = {public: getattr(rules, public) for public in rules.__all__} | vars(module)
    results = doctest.testmod(module, globs=names)
    assert results.attempted and not results.failed
