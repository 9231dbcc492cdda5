"""Python packages of a bot are installed to `vendor`, from the list that the author keeps."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from arena.hosting.archives import BundleError
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.preparing import PROVIDED, WheelTarget, prepare_folder

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
    words = r"failed with exit code \d+: a package of requirements.txt is unknown or has no wheel for Python 3\.\d+ on"
    with pytest.raises(BundleError, match=words):
        prepare(bot)
    assert not (bot / "vendor").exists()


def test_wheels_are_those_of_the_arena(tmp_path: Path, bot: Path) -> None:
    """A folder of packages has one for each of two machines. Neither may be that of the test."""
    for tag in ("cp39-cp39-manylinux_2_28_aarch64", "cp310-cp310-manylinux_2_17_x86_64"):
        wheel(tmp_path, f"x = {tag!r}\n").rename(tmp_path / f"thing-1.0-{tag}.whl")
    (bot / "requirements.txt").write_text(f"--no-index\n--find-links {tmp_path}\nthing\n")
    for target in (WheelTarget("3.9", "aarch64", "2.36"), WheelTarget("3.10", "x86_64", "2.17")):
        for _ in range(2):
            prepare_folder(bot, DEFAULT_LIMITS, lambda text: None, lambda target=target: target)  # type: ignore[misc]
        assert target.machine in (bot / "vendor" / "thing.py").read_text()
    with pytest.raises(BundleError, match=r"has no wheel for Python 3\.9 on aarch64 Linux"):
        prepare_folder(bot, DEFAULT_LIMITS, lambda text: None, lambda: WheelTarget("3.9", "aarch64", "2.17"))
    words = WheelTarget("3.11", "x86_64", "2.28").pip_options()
    assert words[:4] == ["--python-version", "3.11", "--implementation", "cp"]
    assert words[4:6] == ["--platform", "manylinux_2_28_x86_64"] and words[-1] == "manylinux2014_x86_64"
    assert WheelTarget("3.11", "x86_64", "").uv_options()[-1] == "x86_64-manylinux_2_17"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            ["no-such-tool", "x"],
            "cannot run 'no-such-tool', which prepares the bot: No such file or directory: ",
        ),
        (["sh", "-c", "no-such-tool"], "exit code 127: it calls a program that this machine does not have: install it"),
        (["false"], "exit code 1: correct `prepare` in bot.toml, or what it calls (false)"),
    ],
)
def test_a_command_that_fails_gets_one_line(bot: Path, command: list[str], words: str) -> None:
    (bot / "bot.toml").write_text(f"{MANIFEST}prepare = {command}\n")
    with pytest.raises(BundleError) as caught:
        prepare(bot)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_lock_of_uv_needs_uv(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (bot / "uv.lock").write_text("version = 1\n")
    with pytest.raises(BundleError, match=r"uv\.lock needs uv: install it, or write requirements\.txt"):
        prepare(bot)


def test_without_an_installer_the_error_says_what_to_do(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (bot / "requirements.txt").write_text("thing\n")
    with pytest.raises(BundleError, match="neither uv nor pip is there to fetch them: install uv"):
        prepare(bot)


def test_other_folders_are_left_alone(bot: Path) -> None:
    assert prepare(bot) == ""
    assert [path.name for path in bot.iterdir()] == ["bot.toml"]
