"""Python packages of a bot are installed to `vendor`, from the list that the author keeps."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from arena.hosting.archives import BundleError
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.preparing import PROVIDED, prepare_folder

MANIFEST = 'language = "python"\ncommand = ["python3", "mine.py"]\n'


def wheel(folder: Path, content: str) -> Path:
    """Return a package with one module, as indexes have it."""
    path = folder / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thing.py", content)
        archive.writestr("thing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
        archive.writestr("thing-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("thing-1.0.dist-info/RECORD", "thing.py,,\n")
    return path


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a bot in Python. The programs of this installation are in PATH."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    return folder


def prepare(folder: Path) -> str:
    """Prepare a folder, and return the output."""
    log: list[str] = []
    prepare_folder(folder, DEFAULT_LIMITS, log.append)
    return "".join(log)


def test_packages_are_installed_once(tmp_path: Path, bot: Path) -> None:
    """The arena's own package is in the runtime, and in no index."""
    package = wheel(tmp_path, "x = 1\n")
    (bot / "requirements.txt").write_text(f"naqala-arena>=0.1\n{package}\n")
    assert "preparing: " in prepare(bot)
    assert (bot / "vendor" / "thing.py").read_text() == "x = 1\n"
    assert not (bot / "vendor" / "arena").exists()
    assert PROVIDED.match(" Naqala_Arena[server]==1 ") and not PROVIDED.match("naqala-arena-tools==1")
    assert prepare(bot) == ""
    (bot / "requirements.txt").write_text(f"# changed\n{package}\n")
    assert "preparing: " in prepare(bot)


def test_a_vendor_folder_of_the_author_stays(tmp_path: Path, bot: Path) -> None:
    (bot / "vendor").mkdir()
    (bot / "requirements.txt").write_text(f"{wheel(tmp_path, '')}\n")
    assert "stays as it is" in prepare(bot)
    assert list((bot / "vendor").iterdir()) == []


def test_a_package_that_cannot_be_fetched_is_an_error(bot: Path) -> None:
    (bot / "requirements.txt").write_text("./missing-1.0-py3-none-any.whl\n")
    with pytest.raises(BundleError, match="the command that prepares the bot has failed with exit code"):
        prepare(bot)
    assert not (bot / "vendor").exists()


def test_without_an_installer_the_error_says_what_to_do(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (bot / "requirements.txt").write_text("thing\n")
    with pytest.raises(BundleError, match="neither uv nor pip is there to fetch them: install uv"):
        prepare(bot)


def test_other_folders_are_left_alone(bot: Path) -> None:
    assert prepare(bot) == ""
    assert [path.name for path in bot.iterdir()] == ["bot.toml"]
