"""Write the reference of a package as Markdown: the names in its `__all__` with their docstrings.

Examples in docstrings become code blocks. Rule numbers in parentheses become links to the rules.

The source is parsed, not imported, so that the site need not load gRPC. The reference is in English, as the docstrings
are.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

import arena
from webui.site.docs import markup
from webui.site.docs.markup import table

Function = ast.FunctionDef | ast.AsyncFunctionDef
RULES = {
    "states": (
        "Board", "Geometry", "LegalActions", "Outcome", "RULES", "Ruleset", "Seat", "State", "score", "start",
    ),
    "actions": ("Action", "Ending", "Phase", "parse_action"),
    "chance": (
        "Due", "RandomSource", "Stream", "commitment", "default_action", "draw_chance", "match_seed", "settle",
        "start_with_stream",
    ),
    "views": ("SeatView", "TileView", "TurnView", "View", "format_view", "parse_view", "view"),
    "positions": ("FullSeat", "Position", "format_position", "parse_position", "position"),
    "search": ("Condition", "Line", "Policy", "Result", "determinizations", "determinize", "playouts", "results",
        "sowings"),
    "games": (
        "Event", "Game", "Reseed", "parse_ruleset", "read_game", "replay_document", "verify_replay", "view_event",
    ),
    "numbers": ("RESOURCES", "TILE_NAMES", "TRIBES", "cards_of", "count", "goods_in", "tiles_of"),
    "errors": (
        "ActionSyntaxError", "Divergence", "IllegalAction", "PositionError", "ReplayError", "RulesError",
    ),
}  # fmt: skip
"""Public names of `arena.rules`, by section of its page."""
CITATION = re.compile(r"\((?:rules? )?(notation, [A-Z]\w+|R?\d[\d.]*(?: T\d)?(?:, R?\d[\d.]*(?: T\d)?)*)\)")
DRAFT = "Draft"
"""Mutable base class of a state. The page of a state shows its attributes, but not its methods, which are internal."""


class FoundDefinition(NamedTuple):
    """Definition of a name: its module, its statement, and the next statement, which may be its docstring."""

    module: str
    node: ast.stmt
    after: ast.stmt | None


def api(package: str) -> str:
    """Return the reference of a package, with a heading for each public name."""
    exported = _resolve(package, "__all__").node
    assert isinstance(exported, ast.Assign)
    return api_of(package, ast.literal_eval(exported.value))


def api_of(package: str, names: Sequence[str], level: int = 2) -> str:
    """Return the reference of some names. Functions come last; each group is in alphabetical order.

    `level` is the level of the headings.
    """
    definitions = {name: _resolve(package, name) for name in names}
    order = sorted(names, key=lambda name: (isinstance(definitions[name].node, Function), name.lower()))
    parts = [part for name in order for part in (f"{'#' * level} `{name}`", *_described(name, definitions[name]))]
    return '<div lang="en">\n\n' + "\n\n".join(parts) + "\n\n</div>"


class Member(NamedTuple):
    """A public attribute or method of a class."""

    name: str
    kind: str
    """Type of an attribute; arguments of a method in parentheses."""
    meaning: str
    """First paragraph of its docstring."""


def members_of(package: str, name: str) -> list[Member]:
    """Return the public attributes and then the methods of a class, with those of its base classes first."""
    attributes, methods = _members(_resolve(package, name))
    found = [Member(attribute, kind, _first(meaning)) for attribute, (kind, meaning) in attributes.items()]
    found += [
        Member(method, f"({_arguments(node)})", _first(ast.get_docstring(node) or ""))
        for method, node in methods.items()
    ]
    return found


def _first(text: str) -> str:
    """Return the first paragraph of a docstring, as one line and without its rule numbers."""
    return re.sub(r"\s+", " ", CITATION.sub("", cleandoc(text).split("\n\n")[0])).replace(" .", ".").strip()


def _described(name: str, definition: FoundDefinition) -> Iterator[str]:
    match definition.node:
        case ast.ClassDef():
            yield from _class(name, definition)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _function(name, definition.node)
        case ast.Assign() | ast.AnnAssign():
            yield f"```\n{name} = {ast.unparse(definition.node.value) if definition.node.value else '…'}\n```"
            yield _markdown(_docstring(definition.after))


def _class(name: str, definition: FoundDefinition) -> Iterator[str]:
    assert isinstance(definition.node, ast.ClassDef)
    if made := _init(definition.node):
        yield f"```\nclass {name}({_arguments(made)})\n```"
    yield _markdown(ast.get_docstring(definition.node) or "")
    attributes, methods = _members(definition)
    if attributes:
        rows = [
            (f"`{attribute}`", f"`{kind}`" if kind else "", _markdown(meaning))
            for attribute, (kind, meaning) in attributes.items()
        ]
        yield table(("Attribute", "Type", "Meaning"), rows)
    for method, node in methods.items():
        yield from _function(method, node)


def _members(definition: FoundDefinition) -> tuple[dict[str, tuple[str, str]], dict[str, Function]]:
    """Return the public attributes of a class, each with its type and meaning, and its public methods.

    The members of base classes come first.
    """
    assert isinstance(definition.node, ast.ClassDef)
    attributes: dict[str, tuple[str, str]] = {}
    methods: dict[str, Function] = {}
    for base in definition.node.bases:
        defined = _find(definition.module, ast.unparse(base))
        if defined is not None and isinstance(defined.node, ast.ClassDef):
            inherited, others = _members(defined)
            attributes |= inherited
            methods |= others if defined.node.name != DRAFT else {}
    made = _init(definition.node)
    for node, after in [*_pairs(definition.node.body), *(_pairs(made.body) if made else [])]:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if not _is_property(node):
                if not name.startswith("_"):
                    methods[name] = node
            case ast.FunctionDef(name=name):
                if not name.startswith("_"):
                    attributes[name] = _unparse(node.returns), ast.get_docstring(node) or ""
            case ast.AnnAssign(target=target, annotation=kind):
                for name in _names(target):
                    attributes[name] = ast.unparse(kind), _docstring(after)
            case ast.Assign(targets=targets, value=value) if made and node in made.body:
                for name in (name for target in targets for name in _names(target)):
                    attributes[name] = _type_of(value, made), _docstring(after)
    return attributes, methods


def _pairs(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Yield each statement with the next one."""
    return zip(body, [*body[1:], None], strict=True)


def _init(node: ast.ClassDef) -> Function | None:
    return next((member for member in node.body if isinstance(member, Function) and member.name == "__init__"), None)


def _names(target: ast.expr) -> Iterator[str]:
    """Yield the name of the assigned attribute if it is public: `name` in a class, `self.name` in its `__init__`."""
    name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else "_"
    if not name.startswith("_"):
        yield name


def _type_of(value: ast.expr, made: Function) -> str:
    """Return the type of an unannotated value: that of a constant, or the annotation of the argument it comes from."""
    if isinstance(value, ast.Name):
        return next((_unparse(argument.annotation) for argument in made.args.args if argument.arg == value.id), "")
    number = value.operand if isinstance(value, ast.UnaryOp) else value
    return type(number.value).__name__ if isinstance(number, ast.Constant) else ""


def _unparse(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node)


def _function(name: str, node: Function) -> Iterator[str]:
    gives = f" -> {_unparse(node.returns)}" if node.returns else ""
    awaited = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    yield f"```\n{awaited}{name}({_arguments(node)}){gives}\n```"
    yield _markdown(ast.get_docstring(node) or "")


def _arguments(node: Function) -> str:
    return re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args))


def _is_property(node: Function) -> bool:
    return any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in node.decorator_list)


def _docstring(after: ast.stmt | None) -> str:
    """Return the docstring of an attribute or constant, given the statement after it."""
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return cleandoc(after.value.value)
    return ""


def _markdown(docstring: str) -> str:
    """Convert a docstring to Markdown, with its examples as code blocks."""
    return "\n\n".join(
        f"```pycon\n{part}\n```" if part.startswith(">>> ") else _text(part) for part in docstring.split("\n\n")
    )


def _text(paragraph: str) -> str:
    """Escape characters that Markdown would interpret, except in code, and turn citations into links."""
    parts = re.split(r"(`[^`]*`)", paragraph)
    return "".join(
        part
        if part.startswith("`")
        else CITATION.sub(lambda cited: f"({markup.markdown(cited[1])})", re.sub(r"[<>*_]", r"\\\g<0>", part))
        for part in parts
    )


# The source


def _resolve(module: str, name: str) -> FoundDefinition:
    """Return the definition of a name in a module. Raise `LookupError` if the module does not define it."""
    if (definition := _find(module, name)) is None:
        raise LookupError(f"{module} does not define {name}")
    return definition


def _find(module: str, name: str) -> FoundDefinition | None:
    """Return the definition of a name, following imports between modules of the arena, or None if there is none."""
    return _find_in(_tree(module).body, module, name)


def _find_in(statements: Sequence[ast.stmt], module: str, name: str) -> FoundDefinition | None:
    for node, after in _pairs(statements):
        match node:
            case ast.With(body=imports):
                if found := _find_in(imports, module, name):
                    return found
            case ast.ImportFrom(module=str(other)) if other.startswith("arena."):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return _find(other, alias.name)
            case ast.ClassDef(name=defined) | ast.FunctionDef(name=defined) | ast.AsyncFunctionDef(name=defined) if (
                defined == name
            ):
                return FoundDefinition(module, node, after)
            case ast.Assign(targets=[ast.Name(id=defined)]) | ast.AnnAssign(target=ast.Name(id=defined)) if (
                defined == name
            ):
                return FoundDefinition(module, node, after)
    return None


@lru_cache(maxsize=64)
def _tree(module: str) -> ast.Module:
    path = Path(arena.__file__).parent.joinpath(*module.split(".")[1:])
    return ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8"))
