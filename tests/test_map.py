"""The map: every path and command that it names exists."""

from __future__ import annotations

import re
import subprocess
from glob import glob
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
ELSEWHERE = ("webui/site/static", "arena/starters", "tests/kit/axe", "tests/golden")
MAPS = sorted(
    Path(name)
    for name in TRACKED
    if (name in ("CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/performance.md") or Path(name).name == "README.md")
    and not name.startswith(ELSEWHERE)
)
READMES = (
    "arena/bus", "arena/events", "arena/gateway", "arena/local", "arena/referee", "arena/rules", "arena/wire", "tests",
    "webui", "webui/site", "workers",
)  # fmt: skip
PATH = re.compile(r"(?<![\w-])(?:arena|workers|webui|tests|proto|deploy|docs)(?:/[\w.{},*-]+)+/?")
FILE = re.compile(r"`([\w/.-]+\.(?:py|md|json|proto|toml|yaml|sh|js))`")
MAKE = re.compile(r"`make ([a-z-]+)`|^make ([a-z-]+)", re.MULTILINE)
MODULE = re.compile(r"python -m ([\w.]+)")


def test_the_house_has_its_maps() -> None:
    assert {f"{folder}/README.md" for folder in READMES} <= {str(path) for path in MAPS}
    assert {"README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md"} <= {str(path) for path in MAPS}


def expanded(name: str) -> list[str]:
    """`a/{b,c}.py` as two names."""
    found = re.search(r"\{([^{}]*)\}", name)
    if found is None:
        return [name]
    return [one for part in found[1].split(",") for one in expanded(name[: found.start()] + part + name[found.end() :])]


@pytest.mark.parametrize("path", MAPS, ids=str)
def test_what_a_map_names_is_there(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    lost = []
    for named in {name.rstrip("/.,:;") for name in PATH.findall(text)}:
        for name in expanded(named):
            # A README may name its own folder's files with or without the folder, and what is made from an example.
            places = [base / each for base in (ROOT, ROOT / path.parent) for each in (name, f"{name}.example")]
            if not any(glob(str(place)) for place in places):
                lost.append(name)
    lost += [name for name in FILE.findall(text) if not any(f"/{tracked}".endswith(f"/{name}") for tracked in TRACKED)]
    for link in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
        if not (ROOT / path.parent / link).exists():
            lost.append(link)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lost += [f"make {name}" for pair in MAKE.findall(text) if (name := pair[0] or pair[1]) not in targets]
    lost += [f"python -m {name}" for name in MODULE.findall(text) if find_spec(name) is None]
    assert sorted(lost) == []
