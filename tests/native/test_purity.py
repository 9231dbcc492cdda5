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
