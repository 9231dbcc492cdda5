"""Every page shows what its context has: a template uses no name that is not a field of its `PageContext`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.template.base import FilterExpression, Node, NodeList, Token, TokenType, Variable
from django.template.defaulttags import ForNode
from django.template.loader import get_template
from django.template.loader_tags import ExtendsNode, IncludeNode

import webui
from webui.core.pages import PageContext

WEBUI = Path(webui.__file__).parent
GIVEN = {"False", "None", "True", "block", "forloop", "messages", "perms", "request", "user"}
"""Names that Django gives to every template."""
OPTIONAL = {"hides", "told", "rated"}
"""Names that shared parts use if the page has them."""
RENDERED_IN_TURN = {
    "EventContext": {"events/event.html", "events/event_embed.html", "events/fresh.html"},
    "PageContext": {"replays/match_hidden.html"},
}


def templates_by_class() -> dict[str, set[str]]:
    """The templates of each context: its default, and those that views name when they make one."""
    found = defaultdict[str, set[str]](set, {name: set(given) for name, given in RENDERED_IN_TURN.items()})
    for path in sorted(WEBUI.glob("*/**/*.py")):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Context"):
                import_module(".".join(path.relative_to(WEBUI.parent).with_suffix("").parts))
                for part in node.body:
                    if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == "template" and part.value:
                        found[node.name].update(literals(part.value))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Context"):
                for keyword in node.keywords:
                    if keyword.arg == "template":
                        found[node.func.id].update(literals(keyword.value))
    return found


def literals(value: ast.expr) -> set[str]:
    return {node.value for node in ast.walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def classes(base: type[PageContext] = PageContext) -> dict[str, type[PageContext]]:
    found = {base.__name__: base}
    for one in base.__subclasses__():
        found |= classes(one)
    return found


class Names:
    """The names that a template with all its parts uses, and those that it defines itself."""

    def __init__(self, template: str) -> None:
        self.used: set[str] = set()
        self.defined: set[str] = set()
        self._read: set[str] = set()
        self.template(template)

    @property
    def free(self) -> set[str]:
        return self.used - self.defined - GIVEN - OPTIONAL

    def template(self, name: str) -> None:
        if name not in self._read and name.endswith(".html"):
            self._read.add(name)
            compiled: Any = get_template(name)
            self.value(compiled.template.nodelist)

    def value(self, value: object) -> None:
        if isinstance(value, FilterExpression):
            self.value(value.var)
            self.value([argument for _, arguments in value.filters for _, argument in arguments])
        elif isinstance(value, Variable):
            self.used.update((value.lookups or ())[:1])
        elif isinstance(value, Token):
            if value.token_type is TokenType.VAR:
                self.used.add(value.contents.split("|")[0].split(".")[0])
        elif isinstance(value, dict):
            self.value(list(value.values()))
        elif isinstance(value, NodeList | list | tuple):
            for one in value:
                self.value(one)
        elif isinstance(value, Node):
            self.node(value)
        elif type(value).__module__ in ("django.template.smartif", "django.template.defaulttags"):
            self.value(list(vars(value).values()))

    def node(self, node: Node) -> None:
        held = vars(node)
        self.value([part for name, part in held.items() if name not in ("origin", "token", "parent_name")])
        self.defined.update(name for name in defined_by(node))
        if isinstance(node, ExtendsNode):
            self.template(node.parent_name.resolve({}))
        elif isinstance(node, IncludeNode):
            self.template(node.template.resolve({}))


def defined_by(node: Any) -> Iterator[str]:
    if isinstance(node, ForNode):
        yield from node.loopvars
    for name in ("target_var", "asvar", "variable", "countervar", "var_name"):
        if isinstance(defined := getattr(node, name, None), str):
            yield defined
    yield from getattr(node, "extra_context", ())


@pytest.fixture(scope="module")
def pages() -> Iterable[tuple[type[PageContext], str]]:
    templates = templates_by_class()
    known = classes()
    return [(known[name], template) for name in templates for template in sorted(templates[name])]


def test_every_name_in_a_template_is_a_field_of_its_page(pages: Iterable[tuple[type[PageContext], str]]) -> None:
    missing = {}
    for page, template in pages:
        if unknown := Names(template).free - {field.name for field in fields(page)}:
            missing[page.__name__, template] = sorted(unknown)
    assert missing == {}


def test_every_context_has_a_template(pages: Iterable[tuple[type[PageContext], str]]) -> None:
    without = set(classes()) - {page.__name__ for page, _ in pages}
    assert without == {"StaffContext"}, "only bases have none"
    assert len({template for _, template in pages}) > 60
