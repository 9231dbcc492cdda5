"""An arena's files are readable only by its user."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from arena.host.places import Places
from arena.host.private import OTHERS, keep_private, make_private_directory


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Return an arena whose files are open to other users."""
    found = Places(tmp_path / "var")
    for folder in (found.root, found.logs, found.frames, found.data):
        folder.mkdir()
        folder.chmod(0o755)
    for file in (found.database, Path(f"{found.database}-wal"), found.secret_key, found.accounts,
                 found.logs / "site.log", found.root / "notes.txt"):  # fmt: skip
        file.touch()
        file.chmod(0o644)
    return found


def test_what_is_open_is_closed_and_said(places: Places) -> None:
    said = list(keep_private(places.existing()))
    assert f"{places.database} was open to other users (mode 644); now it is not" in said
    assert len(said) == 9
    assert {path for path in [places.root, *places.root.rglob("*")] if mode(path) & OTHERS} == {
        places.root / "notes.txt"  # not a file of the arena
    }
    assert list(keep_private(places.existing())) == []


def test_what_is_somebody_elses_is_left_and_said(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    said = list(keep_private([places.root]))
    assert len(said) == 1 and f"belongs to user {os.getuid()}: chmod go= {places.root}" in said[0]
    assert mode(places.root) == 0o755


def test_what_cannot_be_changed_is_said(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: int) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "chmod", refuse)
    assert "cannot be changed (Read-only file system)" in next(keep_private([places.root]))


def test_a_directory_that_all_share_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert "set ARENA_VAR to a directory that only the arena uses" in next(keep_private([tmp_path]))
    assert mode(tmp_path) == 0o1777


def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    elsewhere.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(elsewhere)
    assert list(keep_private([link, tmp_path / "gone"])) == []
    assert mode(elsewhere) == 0o644


def test_a_directory_that_somebody_else_prepared_is_not_used(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    make_private_directory(mine)
    make_private_directory(mine)
    assert mode(mine) == 0o700
    link = tmp_path / "link"
    link.symlink_to(mine)
    with pytest.raises(PermissionError, match="remove it"):
        make_private_directory(link)
    mine.chmod(0o770)
    with pytest.raises(PermissionError, match="remove it"):
        make_private_directory(mine)
