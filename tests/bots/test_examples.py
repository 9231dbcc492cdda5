"""The examples in the docstrings of `arena.bots` are right, and every name that it exports has one."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

from arena import bots, rules

EXPORTED = {name: getattr(bots, name) for name in bots.__all__}
MODULES = [f"arena.bots.{module.name}" for module in pkgutil.iter_modules(bots.__path__)]
NAMES = {name: getattr(rules, name) for name in rules.__all__} | EXPORTED


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = import_module(name)
    assert not doctest.testmod(module, globs=NAMES | vars(module)).failed


@pytest.mark.parametrize("name", EXPORTED)
def test_every_exported_name_has_an_example(name: str) -> None:
    examples = doctest.DocTestParser().get_examples(EXPORTED[name].__doc__ or "")
    assert examples, f"{name} has no example"
    for example in examples:  # some are skipped because they need a server, but their code must still be valid
        compile(example.source, name, "single")
