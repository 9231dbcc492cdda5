"""The examples in the docstrings of what `arena.rules` exports are right, and everything that can be called has one."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator

import pytest

from arena import rules

NAMES = {name: getattr(rules, name) for name in rules.__all__}


def docstrings(name: str) -> Iterator[tuple[str, str]]:
    """Of a class or function, and of the public methods of the class."""
    thing = NAMES[name]
    yield name, thing.__doc__ or ""
    if isinstance(thing, type):
        for part, value in vars(thing).items():
            if not part.startswith("_") and callable(value):
                yield f"{name}.{part}", inspect.getdoc(value) or ""


CALLED = [name for name, thing in NAMES.items() if isinstance(thing, type) or inspect.isroutine(thing)]


@pytest.mark.parametrize("name", [*CALLED, ""])
def test_examples(name: str) -> None:
    found = list(docstrings(name)) if name else [("arena.rules", rules.__doc__ or "")]
    assert ">>> " in found[0][1], f"{name} has no example"
    for where, text in found:
        assert text, f"{where} has no docstring"
        test = doctest.DocTestParser().get_doctest(text, dict(NAMES), where, None, None)
        said: list[str] = []
        doctest.DocTestRunner().run(test, out=said.append)
        assert not said, "".join(said)
