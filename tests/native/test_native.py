"""The build of compiled modules, really done: this project's setup.py and arena/_native.py on a package of two."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from arena import _native

ROOT = Path(__file__).parents[2]
TREE = Path(__file__).with_name("tree")
MODULES = ("sowing", "state")

REPORT = """
import arena._native as native
from arena.rules import sowing, state
start = state.State((1, 2))
print(native.form(), "_native" in state.__file__, state.__name__, sowing.total(start), sowing.put(start, 40).pieces)
"""
COMPILED = f"compiled True arena.rules.state 6 {1 << 40}"
PURE = COMPILED.replace("compiled True", "pure False")
STALE = PURE.replace("pure", "pure (stale build)")


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder, with no other trace of this process's environment than what a program needs."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def report(folder: Path, **environment: str) -> str:
    return run(folder, "-c", REPORT, **environment).stdout.strip()


def build(folder: Path, *command: str, **environment: str) -> str:
    """Build the tree; what the build said."""
    done = run(folder, "setup.py", "--quiet", *(command or ("build_ext", "--inplace")), **environment)
    return done.stdout + done.stderr


def native_files(folder: Path) -> list[str]:
    return sorted(path.name.split(".")[0] for path in folder.glob("arena/rules/_native/*"))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the tree that is not built."""
    return copy_source(tmp_path / "tree")


def copy_source(folder: Path) -> Path:
    shutil.copytree(TREE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "arena" / "_native.py", folder / "arena")
    setup, replaced = re.subn(
        r"^COMPILED = \(.*?^\)",
        f"COMPILED = {MODULES}",
        (ROOT / "setup.py").read_text(),
        flags=re.MULTILINE | re.DOTALL,
    )
    assert replaced == 1 and setup.count('"-O2"') == 1
    # How fast it runs is nothing that these tests look at, and optimising takes a third of the time.
    (folder / "setup.py").write_text(setup.replace('"-O2"', '"-O0"'))
    return folder


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_source(tmp_path_factory.mktemp("native") / "tree")
    build(folder)
    return folder


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Path:
    """A copy of the tree that is built."""
    return shutil.copytree(built_once, tmp_path / "tree", ignore=shutil.ignore_patterns("build", "__pycache__"))


def test_source_alone_runs_pure(source: Path) -> None:
    assert report(source) == PURE


@pytest.mark.slow
def test_build_runs_compiled_and_leaves_the_source_folder_alone(built: Path) -> None:
    assert report(built) == COMPILED
    assert native_files(built) == ["SHA256SUMS", *MODULES]
    assert not list(built.glob("arena/rules/*.so")) + list(built.glob("arena/rules/*.c"))


def test_manifest_is_what_sha256sum_checks(built: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "_native/SHA256SUMS"], cwd=built / "arena" / "rules", check=True)


def test_environment_forces_the_source(built: Path) -> None:
    assert report(built, ARENA_PURE="1") == PURE
    assert report(built, ARENA_PURE="0") == COMPILED


@pytest.mark.slow
def test_edited_source_is_never_shadowed(built: Path) -> None:
    module = built / "arena" / "rules" / "sowing.py"
    module.write_text(module.read_text().replace("BONUS = 3", "BONUS = 4"))
    assert report(built) == STALE.replace(" 6 ", " 7 ")
    build(built)
    assert report(built) == COMPILED.replace(" 6 ", " 7 ")


def test_removed_source_makes_the_build_stale(built: Path) -> None:
    (built / "arena" / "rules" / "state.py").unlink()
    said = run(built, "-c", "import arena._native as native; print(native.form())").stdout
    assert said.strip() == _native.STALE


def test_modules_of_another_interpreter_are_not_mixed_with_source(built: Path) -> None:
    binary = next(built.glob("arena/rules/_native/sowing*.so"))
    binary.rename(binary.with_name("sowing.cpython-27-other.so"))
    assert report(built) == PURE


def test_without_a_compiler_the_build_warns_and_the_source_runs(source: Path) -> None:
    said = build(source, CC="/bin/false")
    assert "arena.rules is not compiled, its plain Python form will run" in said
    assert native_files(source) == []
    assert report(source) == PURE


def test_failed_build_leaves_nothing_of_the_one_before(built: Path) -> None:
    with (built / "arena" / "rules" / "state.py").open("a") as source:
        source.write("this is no Python\n")
    assert "is not compiled" in build(built)
    assert native_files(built) == []


def test_build_without_compiling(source: Path) -> None:
    assert "is not compiled" not in build(source, ARENA_PURE="1")
    assert native_files(source) == []
    assert report(source) == PURE


@pytest.mark.slow
def test_wheel_carries_the_compiled_modules(source: Path, tmp_path: Path) -> None:
    build(source, "bdist_wheel")
    (wheel,) = source.glob("dist/*.whl")
    assert not wheel.name.endswith("none-any.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    assert report(tmp_path / "site") == COMPILED
    assert native_files(source) == []


def test_wheel_without_a_compiler_works(source: Path, tmp_path: Path) -> None:
    build(source, "bdist_wheel", CC="/bin/false")
    (wheel,) = source.glob("dist/*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    assert report(tmp_path / "site") == PURE


@pytest.mark.slow
def test_editable_install_is_compiled(source: Path) -> None:
    run(source, "-c", "from setuptools.build_meta import build_editable; build_editable('dist')")
    assert report(source) == COMPILED


def test_the_rules_run_in_the_form_that_is_wanted() -> None:
    """So that a run of the tests that means to try the compiled form does not try the source twice."""
    form = _native.form()
    if _native.is_pure_wanted():
        assert form == _native.PURE
    elif form != _native.COMPILED:
        missing = f"arena.rules is {form}: `make build` compiles it"
        assert os.environ.get("ARENA_REQUIRE_ALL") != "1", missing
        pytest.skip(missing)
