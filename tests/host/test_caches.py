"""A cache that cannot be used is a miss, and is logged once."""

from __future__ import annotations

from pathlib import Path

import pytest

from webui.core.backends import OptionalFileCache


@pytest.fixture(autouse=True)
def nothing_logged_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OptionalFileCache, "_is_logged", False)


def test_it_keeps_what_it_is_given(tmp_path: Path) -> None:
    cache = OptionalFileCache(str(tmp_path / "frames"), {})
    cache.set("key", {"a": 1})
    assert cache.get("key") == {"a": 1}


def test_a_directory_that_cannot_be_used_is_a_miss_and_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    cache = OptionalFileCache("/dev/null/frames", {})
    for _ in range(3):
        cache.set("key", 1)
        assert cache.get("key", "nothing") == "nothing"
    assert capsys.readouterr().err.count("cache_not_usable") == 1


def test_a_damaged_file_is_a_miss(tmp_path: Path) -> None:
    cache = OptionalFileCache(str(tmp_path), {})
    cache.set("key", "value")
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-8])
    assert cache.get("key") is None
    cache.set("key", "again")
    assert cache.get("key") == "again"
