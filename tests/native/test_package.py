"""The package as it is given away: its source, built and installed where there is no compiler."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.kit.installing import Installed

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "arena", "webui", "workers")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "_native", "node_modules")
SOON_S = 30
"""Of processor time: the translation alone, before a compiler is missed, takes longer."""


TIME = "1790000000"
"""In seconds since 1970: all that is built is of then, as in the image of deploy/."""


def build(folder: Path, what: str) -> None:
    """Have setuptools build into dist, without a compiler."""
    code = f"from setuptools.build_meta import build_{what}; build_{what}('dist')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "CC": "/bin/false", "ARENA_PURE": "", "SOURCE_DATE_EPOCH": TIME},
        umask=0o022,  # as the image is built
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_source_installs_and_plays_without_a_compiler(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=LEFT_OUT)
        else:
            shutil.copy(source, tree)
    build(tree, "sdist")
    (archive,) = tree.glob("dist/naqala_arena-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path)  # it is ours; the first Pythons 3.11 know no filter
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    (modes,) = re.findall(r"chmod -R (\S+) \.", (ROOT / "deploy/Dockerfile").read_text())
    subprocess.run(["chmod", "-R", modes, unpacked], check=True)
    before = os.times()
    build(unpacked, "wheel")
    after = os.times()
    assert after.children_user - before.children_user < SOON_S
    (wheel,) = unpacked.glob("dist/*.whl")

    # From another place, with other times and other modes of the files: the same bytes.
    subprocess.run(["chmod", "-R", modes, tree], check=True)
    build(tree, "wheel")
    (again,) = tree.glob("dist/*.whl")
    assert again.name == wheel.name and again.read_bytes() == wheel.read_bytes()

    bare = Installed(wheel, tmp_path)
    assert "The rules are pure" in bare.run(
        "python", "-c", "from arena._native import form; print('The rules are', form())"
    )
    assert "random" in bare.run("arena", "play", "random", "random")
    assert bare.run("arena", "--version").startswith("naqala-arena ")
    shown = bare.run("python", "-c", "from arena import starters; print(*starters.__path__)").strip()
    assert Path(shown, "python", "search_bot.py").exists()
