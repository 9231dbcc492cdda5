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


def test_no_literal_is_shifted_in_compiled_functions() -> None:
    """A literal has 32 bits in C, and the sets of tiles have more: `bit(tile)` makes them, not `1 << tile`."""
    for module in sorted(ROOT.glob("arena/rules/_native/*.so")):
        path = ROOT / "arena" / "rules" / f"{module.name.split('.')[0]}.py"
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for node in (node for statement in function.body for node in ast.walk(statement)):
                    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift):
                        by_name = isinstance(node.right, ast.BinOp)  # by a constant of the module, which is an object
                        assert by_name or not isinstance(node.left, ast.Constant), f"{path}:{node.lineno}"
