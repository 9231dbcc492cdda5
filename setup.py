"""Build script for what pyproject.toml cannot say: how the hot modules of the rules are compiled.

Cython compiles the plain Python modules named in `COMPILED`, unchanged, into `arena/rules/_native`. arena/_native.py
explains the folder and when its modules are used. If compilation fails, for instance without a C compiler, the build
goes on with a warning and the plain source runs. `ARENA_PURE=1` skips compilation.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Iterator
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
    "fields",
    "geometry",
    "groups",
    "inventory",
    "items",
    "legal",
    "line",
    "moves",
    "notation",
    "parsing",
    "parsing_turn",
    "playouts",
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
"""Modules of the package that are compiled: those that every decision runs through, and those that read positions."""

STRUCTS = {
    "board": ("Board",),
    "draft": ("Draft", "Due"),
    "geometry": ("Geometry",),
    "line": ("Line",),
    "notation": ("Action",),
    "seat": ("Seat",),
    "state": ("State",),
}
"""Classes that are compiled to structs. They have `__slots__`, and the rules read and write them at every step."""
C_TYPES = {"int": "long long", "bool": "bint", "tuple": "tuple", "list": "list"}
"""C type for each annotation.

Numbers of the rules fit in 64 bits: sets of 42 tiles, groups of 6 bytes, hands of 60 bits. A string stays an object,
because a string from outside may be of a subclass of `str`.
"""

DIRECTIVES = {
    "language_level": 3,
    "nonecheck": True,
    "annotation_typing": False,  # `_declarations` translates the annotations
}


def _load_native() -> Any:
    """Load arena/_native.py without importing the package that is being built."""
    spec = importlib.util.spec_from_file_location("_native", Path(__file__).with_name("arena") / "_native.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


native = _load_native()
SOURCES = Path(*PACKAGE.split("."))


class BuildNative(build_ext):
    """Compile the modules if possible. After a failure, warn and leave the plain source to run."""

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
        except Exception as error:  # noqa: BLE001 - whatever fails, the plain source runs
            self.inplace = wanted
            self.warn(f"{PACKAGE} is not compiled, its plain Python form will run: {type(error).__name__}: {error}")
            return
        for root in (self.build_lib, *([""] if self.inplace else [])):
            Path(root, SOURCES, native.FOLDER, native.MANIFEST).write_text(manifest, encoding="utf-8")

    def _discard(self, package: Path) -> None:
        """Delete an older build first, so that a failure half-way leaves nothing that looks complete."""
        if self.inplace or package != SOURCES:
            shutil.rmtree(package / native.FOLDER, ignore_errors=True)

    def _check_compiler(self) -> None:
        """Fail at once without a compiler or Python.h: the translation that comes first takes most of a minute."""
        from distutils.ccompiler import new_compiler  # from setuptools: newer Pythons have none
        from distutils.sysconfig import customize_compiler

        compiler = new_compiler()
        customize_compiler(compiler)
        source = Path(self.build_temp, "check.c")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("#include <Python.h>\n", encoding="utf-8")
        compiler.compile([str(source)], output_dir=self.build_temp, include_dirs=[sysconfig.get_path("include")])

    def _translate(self) -> None:
        """Write the C source of every extension from the Python module of the same name.

        The extension lies in arena/rules/_native, but the module keeps its own name, arena.rules.X.
        """
        from Cython.Build import cythonize

        folder, declared = Path(self.build_temp, "c"), Path(self.build_temp, "declared")
        is_new = False
        for name in COMPILED:
            is_new |= _write(declared / SOURCES / f"{name}.pxd", _declarations(SOURCES / f"{name}.py"))
        translated = cythonize(
            [Extension(f"{PACKAGE}.{name}", [str(SOURCES / f"{name}.py")]) for name in COMPILED],
            include_path=[str(declared)],
            build_dir=str(folder),
            compiler_directives=DIRECTIVES,
            nthreads=os.cpu_count() or 1,
            force=is_new,
            quiet=True,
        )
        sources = {module.name.rpartition(".")[2]: module.sources for module in translated}
        for extension in self.extensions:
            extension.sources = sources[extension.name.rpartition(".")[2]]

    def copy_extensions_to_source(self) -> None:
        SOURCES.joinpath(native.FOLDER).mkdir(exist_ok=True)
        super().copy_extensions_to_source()


def _declarations(source: Path) -> str:
    """Return the declarations that Cython needs beside a module's source: C types for everything that is annotated.

    They cover the attributes and methods of structs and the functions of the module, both of this module and of those
    that it imports. Such functions are called without a look-up, and numbers are passed as C numbers. A function that
    only calculates with numbers is inlined where it is imported.
    """
    lines, known, tree = [f"# {DIRECTIVES}", "cimport cython"], set(), ast.parse(source.read_text(encoding="utf-8"))
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=str(other)) if other.rpartition(".")[2] in COMPILED:
                structs, functions, inlined = _names(SOURCES / f"{other.rpartition('.')[2]}.py")
                names = [alias.name for alias in node.names if alias.name in structs | functions and not alias.asname]
                for name in names:
                    lines += inlined.get(name, [f"from {other} cimport {name}"])
                known |= structs & set(names)
            case ast.ClassDef(name=name) if name in STRUCTS.get(source.stem, ()):
                base = "".join(f"({ast.unparse(base)})" for base in node.bases)
                known.add(name)
                lines += [f"cdef class {name}{base}:", *(f"    {member}" for member in _members(node, known))]
            case ast.FunctionDef() if _is_plain(node):
                lines += _function(node, known)
    return "\n".join([*lines, ""])


def _names(source: Path) -> tuple[set[str], set[str], dict[str, list[str]]]:
    """Return a compiled module's structs, its plain functions, and the text of its functions that are inlined."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and _is_plain(node)}
    inlined = {name: _inlined(node) for name, node in functions.items() if _only_calculates(node)}
    return set(STRUCTS.get(source.stem, ())), set(functions), inlined


def _only_calculates(function: ast.FunctionDef) -> bool:
    """Return whether a function takes and returns only numbers and uses no loop, call or other name."""
    kinds = [one.annotation for one in function.args.args] + [function.returns]
    names = [node for node in ast.walk(ast.Module(function.body, [])) if isinstance(node, ast.Name)]
    own = {one.arg for one in function.args.args} | {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return (
        all(_kind(kind, set()) in ("long long", "bint") for kind in kinds)
        and all(isinstance(node, ast.AnnAssign | ast.Return) for node in _statements(function))
        and all(name.id in own | set(C_TYPES) for name in names)
    )


def _inlined(function: ast.FunctionDef) -> list[str]:
    """Return a function that only calculates, with its body: other modules cannot inline a mere declaration."""
    *decorators, declared = _function(function, set())
    lines = [f"    {ast.unparse(node)}" for node in _statements(function)]
    return [*decorators, f"{declared.replace('cpdef', 'cpdef inline', 1)}:", *lines]


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function, without its docstring."""
    return function.body[ast.get_docstring(function) is not None :]


def _is_plain(function: ast.FunctionDef) -> bool:
    """Return whether the function can be a C function. Cython cannot make closures or generators there."""
    arguments = function.args
    inner = (ast.Yield, ast.YieldFrom, ast.Lambda, ast.GeneratorExp, ast.FunctionDef)
    return not (
        function.decorator_list
        or arguments.kwonlyargs
        or arguments.vararg
        or arguments.kwarg
        or any(isinstance(node, inner) for statement in function.body for node in ast.walk(statement))
    )


def _kind(annotation: ast.expr | None, known: set[str]) -> str:
    """Return the C type of an annotation. `known` are the structs."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    return name if name in known else C_TYPES.get(name, "object")


def _function(function: ast.FunctionDef, known: set[str]) -> Iterator[str]:
    """Yield the declaration of a plain function or method, and of the annotated names in it."""
    named = {
        node.target.id: kind
        for node in ast.walk(function)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and (kind := _kind(node.annotation, known)) != "object"
    }
    if named:
        yield f"@cython.locals({', '.join(f'{name}={kind!r}' for name, kind in named.items())})"
    arguments, required = function.args.args, len(function.args.args) - len(function.args.defaults)
    listed = ", ".join(
        (one.arg if one.arg == "self" else f"{_kind(one.annotation, known)} {one.arg}") + "=*" * (place >= required)
        for place, one in enumerate(arguments)
    )
    result = _kind(function.returns, known)
    raises = " except? -1" * (result in ("long long", "bint"))
    yield f"cpdef {result} {function.name}({listed}){raises}"


def _members(node: ast.ClassDef, known: set[str]) -> Iterator[str]:
    """Yield the attributes of a class, typed if `__init__` shows the type, and its methods."""
    slots: tuple[str, ...] = ()
    kinds: dict[str, str] = {}
    for part in node.body:
        match part:
            case ast.Assign(targets=[ast.Name(id="__slots__")]):
                slots = ast.literal_eval(part.value)
            case ast.FunctionDef(name="__init__"):
                given = {one.arg: _kind(one.annotation, known) for one in part.args.args}
                for statement in part.body:
                    match statement:
                        case ast.AnnAssign(target=ast.Attribute(attr=name), annotation=annotation):
                            kinds[name] = _kind(annotation, known)
                        case ast.Assign(targets=targets, value=value):
                            kind = _kind_of_value(value, given)
                            kinds |= {target.attr: kind for target in targets if isinstance(target, ast.Attribute)}
            case ast.FunctionDef(name=name) if name[0] != "_" and _is_plain(part):
                yield from _function(part, known)
    yield from (f"cdef public {kinds.get(slot, 'object')} {slot}" for slot in slots)


def _kind_of_value(value: ast.expr, given: dict[str, str]) -> str:
    """Return the C type of an attribute's first value: an argument or a constant."""
    if isinstance(value, ast.Name):
        return given.get(value.id, "object")
    constant = value.operand if isinstance(value, ast.UnaryOp) else value
    return C_TYPES.get(type(constant.value).__name__, "object") if isinstance(constant, ast.Constant) else "object"


def _write(path: Path, text: str) -> bool:
    """Write a file. Return whether its text has changed, so that translations that used it are stale."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


setup(
    cmdclass={"build_ext": BuildNative},
    ext_modules=[]
    if native.is_pure_wanted()
    else [
        Extension(f"{PACKAGE}.{native.FOLDER}.{name}", [], extra_compile_args=["-O2", "-g0", "-w"]) for name in COMPILED
    ],
)
