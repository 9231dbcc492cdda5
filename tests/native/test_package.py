"""The package as it is given away: its source, built and installed where there is no compiler."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.kit.installing import Installed

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "arena", "webui", "workers")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "_native", "node_modules")
SOON_S = 30
"""Of processor time: the translation alone, before a compiler is missed, takes longer."""


def build(folder: Path, what: str) -> None:
    """Have setuptools build into dist, without a compiler."""
    code = f"from setuptools.build_meta import build_{what}; build_{what}('dist')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "CC": "/bin/false", "ARENA_PURE": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


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
        packed.extractall(tmp_path, filter="data")
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    before = os.times()
    build(unpacked, "wheel")
    after = os.times()
    assert after.children_user - before.children_user < SOON_S
    (wheel,) = unpacked.glob("dist/*.whl")

    bare = Installed(wheel, tmp_path)
    assert "The rules are pure" in bare.run(
        "python", "-c", "from arena._native import form; print('The rules are', form())"
    )
    assert "random" in bare.run("arena", "play", "random", "random")
    assert bare.run("arena", "--version").startswith("naqala-arena ")
    shown = bare.run("python", "-c", "from arena import starters; print(*starters.__path__)").strip()
    assert Path(shown, "python", "search_bot.py").exists()
