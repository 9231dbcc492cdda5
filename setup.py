"""The build: pyproject.toml says everything but how the hot modules are compiled, which is here.

Cython compiles the plain Python modules named in `COMPILED`, as they are, into `arena/rules/_native`
(arena/_native.py says why there and when they are used). Where that fails, for instance because
there is no C compiler, the build goes on with a warning and the plain source runs. `ARENA_PURE=1` skips it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGE = "arena.rules"
COMPILED = (
    "bidding",
    "board",
    "chance",
    "control",
    "draft",
    "draws",
    "geometry",
    "groups",
    "items",
    "legal",
    "moves",
    "notation",
    "powers",
    "scoring",
    "seat",
    "selling",
    "sowing",
    "stages",
    "state",
    "syntax",
    "tiles",
    "tribes",
    "verbs",
    "whims",
    "workshop",
)
"""The modules of the package that are compiled: those on the way of a decision."""

DIRECTIVES = {
    "language_level": 3,
    # An annotation `int` means a Python integer of any size, not one of C.
    "annotation_typing": False,
}


def _load_native() -> Any:
    """arena/_native.py, without importing the package that is being built."""
    spec = importlib.util.spec_from_file_location("_native", Path(__file__).with_name("arena") / "_native.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


native = _load_native()
SOURCES = Path(*PACKAGE.split("."))


class BuildNative(build_ext):
    """Compile what can be compiled; a failure is a warning and leaves the plain source to run."""

    def run(self) -> None:
        if not self.extensions:
            return
        wanted = self.inplace
        try:
            manifest = native.format_manifest(SOURCES, COMPILED)
            self._discard(SOURCES)
            self._discard(Path(self.build_lib, SOURCES))
            self._check_compiler()
            self._translate()
            self.parallel = self.parallel or os.cpu_count()
            super().run()
        except Exception as error:  # noqa: BLE001 - whatever is missing, the plain source runs
            self.inplace = wanted
            self.warn(f"{PACKAGE} is not compiled, its plain Python form will run: {type(error).__name__}: {error}")
            return
        for root in (self.build_lib, *([""] if self.inplace else [])):
            Path(root, SOURCES, native.FOLDER, native.MANIFEST).write_text(manifest, encoding="utf-8")

    def _discard(self, package: Path) -> None:
        """Forget an older build first, so that a failure in the middle leaves nothing that looks whole."""
        if self.inplace or package != SOURCES:
            shutil.rmtree(package / native.FOLDER, ignore_errors=True)

    def _check_compiler(self) -> None:
        """Fail at once where there is no compiler or no Python.h: the translation before it takes most of a minute."""
        from distutils.ccompiler import new_compiler  # of setuptools: newer Pythons have none
        from distutils.sysconfig import customize_compiler

        compiler = new_compiler()
        customize_compiler(compiler)
        source = Path(self.build_temp, "check.c")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("#include <Python.h>\n", encoding="utf-8")
        compiler.compile([str(source)], output_dir=self.build_temp, include_dirs=[sysconfig.get_path("include")])

    def _translate(self) -> None:
        """Write the C source of every extension, from the Python module that it is named after.

        The extension's place is arena/rules/_native, but the module keeps its own name, arena.rules.X.
        """
        from Cython.Build import cythonize

        folder = Path(self.build_temp, "c")
        translated = cythonize(
            [Extension(f"{PACKAGE}.{name}", [str(SOURCES / f"{name}.py")]) for name in COMPILED],
            build_dir=str(folder),
            compiler_directives=DIRECTIVES,
            nthreads=os.cpu_count() or 1,
            quiet=True,
        )
        for extension, source in zip(self.extensions, translated, strict=True):
            extension.sources = source.sources

    def copy_extensions_to_source(self) -> None:
        SOURCES.joinpath(native.FOLDER).mkdir(exist_ok=True)
        super().copy_extensions_to_source()


setup(
    cmdclass={"build_ext": BuildNative},
    ext_modules=[]
    if native.is_pure_wanted()
    else [
        Extension(f"{PACKAGE}.{native.FOLDER}.{name}", [], extra_compile_args=["-O2", "-g0", "-w"]) for name in COMPILED
    ],
)
