"""The page about environments for research agrees with the code, and its examples run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.research import shapes, train
from webui.site.docs.pages import read

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [code for kind, code in read("research").code if kind == "python"]


def test_the_shapes_are_those_of_the_code() -> None:
    written = json.loads((ROOT / "webui/site/docs/en/research.json").read_text(encoding="utf-8"))
    assert written == shapes.document(), "python -m arena.research.shapes > webui/site/docs/en/research.json"
    assert [row["players"] for row in written["sizes"]] == [2, 3, 4, *[2, 3, 4, 5] * 3]
    page = read("research").html
    assert all(f"<td>{name.replace('_', ' ')}</td>" in page for name in written["sections"])
    assert all(f"<code>{row['verb']}</code>" in page for row in written["verbs"])


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(EXAMPLES[number], "research.md", "exec"), {"__name__": "example"})


def test_every_language_has_the_same_examples_and_the_script_that_is_tested() -> None:
    assert len(EXAMPLES) == 7 and EXAMPLES[-1] == Path(train.__file__).read_text(encoding="utf-8")
    for language in ("es", "fr", "ru"):
        assert [code for kind, code in read("research", language).code if kind == "python"] == EXAMPLES


@pytest.mark.slow
def test_the_site_loads_none_of_it() -> None:
    """Pages are made in a process that has neither the environments nor their libraries."""
    made = "import django, sys; django.setup(); from webui.site.docs import read; read('research'); print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", made], capture_output=True, text=True, check=True, cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "webui.settings", "PATH": "/usr/bin:/bin"},
    ).stdout.split()  # fmt: skip
    assert "webui.site.docs.facts" in modules
    assert not {"arena.research", "gymnasium", "pettingzoo", "pyspiel"} & {*modules}
