"""Every public class and function of `arena.rules` has an example in its docstring, and all examples are right.

Docstrings are read from the objects, since `doctest` does not find functions of compiled modules.
"""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator

import pytest

from arena import rules

NAMES = {name: getattr(rules, name) for name in rules.__all__}
CALLABLE = [name for name, thing in NAMES.items() if isinstance(thing, type) or inspect.isroutine(thing)]


def docstrings(name: str) -> Iterator[tuple[str, str]]:
    """Yield the name and docstring of a class or function, and of each public method and property of the class."""
    thing = NAMES[name]
    yield name, inspect.getdoc(thing) or ""
    if isinstance(thing, type):
        for member, value in vars(thing).items():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                yield f"{name}.{member}", inspect.getdoc(value) or ""


def run_examples(where: str, docstring: str) -> None:
    """Fail unless the examples of a docstring are right. They may use every public name of `arena.rules`."""
    test = doctest.DocTestParser().get_doctest(docstring, dict(NAMES), where, None, None)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("name", CALLABLE)
def test_every_public_name_has_an_example_that_is_right(name: str) -> None:
    (own, *members) = docstrings(name)
    assert ">>> " in own[1], f"{name} has no example"
    for where, docstring in (own, *members):
        assert docstring, f"{where} has no docstring"
        run_examples(where, docstring)


def test_the_example_of_the_package_is_right() -> None:
    assert ">>> " in (rules.__doc__ or "")
    run_examples("arena.rules", rules.__doc__ or "")


def test_a_wrong_example_fails() -> None:
    with pytest.raises(AssertionError, match="Expected"):
        run_examples("wrong", ">>> start(Ruleset(2), bytes(32)).to_act\n7")
