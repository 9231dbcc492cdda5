"""A check is left out in CI alone, and only while its inputs are those of its last pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit import tried


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an input of a check that has passed; CI runs."""
    source = tmp_path / "folder" / "source"
    source.parent.mkdir()
    source.write_text("one")
    monkeypatch.setattr(tried, "ROOT", tmp_path)
    monkeypatch.setattr(tried, "FILE", tmp_path / "tried.json")
    monkeypatch.setattr(tried, "INPUTS", {"check": ("folder",)})
    monkeypatch.setenv("ARENA_CHANGED", "1")
    tried.FILE.write_text(json.dumps({"check": tried.digest("folder")}))
    return source


@pytest.mark.usefixtures("source")
def test_an_unchanged_check_is_left_out_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried.is_left_out("check")
    assert not tried.is_left_out("kit-python"), "it is always built"
    monkeypatch.delenv("ARENA_CHANGED")
    assert not tried.is_left_out("check")


@pytest.mark.parametrize("change", ["content", "name", "another file"])
def test_a_change_of_any_input_is_noticed(source: Path, change: str) -> None:
    if change == "content":
        source.write_text("two")
    elif change == "name":
        source.rename(source.with_name("renamed"))
    else:
        source.with_name("another").touch()
    assert not tried.is_left_out("check")


def test_all_inputs_exist() -> None:
    for paths in tried.INPUTS.values():
        assert tried.digest(*paths)
