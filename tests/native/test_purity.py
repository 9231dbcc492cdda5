"""What import-linter cannot say: the rules import nothing but the standard library and themselves."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = {"arena.rules", "arena._native"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("module", sorted(ROOT.glob("arena/rules/*.py")), ids=lambda path: path.stem)
def test_rules_import_only_the_standard_library(module: Path) -> None:
    others = {
        name
        for name in imported(module)
        if name.split(".")[0] not in sys.stdlib_module_names and ".".join(name.split(".")[:2]) not in OURS
    }
    assert not others


def compiled() -> tuple[str, ...]:
    """The names of the compiled modules, which setup.py lists."""
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="COMPILED")]):
                return tuple(ast.literal_eval(node.value))
    raise AssertionError("setup.py names no compiled modules")


def shifted_literals(source: str) -> list[int]:
    """The lines of functions in which a literal is shifted by a number of C: by anything but a constant of a module.

    A constant is an object, as Cython sees it, and so is what is calculated with it.
    """
    return [
        node.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.LShift)
        and isinstance(node.left, ast.Constant)
        and not any(isinstance(part, ast.Name) and part.id.isupper() for part in ast.walk(node.right))
    ]


@pytest.mark.parametrize("module", compiled())
def test_no_literal_is_shifted_in_compiled_functions(module: str) -> None:
    """A literal has 32 bits in C, and the sets of tiles have more: `bit(tile)` makes them, not `1 << tile`."""
    assert not shifted_literals((ROOT / "arena" / "rules" / f"{module}.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("shift", ["1 << tile", "1 << 8 * tile", "seen | 1 << (tile + 1)"])
def test_a_shifted_literal_is_found(shift: str) -> None:
    assert shifted_literals(f"def mask(seen: int, tile: int) -> int:\n    return {shift}\n") == [2]
    assert not shifted_literals("def field(tile: int) -> int:\n    return 1 << VISIT_BITS * tile\n")
